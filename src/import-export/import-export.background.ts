import type { Deps } from '../deps.ts';
import { registerArchives } from './exports/export.archives.ts';
import { registerExportRemoval } from './exports/export.removal.ts';
import { registerExports } from './exports/export.run.ts';

/** Registers the background work of exports and imports. */
export function registerImportExport(deps: Deps): void {
  registerExports(deps);
  registerArchives(deps);
  registerExportRemoval(deps);
}
