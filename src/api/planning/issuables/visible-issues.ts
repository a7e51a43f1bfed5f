import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { isProjectOf } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { assignedTo } from '../../../access/confidential-issues.ts';
import { type ReadableProjectsFilter, readableProjects } from '../../../access/readable-projects.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import type { Schema } from '../../../db/db.schema.ts';

/**
 * Condition on `issues` of any project: the caller may read them. Confidential ones are visible to Planners and above,
 * authors and assignees.
 * @param day today, `YYYY-MM-DD`
 */
export function visibleIssues(
  caller: Caller,
  day: string,
  filter: Pick<ReadableProjectsFilter, 'below' | 'nonArchived'> = {},
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'issues'>();
  const projects = eb
    .selectFrom('projects')
    .select('projects.id')
    .whereRef('projects.id', '=', 'issues.project_id')
    .where(() =>
      readableProjects(
        expressionBuilder<Schema, 'projects'>(),
        caller,
        { feature: 'issues', level: AccessLevel.guest, ...filter },
        day,
      ),
    );
  if (caller.admin) return eb.exists(projects);
  const { user } = caller;
  const open = eb('issues.confidential', '=', 0);
  if (user === null) return eb.and([open, eb.exists(projects)]);
  return eb.exists(
    projects.where((inner) =>
      inner.or([
        open,
        eb('issues.author_id', '=', user.id),
        eb.exists(assignedTo(user.id)),
        isProjectOf(user.id, AccessLevel.planner, day),
      ]),
    ),
  );
}
