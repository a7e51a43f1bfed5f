import type { Deps } from '../../../deps.ts';
import { GROUP_FILES } from '../../../import-export/imports/archive.ts';
import { Unfit } from '../../../import-export/imports/take.ts';
import { registerFileImport } from '../file-import.ts';
import { GROUP_FILE_IMPORT } from './jobs.ts';
import { bringTree } from './tree.ts';

/** Names the work that makes groups of archives. */
export function registerGroupImports(deps: Deps): void {
  registerFileImport(deps, GROUP_FILE_IMPORT, async ({ job, entity, caller, signal, unpack }) => {
    if (caller === undefined || entity.namespace_id === null)
      throw new Unfit('who asked for it, or the group, is gone');
    const files = await unpack(job.archive, GROUP_FILES);
    await bringTree({ deps, caller, files, signal }, entity);
  });
}
