import { registerPackageRemoval } from '../../packages/removal.ts';
import type { Area } from '../area.ts';
import { genericRoutes } from './generic/routes.ts';
import { registerMaven } from './maven/background.ts';
import { mavenRoutes } from './maven/routes.ts';
import { npmRoutes } from './npm/routes.ts';

/** The package registry, and what the tools of each language say to it. */
export const packages: Area = {
  routes: [...genericRoutes, ...mavenRoutes, ...npmRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerPackageRemoval(deps);
    registerMaven(deps);
  },
};
