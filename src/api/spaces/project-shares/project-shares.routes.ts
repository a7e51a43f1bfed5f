import { Type } from 'typebox';
import type { GroupCondition } from '../../../access/visible-groups.ts';
import { today } from '../../../core/clock.ts';
import type { GroupLink } from '../../../db/tables/group-links.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Day, Enum, IntegerEnum, List, Nullable, ofPlan, optional, pagination } from '../../../http/http.schema.ts';
import { inProject, requireUser } from '../../api.access.ts';
import { visibleGroup } from '../groups/groups.find.ts';
import { customAttributeParams } from '../groups/groups.inputs.ts';
import { type GroupFilters, groupQuery } from '../groups/groups.list.ts';
import { respondWithGroups } from '../groups/groups.list-views.ts';
import { Group, PublicGroup } from '../groups/groups.responses.ts';
import { presentPublicGroups } from '../groups/groups.views.ts';
import { groupsOfProject, invitedGroups, shareLocations } from './project-shares.groups.ts';
import { shareProject, unshareProject } from './project-shares.writes.ts';

const LEVELS = [10, 15, 20, 30, 40, 50] as const;

const Share = Type.Object({
  id: Type.Integer(),
  project_id: Type.Integer(),
  group_id: Type.Integer(),
  group_access: Type.Integer(),
  expires_at: Nullable(Type.String()),
});

const presentShare = ({ id, source_id, group_id, group_access, expires_at }: GroupLink) => ({
  id,
  project_id: source_id,
  group_id,
  group_access,
  expires_at,
});

const search = Type.String({ maxLength: 1_000, description: 'Part of the name or path.' });

/** Renders a page of matching groups that the caller may see, as `PublicGroup`. */
async function answerPublic(c: BaseContext, filters: GroupFilters, where: GroupCondition) {
  const query = await groupQuery(c.deps, c.caller, filters, { of: 'chosen', where });
  return c.page(query, (rows) => presentPublicGroups(c.deps, rows));
}

/** Groups of a project, and shares of the project with groups. */
export const projectShareRoutes = [
  route({
    method: 'POST',
    path: '/projects/:id/share',
    summary: 'Share a project with a group',
    access: inProject('share_project'),
    input: Type.Object({
      group_id: Type.Integer({ description: 'Id of the group to share with.' }),
      group_access: IntegerEnum(LEVELS, { description: 'Maximum access level of the invited members.' }),
      expires_at: Type.Optional(Nullable(Day({ description: 'Date on which the share expires.' }))),
      member_role_id: Type.Optional(
        Nullable(Type.Integer({ description: 'Id of a custom role for the invited members.', ...ofPlan('ultimate') })),
      ),
    }),
    success: { status: 201, schema: Share },
    errors: [400, 409],
    handler: async ({ deps, caller, project, namespace, input }) => {
      const user = requireUser(caller);
      const invited = await visibleGroup(deps, user, input.group_id);
      const share = {
        accessLevel: input.group_access,
        expiresAt: input.expires_at ?? null,
        memberRoleId: input.member_role_id ?? null,
      };
      return presentShare(await shareProject(deps, user, { project, namespace }, invited, share));
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/share/:group_id',
    summary: 'Stop sharing a project with a group',
    access: inProject('share_project'),
    params: Type.Object({ group_id: Type.Integer() }),
    success: { status: 204, empty: true },
    handler: ({ deps, caller, project, namespace, params }) =>
      unshareProject(deps, requireUser(caller), { project, namespace }, params.group_id),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/groups',
    summary: 'List the ancestor groups of a project and the groups it is shared with',
    description: 'Groups that the caller may not see are left out.',
    access: inProject('read_project', { anonymous: true }),
    input: Type.Object({
      ...optional({
        search,
        skip_groups: List(Type.Integer(), { maxItems: 1_000, description: 'Ids of groups to leave out.' }),
        with_shared: Type.Boolean({ default: false, description: 'Include groups that the project is shared with.' }),
        shared_visible_only: Type.Boolean({ description: 'Always in effect: hidden groups are never listed.' }),
        shared_min_access_level: IntegerEnum(LEVELS, { description: 'Minimum access level of the shares.' }),
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(PublicGroup) },
    handler: (c) => {
      const { with_shared: withShared = false, shared_min_access_level: minLevel = 0, ...rest } = c.input;
      const { search, skip_groups } = rest;
      const filters = {
        ...(search === undefined ? {} : { search }),
        ...(skip_groups === undefined ? {} : { skip_groups }),
      };
      return answerPublic(c, filters, groupsOfProject(c, { withShared, minLevel }));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/invited_groups',
    summary: 'List the groups that a project or its ancestor groups are shared with',
    access: inProject('read_project', { anonymous: true }),
    input: Type.Object({
      ...optional({
        relation: List(Enum(['direct', 'inherited']), { description: 'Both direct and inherited when absent.' }),
        search,
        min_access_level: IntegerEnum(LEVELS, { description: 'Minimum access level of the caller in the groups.' }),
        ...customAttributeParams,
      }).properties,
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Group) },
    handler: (c) => {
      const { relation = ['direct', 'inherited'], ...filters } = c.input;
      return respondWithGroups(c, filters, { of: 'chosen', where: invitedGroups(c, relation) });
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/share_locations',
    summary: 'List the groups that the caller can share a project with',
    access: inProject('share_project'),
    input: Type.Object({ search: Type.Optional(search), ...pagination }),
    success: { status: 200, schema: Type.Array(PublicGroup) },
    handler: (c) => {
      const { user, admin } = requireUser(c.caller);
      const filters = c.input.search === undefined ? {} : { search: c.input.search };
      return answerPublic(c, filters, shareLocations(c, user, admin, today(c.deps.clock)));
    },
  }),
];
