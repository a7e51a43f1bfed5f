import { laterCaller } from '../../../access/later-caller.ts';
import { faultOf } from '../../../core/surroundings.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.ts';
import type { Deps } from '../../../deps.ts';
import { takeApart } from '../../../import-export/imports/archive.ts';
import { UnfitFile } from '../../../import-export/imports/lines.ts';
import { Unfit } from '../../../import-export/imports/take.ts';
import { recordFailure, Stopped } from '../../../import-export/imports/trackers.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { refreshOpened } from '../bulk-imports/repository.ts';
import { endEntity, startEntity } from '../bulk-imports/status.ts';
import { FILE_IMPORT } from './jobs.ts';
import {
  applyAttributes,
  checkVersion,
  readFiles,
  readLfsObjects,
  readUploads,
  type Taking,
  takeBundle,
} from './take-over.ts';

async function bring(deps: Deps, taking: Omit<Taking, 'deps' | 'files'>, archive: StoredBlob): Promise<void> {
  const files = await takeApart(deps, archive);
  const all: Taking = { ...taking, deps, files };
  await checkVersion(all);
  const attributes = await applyAttributes(all);
  await takeBundle(all, attributes);
  await readUploads(all);
  await readLfsObjects(all);
  await readFiles(all);
  await refreshOpened(deps, taking.project);
  await enqueueBlobRemoval(deps, deps.db, [
    ...new Set([archive.sha256, ...[...files.values()].map(({ sha256 }) => sha256)]),
  ]);
}

/** Names the work that makes projects of archives. */
export function registerFileImports(deps: Deps): void {
  deps.jobs.register(FILE_IMPORT, async ({ entity_id, archive }, { signal, attempts }) => {
    const found = await startEntity(deps, entity_id);
    if (found === null) return;
    const project = await deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', found.entity.project_id ?? 0)
      .executeTakeFirst();
    const caller = await laterCaller(deps, found.import.user_id);
    try {
      if (project === undefined || caller === undefined) throw new Unfit('who asked for it, or the project, is gone');
      await bring(deps, { entity: found.entity, project, caller, signal }, archive);
      await endEntity(deps, entity_id, IMPORT_STATUS.finished);
    } catch (error) {
      if (error instanceof Stopped) return;
      const lasting = error instanceof Unfit || error instanceof UnfitFile;
      if (signal.aborted || faultOf(error) !== null || (!lasting && attempts < FILE_IMPORT.maxAttempts)) throw error;
      deps.log.log('warn', 'an archive could not be imported', { entity: entity_id, error: String(error) });
      const message = lasting ? error.message : 'The archive could not be imported.';
      await recordFailure(deps, deps.db, entity_id, { relation: 'project', kind: 'ImportFailed', message });
      await deps.db
        .updateTable('projects')
        .set({ import_status: 'failed', import_error: message, repository_read_only: 0 })
        .where('id', '=', found.entity.project_id)
        .execute();
      await enqueueBlobRemoval(deps, deps.db, [archive.sha256]);
      await endEntity(deps, entity_id, IMPORT_STATUS.failed);
    }
  });
}
