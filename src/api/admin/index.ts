import type { Area } from '../area.ts';
import { appearanceRoutes } from './appearance/routes.ts';
import { applicationStatisticsRoutes } from './application-statistics/routes.ts';
import { versionRoutes } from './version/routes.ts';

/** What is about the whole installation. */
export const admin: Area = {
  routes: [...appearanceRoutes, ...applicationStatisticsRoutes, ...versionRoutes],
};
