import { sql } from 'kysely';
import type { Static } from 'typebox';
import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import type { Todo } from '../../../db/tables/todos.table.ts';
import type { Deps } from '../../../deps.ts';
import type { TodoFilters } from './todos.inputs.ts';
import { visibleTodos } from './todos.visible.ts';

/** The caller's to-do items with visible targets. */
async function own(deps: Deps, caller: UserCaller) {
  const visible = await visibleTodos(deps, caller);
  const query = deps.db.selectFrom('todos').selectAll('todos').where('todos.user_id', '=', caller.user.id);
  return { query: query.where(visible) };
}

/** Query for the caller's to-do items, pending or done, newest first. */
export async function todoList(
  deps: Deps,
  caller: UserCaller,
  { action, author_id, project_id, group_id, state = 'pending', type }: Static<typeof TodoFilters>,
) {
  let query = (await own(deps, caller)).query.where('todos.state', '=', state);
  // Compared as text: the parameter may be a value that no row has.
  if (action !== undefined) query = query.where(sql<string>`todos.action`, '=', action);
  if (type !== undefined) query = query.where(sql<string>`todos.target_type`, '=', type);
  if (author_id !== undefined) query = query.where('todos.author_id', '=', author_id);
  if (project_id !== undefined) query = query.where('todos.project_id', '=', project_id);
  if (group_id !== undefined) {
    query = query.where('todos.project_id', 'in', (eb) =>
      eb
        .selectFrom('namespaces as above')
        .innerJoin('namespaces as below', (join) =>
          join
            .onRef('below.lineage', '>=', 'above.lineage')
            .on(sql`below.lineage`, '<', sql`above.lineage || ${AFTER_LINEAGE}`),
        )
        .innerJoin('projects', 'projects.namespace_id', 'below.id')
        .select('projects.id')
        .where('above.id', '=', group_id)
        .where('above.kind', '=', 'group'),
    );
  }
  return query.orderBy('todos.id', 'desc');
}

/** Finds a to-do item of the caller; undefined if it does not exist or they may no longer see its target. */
export async function findTodo(deps: Deps, caller: UserCaller, id: number): Promise<Todo | undefined> {
  const { query } = await own(deps, caller);
  return query.where('todos.id', '=', id).executeTakeFirst();
}
