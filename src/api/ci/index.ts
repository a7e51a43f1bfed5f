import type { Area } from '../area.ts';
import { jobTokenScopeRoutes } from './job-token-scope/routes.ts';
import { pipelineJobRoutes } from './jobs/pipeline-routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { pipelineRoutes } from './pipelines/routes.ts';

/** Pipelines, their jobs, and the runners that do them. */
export const ci: Area = {
  routes: [...jobTokenScopeRoutes, ...jobRoutes, ...pipelineJobRoutes, ...pipelineRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register() {},
};
