import type { Area } from '../area.ts';
import { notificationSettingsRoutes } from './notification-settings/notification-settings.routes.ts';
import { registerNotifications } from './notifications.background.ts';
import { unsubscribeRoutes } from './unsubscribe/unsubscribe.routes.ts';

/** Notification settings and mails. */
export const notifications: Area = {
  routes: [...notificationSettingsRoutes, ...unsubscribeRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerNotifications(deps);
  },
};
