import type { Area } from '../area.ts';
import { notificationSettingsRoutes } from './notification-settings/notification-settings.routes.ts';
import { registerNotifications } from './notifications.background.ts';
import { unsubscribeRoutes } from './unsubscribe/unsubscribe.routes.ts';

/** Who wants to be mailed of what, and the mails. */
export const notifications: Area = {
  routes: [...notificationSettingsRoutes, ...unsubscribeRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerNotifications(deps);
  },
};
