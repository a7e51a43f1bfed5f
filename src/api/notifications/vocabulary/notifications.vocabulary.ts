import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of notifications. */
export const notificationWords: Vocabulary['entries'] = {
  notification_email: ["Address for mails: one of the user's confirmed e-mail addresses.", 'ada@example.com'],
  level: [
    'Notification level: none, participation, all activity, the global setting, mentions only, or single events.',
    'participating',
  ],
};
