import { registerImportExport } from '../../import-export/background.ts';
import type { Area } from '../area.ts';
import { bulkImportRoutes } from './bulk-imports/routes.ts';
import { registerBulkImports } from './bulk-imports/run.ts';
import { groupExportRoutes } from './group-exports/routes.ts';
import { groupImportRoutes } from './group-imports/routes.ts';
import { registerGroupImports } from './group-imports/run.ts';
import { registerSheets } from './placeholder-reassignments/process-sheet.ts';
import { registerReassignments } from './placeholder-reassignments/reassign.ts';
import { placeholderReassignmentRoutes } from './placeholder-reassignments/routes.ts';
import { projectExportRoutes } from './project-exports/routes.ts';
import { projectImportRoutes } from './project-imports/routes.ts';
import { registerFileImports } from './project-imports/run.ts';
import { relationExportRoutes } from './relation-exports/routes.ts';

/** What groups and projects are taken elsewhere with, and come from elsewhere with. */
export const imports: Area = {
  routes: [
    ...bulkImportRoutes,
    ...groupExportRoutes,
    ...groupImportRoutes,
    ...placeholderReassignmentRoutes,
    ...projectExportRoutes,
    ...projectImportRoutes,
    ...relationExportRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerImportExport(deps);
    registerBulkImports(deps);
    registerFileImports(deps);
    registerGroupImports(deps);
    registerReassignments(deps);
    registerSheets(deps);
  },
};
