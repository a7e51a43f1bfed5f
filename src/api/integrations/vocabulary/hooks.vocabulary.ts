import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by webhooks. */
export const hookWords: Vocabulary['entries'] = {
  branch_filter_strategy: [
    'How `push_events_branch_filter` is applied: as a name with `*` for any text, as an RE2 pattern, or not at all.',
  ],
  custom_webhook_template: [
    'JSON template that replaces the payload: `{{a.b}}` is replaced by a value of the payload, strings without quotes.',
    '{"text": "{{user_name}} pushed"}',
  ],
  enable_ssl_verification: ['Whether to verify the TLS certificate of the receiver.'],
  confidential_issues_events: ['Whether the webhook is triggered by confidential issues.'],
  confidential_note_events: [
    'Whether the webhook is triggered by internal comments and comments on confidential issues.',
  ],
  deployment_events: ['Whether the webhook is triggered by deployments.'],
  emoji_events: ['Whether the webhook is triggered by emoji reactions.'],
  event_name: ['Name of the event.', 'project_create'],
  feature_flag_events: ['Whether the webhook is triggered by feature flags being switched on or off.'],
  issues_events: ['Whether the webhook is triggered by issues.'],
  job_events: ['Whether the webhook is triggered by jobs.'],
  member_events: ['Whether the webhook is triggered by members of the group and its subgroups.'],
  merge_requests_events: ['Whether the webhook is triggered by merge requests.'],
  milestone_events: ['Whether the webhook is triggered by milestones.'],
  note_events: ['Whether the webhook is triggered by comments.'],
  owner_email: ['Email address of the owner.', 'ann@example.org'],
  owner_name: ['Name of the owner.', 'Ann'],
  pipeline_events: ['Whether the webhook is triggered by pipelines.'],
  project_events: ['Whether the webhook is triggered by projects being created or removed in the group.'],
  push_events: ['Whether the webhook is triggered by pushes to branches.'],
  push_events_branch_filter: ['Branches whose pushes trigger the webhook; all branches when empty.', 'release-*'],
  releases_events: ['Whether the webhook is triggered by releases.'],
  repository_update_events: ['Whether the webhook is triggered once per push, with all changed refs.'],
  resource_access_token_events: ['Whether the webhook is triggered by access tokens that are about to expire.'],
  resource_deploy_token_events: ['Whether the webhook is triggered by deploy tokens that are about to expire.'],
  subgroup_events: ['Whether the webhook is triggered by subgroups being created or removed.'],
  tag_push_events: ['Whether the webhook is triggered by tags being created or deleted.'],
  vulnerability_events: ['Stored, but has no effect: the server has no vulnerabilities.'],
  wiki_page_events: ['Whether the webhook is triggered by wiki pages.'],
};
