import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of broadcast messages and of the settings of security policies. */
export const broadcastWords: Vocabulary['entries'] = {
  'BroadcastMessage.message': ['What is told, as Markdown.', 'We are down for an hour tonight.'],
  'BroadcastMessage.active': ['Whether it is shown now: it has begun, and has not ended.'],
  starts_at: ['From when on it holds.'],
  ends_at: ['Until when it holds.'],
  font: ['Colour of the letters.', '#FFFFFF'],
  target_access_levels: ['Levels of those whom it is for; empty for everybody.', [30, 40]],
  target_path: ['Path that it is for, in which `*` stands for any text; null for all.', '/tools/*'],
  broadcast_type: ['Where it is shown: above the pages, or as a notification beside them.'],
  dismissable: ['Whether those who have read it can close it.'],
  theme: ['Colours of a banner.'],
  csp_namespace_id: ['Id of the top-level group that manages the security policies of the server; null for none.', 12],
};
