import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';
import { flagOf } from '../hooks/hooks.flags.ts';
import { HOOK_EVENTS } from '../payloads/hook-events.table.ts';

const flags = Object.entries(HOOK_EVENTS).flatMap(([trigger, { description }]) =>
  description === undefined ? [] : [[flagOf(trigger), [description]] as const],
);

/** Names used by webhooks. */
export const hookWords: Vocabulary['entries'] = {
  ...Object.fromEntries(flags),
  branch_filter_strategy: [
    'How `push_events_branch_filter` is applied: as a name with `*` for any text, as an RE2 pattern, or not at all.',
  ],
  custom_webhook_template: [
    'JSON template that replaces the payload: `{{a.b}}` is replaced by a value of the payload, strings without quotes.',
    '{"text": "{{user_name}} pushed"}',
  ],
  enable_ssl_verification: ['Whether to verify the TLS certificate of the receiver.'],
  event_name: ['Name of the event.', 'project_create'],
  owner_email: ['Email address of the owner.', 'ann@example.org'],
  owner_name: ['Name of the owner.', 'Ann'],
  push_events_branch_filter: ['Branches whose pushes trigger the webhook; all branches when empty.', 'release-*'],
};
