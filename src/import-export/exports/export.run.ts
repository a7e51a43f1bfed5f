import { ANONYMOUS, type Caller } from '../../access/caller.ts';
import { jobCaller } from '../../access/job-caller.ts';
import { timestamp } from '../../core/clock.ts';
import { environmentFaultOf } from '../../core/environment-fault.ts';
import { retryDelayOf } from '../../core/retry-later.ts';
import type { Db } from '../../db/db.schema.ts';
import { EXPORT_STATUS, type RelationExport, WHOLE_PROJECT } from '../../db/tables/relation-exports.table.ts';
import type { Deps } from '../../deps.ts';
import { BlobError } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { findRelation } from '../relations/index.ts';
import type { Exporting, Portable, Relation, TreeRelation } from '../relations/relation.ts';
import { USER_CONTRIBUTIONS } from '../relations/user-contributions.ts';
import { type WrittenContent, writeArchive, writeObjects } from './export.content.ts';
import { EXPORT } from './export.start.ts';
import { NamedUsers } from './named-users.ts';

/** Number of objects per batch. */
const BATCH = 1_000;
/** Number of objects between two checks of a running export. */
const LOOK = 1_000;

/** The export was replaced by a later one, or its group or project is gone. */
class Replaced extends Error {}

/** The group or project of an export; undefined if it no longer exists. */
export async function portableOf(db: Db, { project_id, group_id }: RelationExport): Promise<Portable | undefined> {
  if (group_id !== null) {
    const group = await db.selectFrom('namespaces').selectAll().where('id', '=', group_id).executeTakeFirst();
    return group && { kind: 'group', id: group.id, group };
  }
  const project = await db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project_id ?? 0)
    .where('pending_delete', '=', 0)
    .executeTakeFirst();
  return project && { kind: 'project', id: project.id, project };
}

/** The user who requested an export, with their current rights; anonymous if they are blocked or deleted. */
export const exporterOf = async (deps: Deps, { user_id }: Pick<RelationExport, 'user_id'>): Promise<Caller> =>
  (user_id === null ? undefined : await jobCaller(deps, user_id)) ?? ANONYMOUS;

