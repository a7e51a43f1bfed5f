import type { TSchema } from 'typebox';
import {
  GlobalNotificationSetting,
  NotificationEvents,
  NotificationSetting,
} from '../notification-settings/notification-settings.responses.ts';

/** Schema names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  GlobalNotificationSetting,
  NotificationEvents,
  NotificationSetting,
};
