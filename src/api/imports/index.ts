import { registerImportExport } from '../../import-export/import-export.background.ts';
import type { Area } from '../area.ts';
import { bulkImportRoutes } from './bulk-imports/bulk-imports.routes.ts';
import { registerBulkImports } from './bulk-imports/bulk-imports.run.ts';
import { groupExportRoutes } from './group-exports/group-exports.routes.ts';
import { groupImportRoutes } from './group-imports/group-imports.routes.ts';
import { registerGroupImports } from './group-imports/group-imports.run.ts';
import { placeholderReassignmentRoutes } from './placeholder-reassignments/placeholder-reassignments.routes.ts';
import { registerReassignmentCsv } from './placeholder-reassignments/process-csv.ts';
import { registerReassignments } from './placeholder-reassignments/reassign.ts';
import { projectExportRoutes } from './project-exports/project-exports.routes.ts';
import { projectImportRoutes } from './project-imports/project-imports.routes.ts';
import { registerFileImports } from './project-imports/project-imports.run.ts';
import { relationExportRoutes } from './relation-exports/relation-exports.routes.ts';

/** Exports and imports of groups and projects. */
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
    registerReassignmentCsv(deps);
  },
};
