import { warnOfUntrusted } from '../../licence/untrusted.ts';
import type { Area } from '../area.ts';
import { appearanceRoutes } from './appearance/routes.ts';
import { applicationSettingsRoutes } from './application-settings/routes.ts';
import { applicationStatisticsRoutes } from './application-statistics/routes.ts';
import { registerForgetting } from './audit-events/background.ts';
import { auditEventRoutes } from './audit-events/routes.ts';
import { broadcastMessageRoutes } from './broadcast-messages/routes.ts';
import { compliancePolicySettingsRoutes } from './compliance-policy-settings/routes.ts';
import { featureRoutes } from './features/routes.ts';
import { registerUserCounts } from './license/background.ts';
import { licenseRoutes } from './license/routes.ts';
import { planLimitsRoutes } from './plan-limits/routes.ts';
import { storageMoveRoutes } from './storage-moves/routes.ts';
import { versionRoutes } from './version/routes.ts';

/** What is about the whole installation. */
export const admin: Area = {
  routes: [
    ...appearanceRoutes,
    ...applicationSettingsRoutes,
    ...applicationStatisticsRoutes,
    ...auditEventRoutes,
    ...broadcastMessageRoutes,
    ...compliancePolicySettingsRoutes,
    ...featureRoutes,
    ...licenseRoutes,
    ...storageMoveRoutes,
    ...planLimitsRoutes,
    ...versionRoutes,
  ],
  register(deps) {
    registerForgetting(deps);
    registerUserCounts(deps);
  },
  recover: warnOfUntrusted,
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};

export { bannerFor } from './broadcast-messages/queries.ts';
