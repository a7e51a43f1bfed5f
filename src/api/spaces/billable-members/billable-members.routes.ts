import { Type } from 'typebox';
import { effectivePlan } from '../../../access/access.plan.ts';
import { today } from '../../../core/clock.ts';
import { badRequest, recordNotFound } from '../../../core/core.errors.ts';
import { asciiLower, contains } from '../../../db/like.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { route } from '../../../http/http.route.ts';
import { Day, Enum, Instant, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { inGroup, requireUser } from '../../api.access.ts';
import { userBasic, userBasicFields } from '../../identity/index.ts';
import { userIdParam } from '../members/members.inputs.ts';
import { ownersOf } from '../members/members.queries.ts';
import { removeFromTree } from '../members/members.removal.ts';
import { groupSource } from '../spaces.source.ts';
import { BILLABLE_SORTS, billableMembers } from './billable-members.queries.ts';

const TYPES = ['group_member', 'project_member', 'group_invite', 'project_invite'] as const;

const BillableMember = Type.Object({
  ...userBasicFields,
  email: Type.Optional(Type.String({ description: 'Only for administrators.' })),
  last_activity_on: Nullable(Day()),
  membership_type: Enum(TYPES),
  membership_state: Enum(['active']),
  removable: Type.Boolean(),
  created_at: Instant(),
  is_last_owner: Type.Boolean(),
  last_login_at: Nullable(Instant()),
});

/** Seats are counted per top-level group. @throws ApiError 400 */
function requireTop(group: Namespace): void {
  if (group.parent_id !== null) throw badRequest();
}

/** Billable members of a top-level group (public documentation, "Billable members"). */
export const billableMemberRoutes = [
  route({
    method: 'GET',
    path: '/groups/:id/billable_members',
    plan: 'premium',
    summary: 'List the billable members of a top-level group',
    access: inGroup('read_billable_members'),
    input: Type.Object({
      ...optional({
        search: Type.String({ description: 'Part of the name or user name, or the complete public email address.' }),
        sort: Enum(BILLABLE_SORTS, { default: 'name_asc' }),
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(BillableMember) },
    handler: async (c) => {
      requireTop(c.group);
      const day = today(c.deps.clock);
      const { search, sort = 'name_asc' } = c.input;
      let query = billableMembers(c.deps.db, c.group, day, await effectivePlan(c.deps), sort);
      if (search) {
        query = query.where((eb) =>
          eb.or([
            contains(eb.ref('users.name'), search),
            contains(eb.ref('users.username'), search),
            eb(eb.fn('lower', ['users.public_email']), '=', asciiLower(search)),
          ]),
        );
      }
      return c.page(query, async (rows) => {
        const owners = await ownersOf(c.deps.db, groupSource(c.group), day);
        const lastOwner = owners.length === 1 ? owners[0] : null;
        return rows.map((row) => ({
          ...userBasic(c.deps, row),
          ...(c.caller.admin ? { email: row.email } : {}),
          last_activity_on: row.last_activity_on,
          membership_type: TYPES[row.way - 1]!,
          membership_state: 'active' as const,
          removable: row.way <= 2 && row.id !== lastOwner,
          created_at: row.created_at,
          is_last_owner: row.id === lastOwner,
          last_login_at: row.current_sign_in_at,
        }));
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/groups/:id/billable_members/:user_id',
    plan: 'premium',
    summary: 'Remove a billable member from a top-level group, its subgroups and projects',
    access: inGroup('remove_billable_member'),
    params: userIdParam,
    success: { status: 204, empty: true },
    errors: [400],
    handler: async ({ deps, caller, group, params }) => {
      requireTop(group);
      if (!(await removeFromTree(deps, requireUser(caller), group, params.user_id))) throw recordNotFound();
    },
  }),
];
