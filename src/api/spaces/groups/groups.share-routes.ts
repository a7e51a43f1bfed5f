import { Type } from 'typebox';
import { lineageIds } from '../../../access/access.membership.ts';
import type { GroupCondition } from '../../../access/visible-groups.ts';
import { MEMBER_LEVELS } from '../../../core/access-levels.ts';
import { route } from '../../../http/http.route.ts';
import { Day, Enum, IntegerEnum, List, Nullable, ofPlan, optional, pagination } from '../../../http/http.schema.ts';
import { inGroup, requireUser } from '../../api.access.ts';
import { presentGroupDetail } from './groups.detail-views.ts';
import { visibleGroup } from './groups.find.ts';
import { customAttributeParams, ListInput } from './groups.inputs.ts';
import { respondWithGroups } from './groups.list-views.ts';
import { Group, GroupDetail, PublicGroup } from './groups.responses.ts';
import { shareGroup, unshareGroup } from './groups.shares.ts';
import { transferGroup, transferLocations } from './groups.transfer.ts';
import { presentPublicGroups } from './groups.views.ts';

/** Groups that these groups are shared with. */
const invitedTo =
  (ids: readonly number[]): GroupCondition =>
  (eb) =>
    ids.length === 0
      ? eb.lit(false)
      : eb(
          'id',
          'in',
          eb
            .selectFrom('group_links')
            .select('group_id')
            .where('source_type', '=', 'group')
            .where('source_id', 'in', ids),
        );

/** Groups that are shared with this group. */
const hostsOf =
  (id: number): GroupCondition =>
  (eb) =>
    eb(
      'id',
      'in',
      eb.selectFrom('group_links').select('source_id').where('source_type', '=', 'group').where('group_id', '=', id),
    );

export const groupShareRoutes = [
  route({
    method: 'POST',
    path: '/groups/:id/share',
    summary: 'Share a group with another group',
    access: inGroup('share_group'),
    input: Type.Object({
      group_id: Type.Integer({ description: 'Id of the group to share with.' }),
      group_access: IntegerEnum(MEMBER_LEVELS, { description: 'Maximum access level of the invited members.' }),
      expires_at: Type.Optional(Nullable(Day({ description: 'Date on which the share expires.' }))),
      member_role_id: Type.Optional(
        Nullable(Type.Integer({ description: 'Id of a custom role for the invited members.', ...ofPlan('ultimate') })),
      ),
    }),
    success: { status: 201, schema: GroupDetail },
    errors: [400, 404, 409],
    handler: async ({ deps, caller, group, input }) => {
      const user = requireUser(caller);
      await shareGroup(deps, user, group, await visibleGroup(deps, user, input.group_id), input);
      return presentGroupDetail(deps, caller, group);
    },
  }),
  route({
    method: 'DELETE',
    path: '/groups/:id/share/:group_id',
    summary: 'Stop sharing a group with another group',
    access: inGroup('share_group'),
    params: Type.Object({ group_id: Type.Integer() }),
    success: { status: 204, empty: true },
    errors: [404],
    handler: ({ deps, caller, group, params }) => unshareGroup(deps, requireUser(caller), group, params.group_id),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/invited_groups',
    summary: 'List the groups that a group is shared with',
    access: inGroup('read_group', { anonymous: true }),
    input: Type.Object({
      ...optional({
        relation: List(Enum(['direct', 'inherited']), { description: 'Both direct and inherited when absent.' }),
        search: Type.String({ maxLength: 1_000 }),
        min_access_level: IntegerEnum([10, 15, 20, 30, 40, 50]),
        ...customAttributeParams,
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Group) },
    handler: (context) => {
      const { relation = ['direct', 'inherited'], ...filters } = context.input;
      const ids = lineageIds(context.group.lineage).filter((id) =>
        relation.includes(id === context.group.id ? 'direct' : 'inherited'),
      );
      return respondWithGroups(context, filters, { of: 'chosen', where: invitedTo(ids) });
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/groups/shared',
    summary: 'List the groups that are shared with a group',
    access: inGroup('read_group', { anonymous: true }),
    input: ListInput,
    success: { status: 200, schema: Type.Array(Group) },
    handler: (context) => respondWithGroups(context, context.input, { of: 'chosen', where: hostsOf(context.group.id) }),
  }),
  route({
    method: 'POST',
    path: '/groups/:id/transfer',
    summary: 'Transfer a group',
    access: inGroup('transfer_group'),
    input: optional({
      group_id: Type.Integer({
        description: 'Id of the new parent group; the group becomes a top-level group when absent.',
      }),
    }),
    success: { status: 201, schema: GroupDetail },
    errors: [400, 404, 409],
    handler: async ({ deps, caller, group, input }) => {
      const user = requireUser(caller);
      const target = input.group_id === undefined ? null : await visibleGroup(deps, user, input.group_id);
      return presentGroupDetail(deps, caller, await transferGroup(deps, user, group, target));
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/transfer_locations',
    summary: 'List the groups that a group can be transferred to',
    access: inGroup('transfer_group'),
    input: Type.Object({ search: Type.Optional(Type.String({ maxLength: 1_000 })), ...pagination }),
    success: { status: 200, schema: Type.Array(PublicGroup) },
    handler: (c) => {
      const query = transferLocations(c.deps, requireUser(c.caller), c.group, c.input.search ?? '');
      return c.page(query, (rows) => presentPublicGroups(c.deps, rows));
    },
  }),
];
