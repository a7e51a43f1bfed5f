import type { UserCaller } from '../../access/caller.ts';
import { jobCaller } from '../../access/job-caller.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import type { Db } from '../../db/db.schema.ts';
import type { BulkImportEntity } from '../../db/tables/bulk-import-entities.table.ts';
import { IMPORT_STATUS } from '../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../deps.ts';
import { InvalidImportObject } from '../../import-export/imports/coerce-import.ts';
import { unpackArchive } from '../../import-export/imports/import.archive.ts';
import { InvalidImportFile } from '../../import-export/imports/import.lines.ts';
import { ImportStopped, recordFailure } from '../../import-export/imports/trackers.ts';
import type { JobKind } from '../../jobs/jobs.kinds.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { insertImport, insertImportEntity, type NewImportEntity } from './bulk-imports/bulk-imports.insert.ts';
import { endEntity, startEntity } from './bulk-imports/bulk-imports.status.ts';
import { requireFormat } from './format.ts';

/** Inserts the import of an archive into a group or project. @returns the id of its entity */
export async function insertFileImport(
  deps: Deps,
  db: Db,
  userId: number,
  into: Omit<NewImportEntity, 'bulk_import_id' | 'parent_id' | 'source_full_path' | 'migrate_projects'>,
): Promise<number> {
  const { id } = await insertImport(deps, db, { user_id: userId, source_url: '', token: null });
  const entity = { ...into, bulk_import_id: id, parent_id: null, source_full_path: '', migrate_projects: 0 } as const;
  return (await insertImportEntity(deps, db, entity))!;
}

/** Payload of jobs that import an archive into a group or project. */
interface FileJob {
  entity_id: number;
  /** Stored archive; null if it must still be downloaded. */
  archive: StoredBlob | null;
}

/** A run of such a job. */
export interface FileRun<Job extends FileJob> {
  job: Job;
  entity: BulkImportEntity;
  /** User who started the import; undefined if deleted or blocked. */
  caller: UserCaller | undefined;
  signal: AbortSignal;
  /**
   * Unpacks an archive. The archive and its files are released when the import ends.
   * @throws InvalidImportObject, InvalidImportFile for an invalid archive
   */
  unpack(archive: StoredBlob, known: readonly RegExp[]): Promise<ReadonlyMap<string, StoredBlob>>;
}

/**
 * Registers a job that imports archives into groups or projects.
 * @param bring throws InvalidImportObject or InvalidImportFile for permanent failures, and ImportStopped
 * @param fail stores the reason of a failure in addition to the import
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
      const files = await unpackArchive(deps, archive, known);
      stored.push(...files.values());
      await requireFormat(deps, files);
      return files;
    };
    const started = await startEntity(deps, entity_id);
    if (started !== null) {
      const { entity } = started;
      try {
        await bring({ job, entity, caller: await jobCaller(deps, started.import.user_id), signal, unpack });
        await endEntity(deps, entity_id, IMPORT_STATUS.finished);
      } catch (error) {
        if (!(error instanceof ImportStopped)) {
          const lasting = error instanceof InvalidImportObject || error instanceof InvalidImportFile;
          const comesAgain = signal.aborted || environmentFaultOf(error) !== null || attempts < kind.maxAttempts;
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
