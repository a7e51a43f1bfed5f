import type { DefaultedJson, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** How much somebody wants to be mailed of: everywhere (`user`, their own id), in a group, or in a project. */
export interface NotificationSettingsTable {
  user_id: number;
  source_type: 'user' | 'group' | 'project';
  source_id: number;
  /** By `NOTIFICATION_LEVELS`. */
  level: number;
  /** Events that were switched on or off, by their names. */
  events: DefaultedJson<Record<string, boolean>>;
  /** Where mails of a group go instead of their own address; null where nothing else was said. */
  notification_email: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export const notificationSettingsOwnership: Ownership<NotificationSettingsTable> = {
  belongsTo: [{ type: 'source_type', id: 'source_id', goesWith: ['user', 'project', 'group'] }],
};
