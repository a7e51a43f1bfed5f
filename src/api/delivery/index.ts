import type { Area } from '../area.ts';
import { featureFlagUserListRoutes } from './feature-flag-user-lists/routes.ts';
import { featureFlagRoutes } from './feature-flags/routes.ts';
import { featureFlagsClientRoutes } from './feature-flags-client/routes.ts';
import { unleashRoutes } from './unleash/routes.ts';

/** What reaches users: releases, and feature flags with the API of their clients. */
export const delivery: Area = {
  routes: [...featureFlagRoutes, ...featureFlagUserListRoutes, ...featureFlagsClientRoutes, ...unleashRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};
