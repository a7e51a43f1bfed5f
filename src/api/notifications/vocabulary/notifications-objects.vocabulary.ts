import type { TSchema } from 'typebox';
import {
  GlobalNotificationSetting,
  NotificationEvents,
  NotificationSetting,
} from '../notification-settings/notification-settings.responses.ts';

/** What the objects of this area are called. */
export const objects: Readonly<Record<string, TSchema>> = {
  GlobalNotificationSetting,
  NotificationEvents,
  NotificationSetting,
};
