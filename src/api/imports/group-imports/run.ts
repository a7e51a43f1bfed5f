import { laterCaller } from '../../../access/later-caller.ts';
import { faultOf } from '../../../core/surroundings.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.ts';
import type { Deps } from '../../../deps.ts';
import { GROUP_FILES, takeApart } from '../../../import-export/imports/archive.ts';
import { UnfitFile } from '../../../import-export/imports/lines.ts';
import { Unfit } from '../../../import-export/imports/take.ts';
import { recordFailure, Stopped } from '../../../import-export/imports/trackers.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { endEntity, startEntity } from '../bulk-imports/status.ts';
import { requireFormat } from '../format.ts';
import { GROUP_FILE_IMPORT } from './jobs.ts';
import { bringTree } from './tree.ts';

/** Names the work that makes groups of archives. */
export function registerGroupImports(deps: Deps): void {
  deps.jobs.register(GROUP_FILE_IMPORT, async ({ entity_id, archive }, { signal, attempts }) => {
    const stored = [archive];
    const found = await startEntity(deps, entity_id);
    if (found !== null) {
      try {
        const caller = await laterCaller(deps, found.import.user_id);
        if (caller === undefined || found.entity.namespace_id === null) {
          throw new Unfit('who asked for it, or the group, is gone');
        }
        const files: ReadonlyMap<string, StoredBlob> = await takeApart(deps, archive, GROUP_FILES);
        stored.push(...files.values());
        await requireFormat(deps, files);
        await bringTree({ deps, caller, files, signal }, found.entity);
        await endEntity(deps, entity_id, IMPORT_STATUS.finished);
      } catch (error) {
        const stopped = error instanceof Stopped;
        const lasting = error instanceof Unfit || error instanceof UnfitFile;
        const comesAgain = signal.aborted || faultOf(error) !== null || attempts < GROUP_FILE_IMPORT.maxAttempts;
        if (!stopped && !lasting && comesAgain) throw error;
        if (!stopped) {
          deps.log.log('warn', 'an archive could not be imported', { entity: entity_id, error: String(error) });
          const message = lasting ? error.message : 'The archive could not be imported.';
          await recordFailure(deps, deps.db, entity_id, { relation: 'group', kind: 'ImportFailed', message });
          await endEntity(deps, entity_id, IMPORT_STATUS.failed);
        }
      }
    }
    await enqueueBlobRemoval(deps, deps.db, [...new Set(stored.map(({ sha256 }) => sha256))]);
  });
}
