import type { Deps } from '../../../deps.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { GROUP_FILES } from '../../../import-export/imports/import.archive.ts';
import { registerFileImport } from '../file-import.ts';
import { GROUP_FILE_IMPORT } from './group-imports.jobs.ts';
import { importGroupTree } from './group-imports.tree.ts';

/** Registers the job that imports groups from archives. */
export function registerGroupImports(deps: Deps): void {
  registerFileImport(deps, GROUP_FILE_IMPORT, async ({ job, entity, caller, signal, unpack }) => {
    if (caller === undefined || entity.namespace_id === null)
      throw new InvalidImportObject('the user who started the import, or the group, was deleted');
    const files = await unpack(job.archive, GROUP_FILES);
    await importGroupTree({ deps, caller, files, signal }, entity);
  });
}
