import type { UserCaller } from '../../access/caller.ts';
import { laterCaller } from '../../access/later-caller.ts';
import { faultOf } from '../../core/surroundings.ts';
import type { Db } from '../../db/schema.ts';
import type { BulkImportEntity } from '../../db/tables/bulk-import-entities.ts';
import { IMPORT_STATUS } from '../../db/tables/bulk-imports.ts';
import type { Deps } from '../../deps.ts';
import { takeApart } from '../../import-export/imports/archive.ts';
import { UnfitFile } from '../../import-export/imports/lines.ts';
import { Unfit } from '../../import-export/imports/take.ts';
import { recordFailure, Stopped } from '../../import-export/imports/trackers.ts';
import type { JobKind } from '../../jobs/kinds.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { type EnteredEntity, enterEntity, enterImport } from './bulk-imports/enter.ts';
import { endEntity, startEntity } from './bulk-imports/status.ts';
import { requireFormat } from './format.ts';

/** Enters that an archive is brought into a group or project. @returns the number of the entity that stands for it */
export async function enterFileImport(
  deps: Deps,
  db: Db,
  userId: number,
  into: Omit<EnteredEntity, 'bulk_import_id' | 'parent_id' | 'source_full_path' | 'migrate_projects'>,
): Promise<number> {
  const { id } = await enterImport(deps, db, { user_id: userId, source_url: '', token: null });
  const entity = { ...into, bulk_import_id: id, parent_id: null, source_full_path: '', migrate_projects: 0 } as const;
  return (await enterEntity(deps, db, entity))!;
}

/** What jobs carry that bring an archive into a group or project. */
interface FileJob {
  entity_id: number;
  /** What was stored when the import was asked for; null where it has yet to be fetched. */
  archive: StoredBlob | null;
}

/** One run of such a job. */
export interface FileRun<Job extends FileJob> {
  job: Job;
  entity: BulkImportEntity;
  /** Who asked for the import; undefined when they are gone or blocked. */
  caller: UserCaller | undefined;
  signal: AbortSignal;
  /**
   * Takes an archive apart. It and its files are given away when the import has ended.
   * @throws Unfit, UnfitFile for one that cannot be brought at all
   */
  unpack(archive: StoredBlob, known: readonly RegExp[]): Promise<ReadonlyMap<string, StoredBlob>>;
}

/**
 * Names the work that brings archives into groups or projects.
 * @param bring throws Unfit, UnfitFile for what cannot be brought at all, and Stopped
 * @param fail tells elsewhere than in the import why nothing came of it
 */
export function registerFileImport<Job extends FileJob>(
  deps: Deps,
  kind: JobKind<Job>,
  bring: (run: FileRun<Job>) => Promise<void>,
  fail: (entity: BulkImportEntity, message: string) => Promise<unknown> = async () => {},
): void {
  deps.jobs.register(kind, async (job, { signal, attempts }) => {
    const { entity_id } = job;
    const stored = job.archive === null ? [] : [job.archive];
    const unpack: FileRun<Job>['unpack'] = async (archive, known) => {
      stored.push(archive);
      const files = await takeApart(deps, archive, known);
      stored.push(...files.values());
      await requireFormat(deps, files);
      return files;
    };
    const found = await startEntity(deps, entity_id);
    if (found !== null) {
      const { entity } = found;
      try {
        await bring({ job, entity, caller: await laterCaller(deps, found.import.user_id), signal, unpack });
        await endEntity(deps, entity_id, IMPORT_STATUS.finished);
      } catch (error) {
        if (!(error instanceof Stopped)) {
          const lasting = error instanceof Unfit || error instanceof UnfitFile;
          const comesAgain = signal.aborted || faultOf(error) !== null || attempts < kind.maxAttempts;
          if (!lasting && comesAgain) throw error;
          deps.log.log('warn', 'an archive could not be imported', { entity: entity_id, error: String(error) });
          const message = lasting ? error.message : 'The archive could not be imported.';
          const failure = { relation: entity.entity_type, kind: 'ImportFailed', message };
          await recordFailure(deps, deps.db, entity_id, failure);
          await fail(entity, message);
          await endEntity(deps, entity_id, IMPORT_STATUS.failed);
        }
      }
    }
    await enqueueBlobRemoval(deps, deps.db, [...new Set(stored.map(({ sha256 }) => sha256))]);
  });
}
