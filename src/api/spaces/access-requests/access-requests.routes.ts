import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { AccessRequest } from '../../../db/tables/access-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { userBasic, userBasicFields, usersById } from '../../identity/index.ts';
import { MANAGE_MEMBERS } from '../members/members.abilities.ts';
import { memberRoleId, userIdParam } from '../members/members.inputs.ts';
import { Member } from '../members/members.responses.ts';
import { presentMembers } from '../members/members.views.ts';
import { changeOf } from '../members/members.writes.ts';
import { inSource, inSourceOrSelf, type Source, type SourceKind } from '../spaces.source.ts';
import { approveRequest, REMOVE, removeRequest, requestAccess } from './access-requests.writes.ts';

const AccessRequester = Type.Object({ ...userBasicFields, requested_at: Type.String() });
const SEE = { project: 'read_project', group: 'read_group' } as const;
const ASK = { project: 'request_access', group: 'request_group_access' } as const;

const requestsOf = ({ db }: Deps, source: Source) =>
  db
    .selectFrom('access_requests')
    .selectAll()
    .where('source_type', '=', source.kind)
    .where('source_id', '=', source.id)
    .orderBy('id');

async function present(deps: Deps, requests: readonly AccessRequest[]) {
  const users = await usersById(deps.db, pluck(requests, 'user_id'));
  return requests.flatMap(({ user_id, created_at }) => {
    const user = users.get(user_id);
    return user === undefined ? [] : [{ ...userBasic(deps, user), requested_at: created_at }];
  });
}

function routesFor(kind: SourceKind): Route[] {
  const path = `/${kind}s/:id/access_requests`;
  return [
    route({
      method: 'GET',
      path,
      summary: `List the access requests for a ${kind}`,
      access: inSource(kind, MANAGE_MEMBERS),
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(AccessRequester) },
      handler: (c) => c.page(requestsOf(c.deps, c.source), (rows) => present(c.deps, rows)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Request access to a ${kind}`,
      access: inSource(kind, ASK),
      success: { status: 201, schema: AccessRequester },
      errors: [400],
      handler: async (c) => {
        const made = await requestAccess(c.deps, c.source, changeOf(c).actor);
        return (await present(c.deps, [made]))[0];
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:user_id/approve`,
      summary: `Approve an access request for a ${kind}`,
      access: inSource(kind, MANAGE_MEMBERS),
      params: userIdParam,
      input: Type.Object({
        access_level: Type.Optional(Type.Integer({ default: 30, description: 'Access level of the new member.' })),
        member_role_id: Type.Optional(memberRoleId),
      }),
      success: { status: 201, schema: Member },
      errors: [409],
      handler: async (c) => {
        const member = await approveRequest(c.deps, changeOf(c), c.params.user_id, {
          accessLevel: c.input.access_level,
          memberRoleId: c.input.member_role_id,
        });
        return (await presentMembers(c.deps, [member], { admin: c.caller.admin }))[0];
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:user_id`,
      summary: `Deny an access request, or withdraw one's own`,
      access: inSourceOrSelf(kind, SEE, REMOVE, { as: 'author', noun: 'request' }),
      params: userIdParam,
      success: { status: 204, empty: true },
      errors: [412],
      handler: async (c) => {
        const { user_id: userId } = c.params;
        const known = await requestsOf(c.deps, c.source).where('user_id', '=', userId).executeTakeFirst();
        if (known !== undefined) checkUnmodifiedSince(c.request, known.created_at);
        await removeRequest(c.deps, changeOf(c), userId);
      },
    }),
  ];
}

/** Access requests of users for projects and groups. */
export const accessRequestRoutes: readonly Route[] = [...routesFor('project'), ...routesFor('group')];