/** Whether all other relations have ended: only then the contributing users are known. */
async function othersEnded(db: Db, row: RelationExport, { kind, id }: Portable): Promise<boolean> {
  const other = await db
    .selectFrom('relation_exports')
    .select('id')
    .where(`${kind}_id`, '=', id)
    .where('status', '=', EXPORT_STATUS.started)
    .where('id', '!=', row.id)
    .where('relation', '!=', WHOLE_PROJECT)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

/** Enqueues the export of user contributions, in the transaction in which another relation ends. */
async function askWhoContributed(
  deps: Deps,
  db: Db,
  { project_id, group_id, relation }: RelationExport,
): Promise<void> {
  if (relation === USER_CONTRIBUTIONS) return;
  const telling = await db
    .selectFrom('relation_exports')
    .select('id')
    .where(project_id === null ? 'group_id' : 'project_id', '=', project_id ?? group_id)
    .where('relation', '=', USER_CONTRIBUTIONS)
    .executeTakeFirst();
  if (telling !== undefined) await deps.jobs.enqueue(db, EXPORT, { export_id: telling.id }, { projectId: project_id });
}

/** A run of the export of a relation. */
class Run {
  readonly #deps: Deps;
  readonly #row: RelationExport;
  readonly #exporting: Exporting;
  readonly #users: NamedUsers;
  readonly #signal: AbortSignal;
  #total: number;

  constructor(deps: Deps, row: RelationExport, portable: Portable, caller: Caller, signal: AbortSignal) {
    this.#deps = deps;
    this.#row = row;
    this.#total = row.total_objects_count;
    this.#signal = signal;
    this.#users = new NamedUsers(portable);
    this.#exporting = { deps, db: deps.db, portable, caller, names: (id) => this.#users.add(id), signal };
  }

  async write(relation: Relation): Promise<void> {
    if (relation.form === 'files') {
      const look = this.#look();
      await this.#finish(await writeArchive(this.#deps, relation.files(this.#exporting), look));
    } else if (this.#row.batched === 1) {
      await this.#writeBatches(relation);
    } else {
      const pieces = relation.pieces(this.#exporting, 0);
      await this.#finish(await writeObjects(this.#deps, pieces, Number.POSITIVE_INFINITY, this.#look()));
    }
  }

  async #writeBatches(relation: TreeRelation): Promise<void> {
    const { id } = this.#row;
    const last = await this.#deps.db
      .selectFrom('relation_export_batches')
      .select(['batch_number', 'last_key'])
      .where('export_id', '=', id)
      .orderBy('batch_number', 'desc')
      .limit(1)
      .executeTakeFirst();
    const pieces = relation.pieces(this.#exporting, last?.last_key ?? 0);
    for (let number = (last?.batch_number ?? 0) + 1; ; number += 1) {
      this.#signal.throwIfAborted();
      const batch = await writeObjects(this.#deps, pieces, BATCH);
      if (batch.count > 0) await this.#enter(number, batch);
      if (batch.ended) break;
    }
    await this.#guarded([], { status: EXPORT_STATUS.finished });
  }

  #enter(batch_number: number, { sha256, size, count, last }: WrittenContent): Promise<void> {
    this.#total += count;
    return this.#guarded(
      [sha256],
      { batches_count: batch_number, total_objects_count: this.#total },
      async (db, updated_at) => {
        const file = { sha256, size, objects_count: count, last_key: last };
        await db
          .insertInto('relation_export_batches')
          .values({
            export_id: this.#row.id,
            batch_number,
            status: EXPORT_STATUS.finished,
            ...file,
            error: null,
            updated_at,
          })
          .execute();
      },
    );
  }

  #finish({ sha256, size, count }: WrittenContent): Promise<void> {
    return this.#guarded([sha256], { status: EXPORT_STATUS.finished, sha256, size, total_objects_count: count });
  }

  /** Changes the row while the export is current; else deletes the written files. @throws Replaced */
  async #guarded(
    written: readonly string[],
    change: Partial<RelationExport>,
    within?: (db: Db, now: string) => Promise<void>,
  ): Promise<void> {
    const updated_at = timestamp(this.#deps.clock);
    const replaced = await this.#deps.db.transaction().execute(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('relation_exports')
        .set({ ...change, updated_at })
        .where('id', '=', this.#row.id)
        .where('status', '=', EXPORT_STATUS.started)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) {
        await enqueueBlobRemoval(this.#deps, db, written);
        return true;
      }
      await this.#users.save(db);
      await within?.(db, updated_at);
      if (change.status === EXPORT_STATUS.finished) await askWhoContributed(this.#deps, db, this.#row);
      return false;
    });
    if (replaced) throw new Replaced();
    this.#users.saved();
  }

  /** Returns a function that regularly checks whether the export continues, and records its progress. */
  #look(): () => Promise<void> {
    let count = 0;
    return async () => {
      count += 1;
      if (count % LOOK !== 0) return;
      this.#signal.throwIfAborted();
      await this.#guarded([], { total_objects_count: count });
    };
  }
}

/** Whether the job must run again: a temporary failure, an environment fault, or a shutdown. */
const isPassing = (error: unknown, signal: AbortSignal, attempts: number): boolean =>
  signal.aborted || retryDelayOf(error) !== null || environmentFaultOf(error) !== null || attempts < EXPORT.maxAttempts;

/** Registers the job of `startExport`. */
export function registerExports(deps: Deps): void {
  deps.jobs.register(EXPORT, async ({ export_id }, { signal, attempts }) => {
    const row = await deps.db.selectFrom('relation_exports').selectAll().where('id', '=', export_id).executeTakeFirst();
    if (row === undefined || row.status !== EXPORT_STATUS.started) return;
    const portable = await portableOf(deps.db, row);
    const relation = portable && findRelation(portable.kind, row.relation);
    if (portable === undefined || relation === undefined) return fail(deps, row, 'There is nothing to export.');
    if (relation.name === USER_CONTRIBUTIONS && !(await othersEnded(deps.db, row, portable))) return;
    try {
      await new Run(deps, row, portable, await exporterOf(deps, row), signal).write(relation);
    } catch (error) {
      if (error instanceof Replaced) return;
      if (error instanceof BlobError && error.code === 'too_large') {
        return fail(deps, row, 'The file exceeds the maximum export size.');
      }
      if (isPassing(error, signal, attempts)) throw error;
      deps.log.log('error', 'export of a relation failed', { relation: row.relation, error: String(error) });
      return fail(deps, row, 'The relation could not be exported.');
    }
  });
}

async function fail(deps: Deps, row: RelationExport, error: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await db
      .updateTable('relation_exports')
      .set({ status: EXPORT_STATUS.failed, error, updated_at: timestamp(deps.clock) })
      .where('id', '=', row.id)
      .where('status', '=', EXPORT_STATUS.started)
      .execute();
    await askWhoContributed(deps, db, row);
  });
}
