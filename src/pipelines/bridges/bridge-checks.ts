import type { FailureReason } from '../../ci/failure-reasons.ts';
import type { Db } from '../../db/schema.ts';
import type { Pipeline } from '../../db/tables/pipelines.ts';

/** Generations of child pipelines below a pipeline that is none. */
const MAX_DEPTH = 2;
/** Pipelines that start one another, all together. */
const MAX_FAMILY = 1000;
/** How often one may start a pipeline of the same project, ref and source above itself. */
const MAX_TURNS = 2;

/**
 * Why a pipeline may start no other one: too deep, too many, or in a circle.
 * @param child whether it would be a child pipeline
 */
export async function familyRefusal(db: Db, pipeline: Pipeline, child: boolean): Promise<FailureReason | null> {
  const above = await ancestorsOf(db, pipeline);
  if (child && depthOf(above) >= MAX_DEPTH) return 'reached_max_descendant_pipelines_depth';
  const root = above.at(-1)!;
  if (await isFull(db, root.id)) return 'reached_max_pipeline_hierarchy_size';
  if (child) return null;
  const turns = new Map<string, number>();
  for (const { project_id, ref, source, parent_id } of above) {
    if (parent_id !== null) continue;
    const key = `${project_id} ${source} ${ref}`;
    turns.set(key, (turns.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...turns.values()) > MAX_TURNS ? 'pipeline_loop_detected' : null;
}

/** A pipeline and those that have started it, one after the other. */
async function ancestorsOf(db: Db, pipeline: Pipeline): Promise<Pipeline[]> {
  const above = [pipeline];
  for (let at = pipeline.upstream_pipeline_id; at !== null && above.length <= MAX_FAMILY; ) {
    const next = await db.selectFrom('pipelines').selectAll().where('id', '=', at).executeTakeFirst();
    if (next === undefined) break;
    above.push(next);
    at = next.upstream_pipeline_id;
  }
  return above;
}

function depthOf(above: readonly Pipeline[]): number {
  const outside = above.findIndex(({ parent_id }) => parent_id === null);
  return outside < 0 ? above.length : outside;
}

/** Whether as many pipelines hang together as may. */
async function isFull(db: Db, rootId: number): Promise<boolean> {
  let count = 1;
  for (let level = [rootId]; level.length > 0 && count < MAX_FAMILY; count += level.length) {
    const rows = await db
      .selectFrom('pipelines')
      .innerJoin('ci_jobs', 'ci_jobs.id', 'pipelines.upstream_job_id')
      .select('pipelines.id')
      .where('ci_jobs.pipeline_id', 'in', level)
      .where('ci_jobs.kind', '=', 'bridge')
      .limit(MAX_FAMILY)
      .execute();
    level = rows.map(({ id }) => id);
  }
  return count >= MAX_FAMILY;
}
