import type { Area } from '../area.ts';
import { jobTokenScopeRoutes } from './job-token-scope/routes.ts';

/** Pipelines, their jobs, and the runners that do them. */
export const ci: Area = {
  routes: [...jobTokenScopeRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register() {},
};
