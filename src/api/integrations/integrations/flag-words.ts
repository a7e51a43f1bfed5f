import type { Flag } from '../../../integrations/catalogue/catalogue.flags.ts';

/** Descriptions of the flags of integrations. */
export const FLAG_WORDS: Readonly<Record<Flag, string>> = {
  commit_events: 'Whether to comment on issues that are mentioned in commits.',
  push_events: 'Whether the integration is triggered by pushes to branches.',
  issues_events: 'Whether the integration is triggered by issues.',
  incident_events: 'Whether the integration is triggered by incidents.',
  alert_events: 'Stored, but has no effect: the server has no alerts.',
  confidential_issues_events: 'Whether the integration is triggered by confidential issues.',
  merge_requests_events: 'Whether the integration is triggered by merge requests.',
  tag_push_events: 'Whether the integration is triggered by tags being created or deleted.',
  deployment_events: 'Whether the integration is triggered by deployments.',
  note_events: 'Whether the integration is triggered by comments.',
  confidential_note_events:
    'Whether the integration is triggered by internal comments and comments on confidential issues.',
  pipeline_events: 'Whether the integration is triggered by pipelines.',
  wiki_page_events: 'Whether the integration is triggered by wiki pages.',
  job_events: 'Whether the integration is triggered by jobs.',
  comment_on_event_enabled: 'Whether to comment on mentioned issues.',
  vulnerability_events: 'Stored, but has no effect: the server has no vulnerabilities.',
  work_item_events: 'Whether the integration is triggered by work items; same as `issues_events`.',
  confidential_work_item_events:
    'Whether the integration is triggered by confidential work items; same as `confidential_issues_events`.',
  subgroup_events: 'Whether the integration is triggered by subgroups being created or removed.',
  project_events: 'Whether the integration is triggered by projects being created or removed.',
  build_events: 'Deprecated: use `job_events`.',
};
