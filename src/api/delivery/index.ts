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
import { unleashRoutes } from './unleash/routes.ts';

/** What reaches users: releases, and feature flags with the API of their clients. */
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
    ...unleashRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerReleases(deps);
    removeReleasesWithTags(deps);
  },
};
