import { sql } from 'kysely';
import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { orUnlimited, planLimits } from '../../settings/settings.plan-limits.ts';

/** Maximum depth of child pipelines. */
const MAX_DEPTH = 2;
/** Maximum number of related pipelines that are counted. */
const LOOKED_AT = 10_000;
/** Maximum number of ancestors with the same project, ref and source. */
const MAX_TURNS = 2;

/** Columns of a pipeline that decide about its downstream pipelines. */
type Ancestor = Pick<Pipeline, 'id' | 'project_id' | 'ref' | 'source' | 'parent_id'>;

/**
 * Reason why a bridge of a pipeline may not start another one: depth, number, or a cycle; null if it may.
 * @param child whether it would be a child pipeline
 */
export async function familyRefusal(deps: Deps, pipelineId: number, child: boolean): Promise<FailureReason | null> {
  const above = await ancestorsOf(deps.db, pipelineId);
  if (child && depthOf(above) >= MAX_DEPTH) return 'reached_max_descendant_pipelines_depth';
  if (await isFull(deps, above)) return 'reached_max_pipeline_hierarchy_size';
  if (child) return null;
  const turns = new Map<string, number>();
  for (const { project_id, ref, source, parent_id } of above) {
    if (parent_id !== null) continue;
    const key = `${project_id} ${source} ${ref}`;
    turns.set(key, (turns.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...turns.values()) > MAX_TURNS ? 'pipeline_loop_detected' : null;
}

/**
 * Whether a pipeline may not start another one because too many are related already. This is the only limit for jobs
 * that start pipelines through the API: a script can end a cycle, a bridge cannot.
 */
export const isFamilyFull = async (deps: Deps, pipelineId: number): Promise<boolean> =>
  isFull(deps, await ancestorsOf(deps.db, pipelineId));

/** A pipeline and its ancestors. */
async function ancestorsOf(db: Db, pipelineId: number): Promise<Ancestor[]> {
  const { rows } = await sql<Ancestor>`
    with recursive above (id, project_id, ref, source, parent_id, upstream_pipeline_id, step) as (
      select id, project_id, ref, source, parent_id, upstream_pipeline_id, 1 from pipelines where id = ${pipelineId}
      union all
      select p.id, p.project_id, p.ref, p.source, p.parent_id, p.upstream_pipeline_id, above.step + 1
      from above join pipelines as p on p.id = above.upstream_pipeline_id
      where above.step < ${LOOKED_AT}
    )
    select id, project_id, ref, source, parent_id from above order by step`.execute(db);
  return rows;
}

function depthOf(above: readonly Ancestor[]): number {
  const outside = above.findIndex(({ parent_id }) => parent_id === null);
  return outside < 0 ? above.length : outside;
}

/** Whether the limit of related pipelines is reached. @param above one of them, with its ancestors */
async function isFull(deps: Deps, above: readonly Ancestor[]): Promise<boolean> {
  const root = above.at(-1);
  if (root === undefined) return false;
  const limit = Math.min(orUnlimited((await planLimits(deps)).pipeline_hierarchy_size), LOOKED_AT);
  const { rows } = await sql<{ total: number }>`
    with recursive family (id) as (
      select id from pipelines where id = ${root.id}
      union all
      select p.id from family join pipelines as p on p.upstream_pipeline_id = family.id
    )
    select count(*) as total from (select id from family limit ${limit}) as found`.execute(deps.db);
  return Number(rows[0]?.total) >= limit;
}
