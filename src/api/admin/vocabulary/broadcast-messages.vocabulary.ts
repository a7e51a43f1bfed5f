import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of broadcast messages and of the settings of security policies. */
export const broadcastWords: Vocabulary['entries'] = {
  'BroadcastMessage.message': ['Text of the message, Markdown.', 'We are down for an hour tonight.'],
  'BroadcastMessage.active': ['Whether the message is shown now.'],
  starts_at: ['Start time.'],
  ends_at: ['End time.'],
  font: ['Text colour.', '#FFFFFF'],
  target_access_levels: ['Access levels of the users who see it; empty for everybody.', [30, 40]],
  target_path: ['Path of the pages that show it, with `*` as wildcard; null for all pages.', '/tools/*'],
  broadcast_type: ['Whether it is shown as a banner or as a notification.'],
  dismissable: ['Whether users can dismiss it.'],
  theme: ['Colour theme of a banner.'],
  csp_namespace_id: ['Id of the top-level group that manages the security policies of the server; null for none.', 12],
};
