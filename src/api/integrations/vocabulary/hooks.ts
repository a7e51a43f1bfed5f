import type { Vocabulary } from '../../../http/openapi/words.ts';

/** Words of webhooks. */
export const hookWords: Vocabulary['words'] = {
  branch_filter_strategy: [
    'How `push_events_branch_filter` is read: as a name with `*` for any text, as an RE2 expression, or not at all.',
  ],
  custom_webhook_template: [
    'JSON that is sent in the place of the payload: `{{a.b}}` stands for a value of it, a text without its quotes.',
    '{"text": "{{user_name}} pushed"}',
  ],
  enable_ssl_verification: ["Whether the certificate of the receiver's server is checked."],
  merge_requests_events: ['Whether it is told of merge requests.'],
  push_events: ['Whether it is told of pushes to branches.'],
  push_events_branch_filter: ['Branches whose pushes it is told of; all where it is empty.', 'release-*'],
  repository_update_events: ['Whether it is told of each push once, with all refs that it moved.'],
  tag_push_events: ['Whether it is told of tags that are made and deleted.'],
};
