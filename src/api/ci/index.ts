import type { Area } from '../area.ts';

/** Pipelines, their jobs, and the runners that do them. */
export const ci: Area = {
  routes: [],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register() {},
};
