import { sql } from 'kysely';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower, contains } from '../../../db/like.ts';

/** Query for topics with their number of public and internal projects. */
export const topics = (db: Db) =>
  db
    .selectFrom('topics')
    .selectAll('topics')
    .select((eb) =>
      eb
        .selectFrom('project_topics')
        .innerJoin('projects', 'projects.id', 'project_topics.project_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('project_topics.topic_id', '=', 'topics.id')
        .where('projects.visibility', '!=', 'private')
        .as('count'),
    );

/** Query for topics by number of projects, then by name; for a search the exact match comes first. */
export function topicList(db: Db, { search, without_projects }: { search?: string; without_projects?: boolean }) {
  let query = topics(db);
  if (search) {
    const text = asciiLower(search);
    query = query
      .where((eb) => eb.or([contains(eb.ref('topics.name'), search), contains(eb.ref('topics.title'), search)]))
      .orderBy(sql`case when lower(topics.name) = ${text} then 0 else 1 end`);
  }
  if (without_projects) {
    query = query.where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('project_topics')
            .select('project_topics.project_id')
            .whereRef('project_topics.topic_id', '=', 'topics.id'),
        ),
      ),
    );
  }
  return query.orderBy('count', 'desc').orderBy('topics.name').orderBy('topics.id');
}
