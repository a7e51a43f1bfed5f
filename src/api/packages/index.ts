import { registerPackageRemoval } from '../../packages/package-registry.removal.ts';
import type { Area } from '../area.ts';
import { composerRoutes } from './composer/composer.routes.ts';
import { conanRoutes } from './conan/conan.routes.ts';
import { genericRoutes } from './generic/generic.routes.ts';
import { goRoutes } from './go/go.routes.ts';
import { helmRoutes } from './helm/helm.routes.ts';
import { registerMaven } from './maven/maven.background.ts';
import { mavenRoutes } from './maven/maven.routes.ts';
import { registerNpm } from './npm/check-manifest.ts';
import { npmRoutes } from './npm/npm.routes.ts';
import { nugetRoutes } from './nuget/nuget.routes.ts';
import { packageFileRoutes } from './package-files/package-files.routes.ts';
import { packagePipelineRoutes } from './packages/packages.pipeline-routes.ts';
import { packageRoutes } from './packages/packages.routes.ts';
import { protectionRuleRoutes } from './protection-rules/protection-rules.routes.ts';
import { pypiRoutes } from './pypi/pypi.routes.ts';
import { terraformModuleRoutes } from './terraform-modules/terraform-modules.routes.ts';

/** The package registry, and the protocols of package managers. */
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
