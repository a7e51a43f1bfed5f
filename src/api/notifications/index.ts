import type { Area } from '../area.ts';
import { registerNotifications } from './background.ts';
import { notificationSettingsRoutes } from './notification-settings/routes.ts';
import { unsubscribeRoutes } from './unsubscribe/routes.ts';

/** Who wants to be mailed of what, and the mails. */
export const notifications: Area = {
  routes: [...notificationSettingsRoutes, ...unsubscribeRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerNotifications(deps);
  },
};
