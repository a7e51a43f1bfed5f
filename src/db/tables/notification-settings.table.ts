import type { DefaultedJson, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Notification level of a user: everywhere (`user`, their own id), in a group, or in a project. */
export interface NotificationSettingsTable {
  user_id: number;
  source_type: 'user' | 'group' | 'project';
  source_id: number;
  /** One of `NOTIFICATION_LEVELS`. */
  level: number;
  /** Events that were enabled or disabled, by name. */
  events: DefaultedJson<Record<string, boolean>>;
  /** Email address for notifications of a group; null for the default. */
  notification_email: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export const notificationSettingsOwnership: Ownership<NotificationSettingsTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['user', 'project', 'group'] }],
};
