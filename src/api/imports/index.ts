import { registerImportExport } from '../../import-export/background.ts';
import type { Area } from '../area.ts';
import { relationExportRoutes } from './relation-exports/routes.ts';

/** What groups and projects are taken elsewhere with, and come from elsewhere with. */
export const imports: Area = {
  routes: [...relationExportRoutes],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerImportExport(deps);
  },
};
