import { sql } from 'kysely';
import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Pipeline } from '../../db/tables/pipelines.table.ts';
import type { Deps } from '../../deps.ts';
import { orUnlimited, planLimits } from '../../settings/settings.plan-limits.ts';

/** Generations of child pipelines below a pipeline that is none. */
const MAX_DEPTH = 2;
/** Of more pipelines that start one another nobody looks whether they are too many. */
const LOOKED_AT = 10_000;
/** How often one may start a pipeline of the same project, ref and source above itself. */
const MAX_TURNS = 2;

/** What of a pipeline counts for those that it may start. */
type Ancestor = Pick<Pipeline, 'id' | 'project_id' | 'ref' | 'source' | 'parent_id'>;

/**
 * Why a bridge of a pipeline may start no other one: too deep, too many, or in a circle.
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
 * Whether a pipeline may start no other one since too many hang together already. That alone bounds what its jobs start by
 * themselves: a script can stop going in a circle, a bridge cannot.
 */
export const isFamilyFull = async (deps: Deps, pipelineId: number): Promise<boolean> =>
  isFull(deps, await ancestorsOf(deps.db, pipelineId));

/** A pipeline and those that have started it, one after the other. */
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

/** Whether as many pipelines hang together as may. @param above one of them, and those that have started it */
async function isFull(deps: Deps, above: readonly Ancestor[]): Promise<boolean> {
  const root = above.at(-1);
  if (root === undefined) return false;
  const most = Math.min(orUnlimited((await planLimits(deps)).pipeline_hierarchy_size), LOOKED_AT);
  const { rows } = await sql<{ total: number }>`
    with recursive family (id) as (
      select id from pipelines where id = ${root.id}
      union all
      select p.id from family join pipelines as p on p.upstream_pipeline_id = family.id
    )
    select count(*) as total from (select id from family limit ${most}) as found`.execute(deps.db);
  return Number(rows[0]?.total) >= most;
}
