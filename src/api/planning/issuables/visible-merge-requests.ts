import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { type ReadableProjectsFilter, readableProjects } from '../../../access/readable-projects.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { Schema } from '../../../db/db.schema.ts';

/**
 * Condition on `merge_requests` of any target project: the caller may read them.
 * @param day today, `YYYY-MM-DD`
 */
export function visibleMergeRequests(
  caller: Caller,
  day: string,
  filter: Pick<ReadableProjectsFilter, 'below' | 'nonArchived'> = {},
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'merge_requests'>();
  return eb.exists(
    eb
      .selectFrom('projects')
      .select('projects.id')
      .whereRef('projects.id', '=', 'merge_requests.project_id')
      .where(() =>
        readableProjects(
          expressionBuilder<Schema, 'projects'>(),
          caller,
          { feature: 'merge_requests', level: AccessLevel.reporter, ...filter },
          day,
        ),
      ),
  );
}
