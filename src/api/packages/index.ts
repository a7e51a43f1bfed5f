import { registerPackageRemoval } from '../../packages/removal.ts';
import type { Area } from '../area.ts';
import { composerRoutes } from './composer/routes.ts';
import { conanRoutes } from './conan/routes.ts';
import { genericRoutes } from './generic/routes.ts';
import { goRoutes } from './go/routes.ts';
import { helmRoutes } from './helm/routes.ts';
import { registerMaven } from './maven/background.ts';
import { mavenRoutes } from './maven/routes.ts';
import { registerNpm } from './npm/check-manifest.ts';
import { npmRoutes } from './npm/routes.ts';
import { nugetRoutes } from './nuget/routes.ts';
import { packageFileRoutes } from './package-files/routes.ts';
import { packagePipelineRoutes } from './packages/pipeline-routes.ts';
import { packageRoutes } from './packages/routes.ts';
import { protectionRuleRoutes } from './protection-rules/routes.ts';
import { pypiRoutes } from './pypi/routes.ts';
import { terraformModuleRoutes } from './terraform-modules/routes.ts';

/** The package registry, and what the tools of each language say to it. */
export const packages: Area = {
  routes: [
    ...composerRoutes,
    ...conanRoutes,
    ...genericRoutes,
    ...goRoutes,
    ...mavenRoutes,
    ...npmRoutes,
    ...nugetRoutes,
    ...packageFileRoutes,
    ...packagePipelineRoutes,
    ...packageRoutes,
    ...protectionRuleRoutes,
    ...pypiRoutes,
    ...terraformModuleRoutes,
    ...helmRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerPackageRemoval(deps);
    registerMaven(deps);
    registerNpm(deps);
  },
};
