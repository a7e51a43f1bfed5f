import { Type } from 'typebox';
import type { Db } from '../../../db/db.schema.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';
import { administrator } from '../../api.access.ts';
import { userById } from './users.find.ts';
import { userId } from './users.inputs.ts';

const Membership = Type.Object({
  source_id: Type.Integer(),
  source_name: Type.String(),
  source_type: Enum(['Project', 'Namespace']),
  access_level: Type.Integer(),
});

async function namesOf(db: Db, table: 'projects' | 'namespaces', ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function present(db: Db, members: readonly Member[]) {
  const ids = (type: Member['source_type']) =>
    members.filter(({ source_type }) => source_type === type).map(({ source_id }) => source_id);
  const names = {
    project: await namesOf(db, 'projects', ids('project')),
    group: await namesOf(db, 'namespaces', ids('group')),
  };
  return members.map(({ source_id, source_type, access_level }) => ({
    source_id,
    source_name: names[source_type].get(source_id) ?? '',
    source_type: source_type === 'project' ? 'Project' : 'Namespace',
    access_level,
  }));
}

export const userMembershipRoutes = [
  route({
    method: 'GET',
    path: '/users/:id/memberships',
    summary: 'List the memberships of a user',
    description: 'Direct memberships only, without inherited ones.',
    access: administrator,
    params: userId,
    input: Type.Object({ type: Type.Optional(Enum(['Project', 'Namespace'])), ...pagination }),
    success: { status: 200, schema: Type.Array(Membership) },
    errors: [404],
    handler: async (c) => {
      const user = await userById(c.deps.db, c.params.id);
      let query = c.deps.db.selectFrom('members').selectAll().where('user_id', '=', user.id).orderBy('id');
      if (c.input.type !== undefined) {
        query = query.where('source_type', '=', c.input.type === 'Project' ? 'project' : 'group');
      }
      return c.page(query, (rows) => present(c.deps.db, rows));
    },
  }),
];
