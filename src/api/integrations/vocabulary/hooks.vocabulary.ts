import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of webhooks. */
export const hookWords: Vocabulary['entries'] = {
  branch_filter_strategy: [
    'How `push_events_branch_filter` is read: as a name with `*` for any text, as an RE2 expression, or not at all.',
  ],
  custom_webhook_template: [
    'JSON that is sent in the place of the payload: `{{a.b}}` stands for a value of it, a text without its quotes.',
    '{"text": "{{user_name}} pushed"}',
  ],
  enable_ssl_verification: ["Whether the certificate of the receiver's server is checked."],
  confidential_issues_events: ['Whether it is told of confidential issues.'],
  confidential_note_events: ['Whether it is told of internal comments, and those on confidential issues.'],
  deployment_events: ['Whether it is told of deployments.'],
  emoji_events: ['Whether it is told of emoji reactions.'],
  event_name: ['What happened.', 'project_create'],
  feature_flag_events: ['Whether it is told of feature flags that are switched.'],
  issues_events: ['Whether it is told of issues.'],
  job_events: ['Whether it is told of jobs.'],
  member_events: ['Whether it is told of members of the group and of those below it.'],
  merge_requests_events: ['Whether it is told of merge requests.'],
  milestone_events: ['Whether it is told of milestones.'],
  note_events: ['Whether it is told of comments.'],
  owner_email: ['E-mail address of the owner.', 'ann@example.org'],
  owner_name: ['Name of the owner.', 'Ann'],
  pipeline_events: ['Whether it is told of pipelines.'],
  project_events: ['Whether it is told of projects that are made and removed below the group.'],
  push_events: ['Whether it is told of pushes to branches.'],
  push_events_branch_filter: ['Branches whose pushes it is told of; all where it is empty.', 'release-*'],
  releases_events: ['Whether it is told of releases.'],
  repository_update_events: ['Whether it is told of each push once, with all refs that it moved.'],
  resource_access_token_events: ['Whether it is told of access tokens that are about to expire.'],
  resource_deploy_token_events: ['Whether it is told of deploy tokens that are about to expire.'],
  subgroup_events: ['Whether it is told of subgroups that are made and removed.'],
  tag_push_events: ['Whether it is told of tags that are made and deleted.'],
  vulnerability_events: ['Kept and shown: the server keeps no vulnerabilities.'],
  wiki_page_events: ['Whether it is told of pages of the wiki.'],
};
