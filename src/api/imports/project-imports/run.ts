import type { UserCaller } from '../../../access/caller.ts';
import { laterCaller } from '../../../access/later-caller.ts';
import { faultOf } from '../../../core/surroundings.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.ts';
import type { Deps } from '../../../deps.ts';
import { PROJECT_FILES, takeApart } from '../../../import-export/imports/archive.ts';
import { UnfitFile } from '../../../import-export/imports/lines.ts';
import { Unfit } from '../../../import-export/imports/take.ts';
import { recordFailure, Stopped } from '../../../import-export/imports/trackers.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { refreshOpened } from '../bulk-imports/repository.ts';
import { endEntity, startEntity } from '../bulk-imports/status.ts';
import { requireFormat } from '../format.ts';
import { fetchArchive } from './fetch-archive.ts';
import { FILE_IMPORT, type FileImport } from './jobs.ts';
import { replaceProject } from './replace.ts';
import { applyAttributes, readFiles, readLfsObjects, readUploads, type Taking, takeBundle } from './take-over.ts';

/** One run of an import: the archive, and what is in it. */
class Run {
  readonly #deps: Deps;
  readonly #job: FileImport;
  readonly #signal: AbortSignal;
  #archive: StoredBlob | null;
  #files: ReadonlyMap<string, StoredBlob> = new Map();

  constructor(deps: Deps, job: FileImport, signal: AbortSignal) {
    this.#deps = deps;
    this.#job = job;
    this.#signal = signal;
    this.#archive = job.archive;
  }

  /** @throws Unfit, UnfitFile for what cannot be brought at all; Stopped */
  async bring(entity: BulkImportEntity, caller: UserCaller | undefined): Promise<void> {
    const deps = this.#deps;
    const project = await deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', entity.project_id ?? 0)
      .executeTakeFirst();
    if (project === undefined || caller === undefined) throw new Unfit('who asked for it, or the project, is gone');
    this.#archive ??= await fetchArchive(deps, this.#job.source ?? '', this.#signal);
    this.#files = await takeApart(deps, this.#archive, PROJECT_FILES);
    const overridden = new Set(this.#job.overridden);
    const taking: Taking = { deps, entity, project, caller, files: this.#files, overridden, signal: this.#signal };
    await requireFormat(deps, this.#files);
    const attributes = await applyAttributes(taking);
    await takeBundle(taking, attributes);
    await readUploads(taking);
    await readLfsObjects(taking);
    await readFiles(taking);
    await refreshOpened(deps, project);
    if (this.#job.replaces !== undefined) await replaceProject(deps, caller, project, this.#job.replaces);
  }

  /** Gives away what was stored for the import alone. */
  async giveAway(): Promise<void> {
    const stored = [...(this.#archive === null ? [] : [this.#archive]), ...this.#files.values()];
    await enqueueBlobRemoval(this.#deps, this.#deps.db, [...new Set(stored.map(({ sha256 }) => sha256))]);
  }
}

/** Tells why an archive could not become the project. */
async function fail(deps: Deps, { id, project_id }: BulkImportEntity, message: string): Promise<void> {
  await recordFailure(deps, deps.db, id, { relation: 'project', kind: 'ImportFailed', message });
  await deps.db
    .updateTable('projects')
    .set({ import_status: 'failed', import_error: message, repository_read_only: 0 })
    .where('id', '=', project_id)
    .execute();
  await endEntity(deps, id, IMPORT_STATUS.failed);
}

/** Names the work that makes projects of archives. */
export function registerFileImports(deps: Deps): void {
  deps.jobs.register(FILE_IMPORT, async (job, { signal, attempts }) => {
    const found = await startEntity(deps, job.entity_id);
    const run = new Run(deps, job, signal);
    if (found === null) return run.giveAway();
    const { entity } = found;
    try {
      await run.bring(entity, await laterCaller(deps, found.import.user_id));
      await endEntity(deps, entity.id, IMPORT_STATUS.finished);
    } catch (error) {
      const stopped = error instanceof Stopped;
      const lasting = error instanceof Unfit || error instanceof UnfitFile;
      const comesAgain = signal.aborted || faultOf(error) !== null || attempts < FILE_IMPORT.maxAttempts;
      if (!stopped && !lasting && comesAgain) throw error;
      if (!stopped) {
        deps.log.log('warn', 'an archive could not be imported', { entity: entity.id, error: String(error) });
        await fail(deps, entity, lasting ? error.message : 'The archive could not be imported.');
      }
    }
    await run.giveAway();
  });
}
