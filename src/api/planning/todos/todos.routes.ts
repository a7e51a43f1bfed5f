import { Type } from 'typebox';
import { timestamp } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { onIssuable } from '../issuables/issuables.access.ts';
import type { IssuableKind, IssuableRow } from '../issuables/issuables.kind.ts';
import { ISSUE_KIND } from '../issues/issues.kind.ts';
import { MERGE_REQUEST_KIND } from '../merge-requests/views/merge-requests.kind.ts';
import { TodoFilters } from './todos.inputs.ts';
import { findTodo, todoList } from './todos.list.ts';
import { addTodos } from './todos.record.ts';
import { Todo } from './todos.responses.ts';
import { presentTodos } from './todos.views.ts';

const marking = <Row extends IssuableRow>(kind: IssuableKind<Row>): Route =>
  route({
    method: 'POST',
    path: `/projects/:id/${kind.table}/:${kind.param}/todo`,
    summary: `Add ${kind.noun} to the caller's to-do items`,
    description: 'Answers 304 if the caller already added it and it is pending.',
    access: onIssuable(kind, kind.follow),
    success: { status: 201, schema: Todo },
    errors: [304, 404],
    handler: async (c) => {
      const { row } = c;
      const { id: userId } = c.caller.user;
      const target = { type: kind.type, id: row.id, projectId: row.project_id };
      const [id] = await addTodos(c.deps, c.deps.db, target, 'marked', [userId], { authorId: userId });
      const todo = id === undefined ? undefined : await findTodo(c.deps, c.caller, id);
      return todo === undefined ? c.reply.code(304).send() : (await presentTodos(c.deps, c.caller, [todo]))[0];
    },
  });

export const todoRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/todos',
    summary: "List the caller's to-do items",
    description: 'Only items with targets that the caller may see, newest first.',
    access: signedIn,
    input: Type.Object({ ...TodoFilters.properties, ...pagination }),
    success: { status: 200, schema: Type.Array(Todo) },
    handler: async (c) => {
      const query = await todoList(c.deps, c.caller, c.input);
      return c.page(query, (rows) => presentTodos(c.deps, c.caller, rows));
    },
  }),
  route({
    method: 'POST',
    path: '/todos/mark_as_done',
    summary: "Mark all of the caller's pending to-do items as done",
    access: onServer('update_own_todos'),
    success: { status: 204, empty: true },
    handler: async ({ deps, caller }) => {
      await deps.db
        .updateTable('todos')
        .set({ state: 'done', updated_at: timestamp(deps.clock) })
        .where('user_id', '=', caller.user.id)
        .where('state', '=', 'pending')
        .execute();
    },
  }),
  route({
    method: 'POST',
    path: '/todos/:id/mark_as_done',
    summary: "Mark one of the caller's to-do items as done",
    access: onServer('update_own_todos'),
    params: Type.Object({ id: Type.Integer({ description: 'Id of the to-do item.' }) }),
    success: { status: 201, schema: Todo },
    errors: [404],
    handler: async ({ deps, caller, params }) => {
      const todo = await findTodo(deps, caller, params.id);
      if (todo === undefined) throw recordNotFound();
      await deps.db
        .updateTable('todos')
        .set({ state: 'done', updated_at: timestamp(deps.clock) })
        .where('id', '=', todo.id)
        .where('state', '=', 'pending')
        .execute();
      const done = await findTodo(deps, caller, todo.id);
      const [json] = await presentTodos(deps, caller, done === undefined ? [] : [done]);
      if (json === undefined) throw recordNotFound();
      return json;
    },
  }),
  marking(ISSUE_KIND),
  marking(MERGE_REQUEST_KIND),
];
