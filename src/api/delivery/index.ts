import type { Area } from '../area.ts';

/** What reaches users: releases, and feature flags with the API of their clients. */
export const delivery: Area = {
  routes: [],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
};
