import type { Flag } from '../../../integrations/catalogue/catalogue.flags.ts';

/** What the flags of an integration mean. */
export const FLAG_WORDS: Readonly<Record<Flag, string>> = {
  commit_events: 'Whether issues are told of commits that mention them.',
  push_events: 'Whether it is told of pushes to branches.',
  issues_events: 'Whether it is told of issues.',
  incident_events: 'Whether it is told of incidents.',
  alert_events: 'Kept and shown: the server keeps no alerts.',
  confidential_issues_events: 'Whether it is told of confidential issues.',
  merge_requests_events: 'Whether it is told of merge requests.',
  tag_push_events: 'Whether it is told of tags that are made and deleted.',
  deployment_events: 'Whether it is told of deployments.',
  note_events: 'Whether it is told of comments.',
  confidential_note_events: 'Whether it is told of internal comments, and those on confidential issues.',
  pipeline_events: 'Whether it is told of pipelines.',
  wiki_page_events: 'Whether it is told of pages of the wiki.',
  job_events: 'Whether it is told of jobs.',
  comment_on_event_enabled: 'Whether it comments on issues that are mentioned.',
  vulnerability_events: 'Kept and shown: the server keeps no vulnerabilities.',
  work_item_events: 'Whether it is told of work items, as `issues_events` says.',
  confidential_work_item_events: 'Whether it is told of confidential work items, as `confidential_issues_events` says.',
  subgroup_events: 'Whether it is told of subgroups that are made and removed.',
  project_events: 'Whether it is told of projects that are made and removed.',
  build_events: 'Whether it is told of jobs: an older name of `job_events`.',
};
