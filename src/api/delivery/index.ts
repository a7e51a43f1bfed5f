import { removeReleasesWithTags } from '../../repositories/tag-releases.ts';
import type { Area } from '../area.ts';
import { featureFlagUserListRoutes } from './feature-flag-user-lists/routes.ts';
import { featureFlagRoutes } from './feature-flags/routes.ts';
import { featureFlagsClientRoutes } from './feature-flags-client/routes.ts';
import { groupReleaseRoutes } from './group-releases/routes.ts';
import { releaseLinkRoutes } from './release-links/routes.ts';
import { registerReleases } from './releases/background.ts';
import { releasePageRoutes } from './releases/page-routes.ts';
import { permalinkRoutes } from './releases/permalink-routes.ts';
import { releaseRoutes } from './releases/routes.ts';
import { registerTerraformStateRemoval } from './terraform-states/removal.ts';
import { terraformStateRoutes } from './terraform-states/routes.ts';
import { unleashRoutes } from './unleash/routes.ts';

export { releaseUrl, sourcesOf } from './releases/addresses.ts';

/** What reaches users: releases, feature flags with the API of their clients, and what Terraform knows of what it made. */
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
    removeReleasesWithTags(deps);
  },
};
