import type { Updateable } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound, refused } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { TopicsTable } from '../../../db/tables/topics.table.ts';
import type { Deps } from '../../../deps.ts';
import { topics } from './topics.queries.ts';

type TopicRow = Awaited<ReturnType<typeof findTopic>>;

/** Returns a topic with its count. @throws ApiError 404 */
export async function findTopic({ db }: Deps, id: number) {
  const row = await topics(db).where('topics.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound();
  return row;
}

async function refusingTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ name: ['has already been taken'] });
    throw error;
  }
}

/** Creates a topic. @throws ApiError 400 if the name is taken */
export async function createTopic(
  deps: Deps,
  input: { name: string; title: string; description?: string | null; avatar?: string | null },
): Promise<TopicRow> {
  const now = timestamp(deps.clock);
  const { id } = await refusingTaken(() =>
    deps.db
      .insertInto('topics')
      .values({ ...input, created_at: now, updated_at: now })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return findTopic(deps, id);
}

/** Updates a topic. @throws ApiError 400 if the name is taken, 404 */
export async function updateTopic(deps: Deps, id: number, columns: Updateable<TopicsTable>): Promise<TopicRow> {
  await refusingTaken(() =>
    deps.db
      .updateTable('topics')
      .set({ ...columns, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .execute(),
  );
  return findTopic(deps, id);
}

/** Moves all projects of a topic to another one and deletes it. @throws ApiError 400, 404 */
export async function mergeTopics(deps: Deps, sourceId: number, targetId: number): Promise<TopicRow> {
  if (sourceId === targetId) throw refused('The source topic and the target topic are identical.');
  await findTopic(deps, sourceId);
  await findTopic(deps, targetId);
  await deps.db.transaction().execute(async (db) => {
    const has = db.selectFrom('project_topics').select('project_id').where('topic_id', '=', targetId);
    await db
      .updateTable('project_topics')
      .set({ topic_id: targetId })
      .where('topic_id', '=', sourceId)
      .where('project_id', 'not in', has)
      .execute();
    await db.deleteFrom('topics').where('id', '=', sourceId).execute();
  });
  return findTopic(deps, targetId);
}
