import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { anyone, onServer } from '../../api.access.ts';
import { avatarColumn } from '../../identity/index.ts';
import { CreateTopicInput, UpdateTopicInput } from './topics.inputs.ts';
import { topicList } from './topics.queries.ts';
import { Topic } from './topics.responses.ts';
import { createTopic, findTopic, mergeTopics, updateTopic } from './topics.writes.ts';

const params = Type.Object({ id: Type.Integer() });
type Row = Awaited<ReturnType<typeof findTopic>>;

const entity = (deps: Deps, row: Row): Topic => ({
  id: row.id,
  name: row.name,
  title: row.title,
  description: row.description,
  total_projects_count: Number(row.count ?? 0),
  organization_id: 1,
  avatar_url:
    row.avatar === null
      ? null
      : `${deps.externalUrl()}/uploads/-/system/projects/topic/avatar/${row.id}/${encodeURIComponent(row.avatar.slice(row.avatar.indexOf('/') + 1))}`,
});

export const topicRoutes = [
  route({
    method: 'GET',
    path: '/topics',
    summary: 'List the topics of projects',
    access: anyone,
    input: Type.Object({
      search: Type.Optional(Type.String({ maxLength: 1_000 })),
      without_projects: Type.Optional(Type.Boolean({ default: false })),
      organization_id: Type.Optional(Type.Integer()),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Topic) },
    handler: (c) => c.page(topicList(c.deps.db, c.input), (rows) => rows.map((row) => entity(c.deps, row))),
  }),
  route({
    method: 'GET',
    path: '/topics/:id',
    summary: 'Get a topic',
    access: anyone,
    params,
    success: { status: 200, schema: Topic },
    errors: [404],
    handler: async (c) => entity(c.deps, await findTopic(c.deps, c.params.id)),
  }),
  route({
    method: 'POST',
    path: '/topics',
    summary: 'Create a topic',
    access: onServer('admin_topics'),
    input: CreateTopicInput,
    success: { status: 201, schema: Topic },
    handler: async ({ deps, input: { name, title, description = null, avatar } }) =>
      entity(deps, await createTopic(deps, { name, title, description, ...(await avatarColumn(deps, avatar)) })),
  }),
  route({
    method: 'PUT',
    path: '/topics/:id',
    summary: 'Update a topic',
    access: onServer('admin_topics'),
    params,
    input: UpdateTopicInput,
    success: { status: 200, schema: Topic },
    errors: [404],
    handler: async ({ deps, params: { id }, input: { name, title, description, avatar } }) => {
      const columns = {
        ...(name === undefined ? {} : { name }),
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...(await avatarColumn(deps, avatar)),
      };
      return entity(deps, await updateTopic(deps, id, columns));
    },
  }),
  route({
    method: 'DELETE',
    path: '/topics/:id',
    summary: 'Delete a topic',
    access: onServer('admin_topics'),
    params,
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async (c) => {
      const row = await findTopic(c.deps, c.params.id);
      checkUnmodifiedSince(c.request, row.updated_at);
      await c.deps.db.deleteFrom('topics').where('id', '=', row.id).execute();
    },
  }),
  route({
    method: 'POST',
    path: '/topics/merge',
    summary: 'Merge a topic into another',
    access: onServer('admin_topics'),
    input: Type.Object({ source_topic_id: Type.Integer(), target_topic_id: Type.Integer() }),
    success: { status: 201, schema: Topic },
    errors: [404],
    handler: async ({ deps, input }) =>
      entity(deps, await mergeTopics(deps, input.source_topic_id, input.target_topic_id)),
  }),
];
