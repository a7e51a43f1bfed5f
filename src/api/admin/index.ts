import { registerAuditWork } from '../../audit/audit.background.ts';
import { warnOfUntrusted } from '../../licence/untrusted.ts';
import type { Area } from '../area.ts';
import { appearanceRoutes } from './appearance/appearance.routes.ts';
import { applicationSettingsRoutes } from './application-settings/application-settings.routes.ts';
import { applicationStatisticsRoutes } from './application-statistics/application-statistics.routes.ts';
import { auditEventRoutes } from './audit-events/audit-events.routes.ts';
import { broadcastMessageRoutes } from './broadcast-messages/broadcast-messages.routes.ts';
import { compliancePolicySettingsRoutes } from './compliance-policy-settings/compliance-policy-settings.routes.ts';
import { featureRoutes } from './features/features.routes.ts';
import { registerUserCounts } from './license/license.background.ts';
import { licenseRoutes } from './license/license.routes.ts';
import { planLimitsRoutes } from './plan-limits/plan-limits.routes.ts';
import { storageMoveRoutes } from './storage-moves/storage-moves.routes.ts';
import { versionRoutes } from './version/version.routes.ts';

/** The area of the whole installation. */
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
    registerAuditWork(deps);
    registerUserCounts(deps);
  },
  recover: warnOfUntrusted,
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};

export { bannerFor } from './broadcast-messages/broadcast-messages.queries.ts';
