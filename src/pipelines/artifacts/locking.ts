import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { HEADS, TAGS } from '../../git/refs/index.ts';
import { lastSuccessful, withDescendants } from './by-ref.ts';
import { rootOf } from './pipeline-artifacts.read.ts';

/** Maximum number of refs in one statement. */
const REFS_AT_ONCE = 500;

/**
 * Keeps the artifacts of the last successful pipeline of each ref beyond their expiry, if the project has that enabled.
 * They are unlocked when a newer pipeline succeeds, or when the ref or merge request ends.
 */
export function registerArtifactLocking(deps: Deps): void {
  const { db, events } = deps;
  events.subscribe({
    name: 'lock-artifacts',
    types: ['pipeline.updated'],
    lane: 'ci',
    wants: ({ payload: { status, source, project_id } }) =>
      status === 'success' && source !== 'external' && [{ orderKey: `lock-artifacts:${project_id}` }],
    handle: ({ payload }) => lockLatest(deps, payload.pipeline_id),
  });
  events.subscribe({
    name: 'unlock-artifacts-of-refs',
    types: ['push'],
    lane: 'ci',
    wants: ({ payload }) => payload.updates.some((update) => update.new === null),
    handle: async ({ payload }) => {
      for (const [tag, folder] of [HEADS, TAGS].entries()) {
        const gone = payload.updates.flatMap(({ ref, new: oid }) =>
          oid === null && ref.startsWith(folder) ? [ref.slice(folder.length)] : [],
        );
        for (let at = 0; at < gone.length; at += REFS_AT_ONCE) {
          await unlocked(db)
            .where('project_id', '=', payload.project_id)
            .where('ref', 'in', gone.slice(at, at + REFS_AT_ONCE))
            .where('tag', '=', tag as 0 | 1)
            .execute();
        }
      }
    },
  });
  events.subscribe({
    name: 'unlock-artifacts-of-merge-requests',
    types: ['merge_request.closed', 'merge_request.merged'],
    lane: 'ci',
    handle: async ({ payload }) => {
      await unlocked(db).where('merge_request_id', '=', payload.merge_request_id).execute();
    },
  });
}

const unlocked = (db: Db) => db.updateTable('pipelines').set({ locked: 0 }).where('locked', '=', 1);

async function lockLatest({ db, settings }: Deps, pipelineId: number): Promise<void> {
  const pipeline = await db.selectFrom('pipelines').selectAll().where('id', '=', pipelineId).executeTakeFirst();
  if (pipeline?.status !== 'success') return;
  if (pipeline.parent_id !== null) return followRoot(db, pipeline);
  const { project_id, ref, tag } = pipeline;
  const [latest] = await lastSuccessful(db, { project_id, ref, tag }, 1);
  if (latest === undefined) return;
  const family = [...(await withDescendants(db, [latest])).keys()];
  const keeps = settings.now.keep_latest_artifact && (await keepsLatest(db, project_id));
  if (keeps) await db.updateTable('pipelines').set({ locked: 1 }).where('id', 'in', family).execute();
  const others = unlocked(db).where('project_id', '=', project_id).where('ref', '=', ref).where('tag', '=', tag);
  await (keeps ? others.where('id', 'not in', family) : others).execute();
}

/** A child pipeline is locked together with its root. */
async function followRoot(db: Db, { id }: Pipeline): Promise<void> {
  const root = await db
    .selectFrom('pipelines')
    .select('locked')
    .where('id', '=', await rootOf(db, id))
    .executeTakeFirst();
  if (root?.locked !== 1) return;
  const family = [...(await withDescendants(db, [id])).keys()];
  await db.updateTable('pipelines').set({ locked: 1 }).where('id', 'in', family).execute();
}

async function keepsLatest(db: Db, projectId: number): Promise<boolean> {
  const project = await db.selectFrom('projects').select('settings').where('id', '=', projectId).executeTakeFirst();
  if (project === undefined) return false;
  return parseJson<{ keep_latest_artifact?: boolean }>(project.settings).keep_latest_artifact !== false;
}
