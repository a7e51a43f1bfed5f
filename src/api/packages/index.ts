import { registerPackageRemoval } from '../../packages/package-registry.removal.ts';
import type { Area } from '../area.ts';
import { packageFileRoutes } from './package-files/package-files.routes.ts';
import { packageKinds } from './package-kinds.ts';
import { packagePipelineRoutes } from './packages/packages.pipeline-routes.ts';
import { packageRoutes } from './packages/packages.routes.ts';
import { protectionRuleRoutes } from './protection-rules/protection-rules.routes.ts';

export { packageKinds };

const kinds = [...packageKinds.values()];
/** The OpenAPI document lists the routes of the registry itself before those of this kind. */
const afterOwn = kinds.findIndex(({ type }) => type > 'package');
const routesOf = (some: typeof kinds) => some.flatMap(({ routes }) => routes);

/** The package registry, and the protocols of package managers. */
export const packages: Area = {
  routes: [
    ...routesOf(kinds.slice(0, afterOwn)),
    ...packageFileRoutes,
    ...packagePipelineRoutes,
    ...packageRoutes,
    ...protectionRuleRoutes,
    ...routesOf(kinds.slice(afterOwn)),
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerPackageRemoval(deps);
    for (const kind of kinds) kind.register?.(deps);
  },
};

/** Plan limits of file sizes. */
export const fileSizeLimits = kinds.flatMap(({ limit }) => limit ?? []);
