import { sql } from 'kysely';
import { ApiError } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';

/** Distance of new issues in the order of a project: the initial `relative_position` is the number times this. */
export const POSITION_STEP = 1_048_576;

const impossible = () => new ApiError(422, 'Unprocessable Entity', { error: 'Unprocessable Entity' });

/** Position of another issue of the same project; undefined if there is no such issue. */
async function positionOf(db: Db, issue: Issue, id: number | undefined): Promise<number | undefined> {
  if (id === undefined || id === issue.id) return undefined;
  const row = await db
    .selectFrom('issues')
    .select(['relative_position', 'iid'])
    .where('id', '=', id)
    .where('project_id', '=', issue.project_id)
    .executeTakeFirst();
  return row === undefined ? undefined : (row.relative_position ?? row.iid * POSITION_STEP);
}

/** The nearest position on one side, without the issue itself. */
async function neighbour(db: Db, issue: Issue, position: number, side: 'before' | 'after'): Promise<number> {
  const after = side === 'after';
  const row = await db
    .selectFrom('issues')
    .select('relative_position')
    .where('project_id', '=', issue.project_id)
    .where('relative_position', after ? '>' : '<', position)
    .where('id', '!=', issue.id)
    .orderBy('relative_position', after ? 'asc' : 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.relative_position ?? position + (after ? 2 : -2) * POSITION_STEP;
}

/** The gap to move an issue into: between the given issues, or between one of them and its neighbour. */
async function gap(db: Db, issue: Issue, before?: number, after?: number): Promise<[number, number]> {
  if (before !== undefined && after !== undefined) return [before, after];
  if (before !== undefined) return [before, await neighbour(db, issue, before, 'after')];
  if (after !== undefined) return [await neighbour(db, issue, after, 'before'), after];
  throw impossible();
}

/**
 * Moves an issue in the order of its project.
 * @param neighbours ids of the issues directly before and after the new position; one is enough
 * @throws ApiError 422 if they are not in the project, or in the wrong order
 */
export async function reorderIssue(
  deps: Deps,
  issue: Issue,
  neighbours: { before?: number | undefined; after?: number | undefined },
): Promise<Issue> {
  return deps.db.transaction().execute(async (db) => {
    // Serialized: concurrent moves into one gap would give two issues the same position.
    await db
      .updateTable('internal_ids')
      .set((eb) => ({ last_value: eb.ref('last_value') }))
      .where('source_type', '=', 'project')
      .where('source_id', '=', issue.project_id)
      .where('usage', '=', 'issues')
      .execute();
    const [before, after] = [
      await positionOf(db, issue, neighbours.before),
      await positionOf(db, issue, neighbours.after),
    ];
    const [low, high] = await gap(db, issue, before, after);
    if (high <= low) throw impossible();
    const room = high - low > 1;
    if (!room) {
      await db
        .updateTable('issues')
        .set({ relative_position: sql<number>`relative_position + ${POSITION_STEP}` })
        .where('project_id', '=', issue.project_id)
        .where('relative_position', '>=', high)
        .execute();
    }
    const position = Math.floor((low + high + (room ? 0 : POSITION_STEP)) / 2);
    return db
      .updateTable('issues')
      .set({ relative_position: position })
      .where('id', '=', issue.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}
