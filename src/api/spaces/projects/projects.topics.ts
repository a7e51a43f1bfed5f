import { sql } from 'kysely';
import { type Clock, timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';

/**
 * Sets the topics of a project, in order, with the handle of a transaction; missing topics are created. Names are
 * case-insensitive.
 */
export async function setTopics(db: Db, clock: Clock, projectId: number, names: readonly string[]): Promise<void> {
  await db.deleteFrom('project_topics').where('project_id', '=', projectId).execute();
  const byLowerName = new Map<string, string>();
  for (const name of names.map((each) => each.trim()).filter(Boolean)) {
    const lower = asciiLower(name);
    if (!byLowerName.has(lower)) byLowerName.set(lower, name);
  }
  if (byLowerName.size === 0) return;
  const known = await topicIds(db, [...byLowerName.keys()]);
  const now = timestamp(clock);
  const missing = [...byLowerName].filter(([lower]) => !known.has(lower)).map(([, name]) => name);
  if (missing.length > 0) {
    await db
      .insertInto('topics')
      .values(missing.map((name) => ({ name, title: name, created_at: now, updated_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const ids = missing.length > 0 ? await topicIds(db, [...byLowerName.keys()]) : known;
  await db
    .insertInto('project_topics')
    .values(
      [...byLowerName.keys()].flatMap((lower, position) => {
        const topic_id = ids.get(lower);
        return topic_id === undefined ? [] : [{ project_id: projectId, topic_id, position }];
      }),
    )
    .execute();
}

/** Returns the names of the topics of a project, in order. */
export async function topicsOf(db: Db, projectId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('project_topics')
    .innerJoin('topics', 'topics.id', 'project_topics.topic_id')
    .select('topics.name')
    .where('project_id', '=', projectId)
    .orderBy('position')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

async function topicIds(db: Db, lowerNames: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('topics')
    .select(['id', 'name'])
    .where(sql<string>`lower(name)`, 'in', lowerNames)
    .execute();
  return new Map(rows.map(({ id, name }) => [asciiLower(name), id]));
}
