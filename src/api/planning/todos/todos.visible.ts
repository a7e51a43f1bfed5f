import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { TodosTable } from '../../../db/tables/todos.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Rights, rightsIn } from '../events/events.rights.ts';

type Condition = Expression<SqlBool>;

/** Maximum number of projects with to-do items of a user. */
const MAX_PROJECTS = 5_000;
const eb = expressionBuilder<Schema, 'todos'>();

/** Condition: the issue is visible to the user. */
const issueOpen = (userId: number): Condition =>
  eb.exists(
    eb
      .selectFrom('issues')
      .select('issues.id')
      .whereRef('issues.id', '=', 'todos.target_id')
      .where((inner) =>
        inner.or([
          inner('issues.confidential', '=', 0),
          inner('issues.author_id', '=', userId),
          inner.exists(
            inner
              .selectFrom('issuable_assignees')
              .select('issuable_assignees.user_id')
              .where('issuable_assignees.issuable_type', '=', 'Issue')
              .whereRef('issuable_assignees.issuable_id', '=', 'issues.id')
              .where('issuable_assignees.user_id', '=', userId),
          ),
        ]),
      ),
  );

/** Condition: the comment is not internal. */
const noteOpen: Condition = eb.or([
  eb('todos.note_id', 'is', null),
  eb.exists(
    eb
      .selectFrom('notes')
      .select('notes.id')
      .whereRef('notes.id', '=', 'todos.note_id')
      .where('notes.internal', '=', 0),
  ),
]);

/**
 * Condition on the caller's `todos`: they may still see the target. Loads their rights in the projects, in three
 * queries.
 */
export async function visibleTodos(deps: Deps, caller: UserCaller): Promise<Condition> {
  const { id: userId } = caller.user;
  const named = await deps.db
    .selectFrom('todos')
    .select('project_id')
    .distinct()
    .where('user_id', '=', userId)
    .limit(MAX_PROJECTS)
    .execute();
  const projectIds = named.map(({ project_id }) => project_id);
  const rights = [...(await rightsIn(deps, caller, projectIds, false))];
  const within = (may: (rights: Rights) => boolean): Condition => {
    const ids = rights.flatMap(([id, each]) => (may(each) ? id : []));
    return ids.length === 0 ? eb.lit(false) : eb('todos.project_id', 'in', ids);
  };
  const of = (type: TodosTable['target_type'], condition: Condition) =>
    eb.and([eb('todos.target_type', '=', type), condition]);
  const issues = eb.or([
    within(({ issues, confidentialIssues }) => issues && confidentialIssues),
    eb.and([within(({ issues, confidentialIssues }) => issues && !confidentialIssues), issueOpen(userId)]),
  ]);
  return eb.and([
    eb.or([
      of('Issue', issues),
      of(
        'MergeRequest',
        within(({ mergeRequests }) => mergeRequests),
      ),
      of(
        'Commit',
        within(({ code }) => code),
      ),
    ]),
    eb.or([within(({ internalNotes }) => internalNotes), noteOpen]),
  ]);
}
