import type { Area } from '../area.ts';
import { featureFlagUserListRoutes } from './feature-flag-user-lists/feature-flag-user-lists.routes.ts';
import { featureFlagRoutes } from './feature-flags/feature-flags.routes.ts';
import { featureFlagsClientRoutes } from './feature-flags-client/feature-flags-client.routes.ts';
import { groupReleaseRoutes } from './group-releases/group-releases.routes.ts';
import { releaseLinkRoutes } from './release-links/release-links.routes.ts';
import { registerReleases } from './releases/releases.background.ts';
import { releasePageRoutes } from './releases/releases.page-routes.ts';
import { permalinkRoutes } from './releases/releases.permalink-routes.ts';
import { releaseRoutes } from './releases/releases.routes.ts';
import { registerTerraformStateRemoval } from './terraform-states/terraform-states.removal.ts';
import { terraformStateRoutes } from './terraform-states/terraform-states.routes.ts';
import { unleashRoutes } from './unleash/unleash.routes.ts';

export { releaseUrl, sourcesOf } from './releases/releases.addresses.ts';

/** Releases, feature flags with the API of their clients, and Terraform states. */
export const delivery: Area = {
  routes: [
    ...releaseRoutes,
    ...permalinkRoutes,
    ...releasePageRoutes,
    ...releaseLinkRoutes,
    ...groupReleaseRoutes,
    ...featureFlagRoutes,
    ...featureFlagUserListRoutes,
    ...featureFlagsClientRoutes,
    ...terraformStateRoutes,
    ...unleashRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerReleases(deps);
    registerTerraformStateRemoval(deps);
  },
};
