import type { Area } from '../area.ts';
import { notificationSettingsRoutes } from './notification-settings/routes.ts';

/** Who wants to be mailed of what. */
export const notifications: Area = {
  routes: notificationSettingsRoutes,
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};
