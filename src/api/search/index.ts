import type { Area } from '../area.ts';
import { searchRoutes } from './search.routes.ts';

/** Search in everything, in groups and in projects. */
export const search: Area = {
  routes: searchRoutes,
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};
