import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of notifications. */
export const notificationWords: Vocabulary['entries'] = {
  notification_email: ['Where mails go: one of the user’s own addresses that are confirmed.', 'ada@example.com'],
  level: [
    'How much to be mailed of: nothing, what one takes part in, all, as everywhere else, where one is mentioned, or single events.',
    'participating',
  ],
};
