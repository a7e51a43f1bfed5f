import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { optional } from '../../../http/http.schema.ts';
import { anyone, inGroup, onServer, requireUser } from '../../api.access.ts';
import { presentGroupDetail } from './groups.detail-views.ts';
import { CreateInput, customAttributeParams, ListInput, listParams, UpdateInput } from './groups.inputs.ts';
import { keysetParams, respondWithGroups } from './groups.list-views.ts';
import { deleteGroup, restoreGroup } from './groups.mark.ts';
import { Group, GroupDetail } from './groups.responses.ts';
import { createByInput, updateGroup } from './groups.writes.ts';

export const groupRoutes = [
  route({
    method: 'GET',
    path: '/groups',
    summary: 'List groups',
    description:
      'Groups of which the caller is a member; public groups for anonymous callers, all groups for administrators.',
    access: anyone,
    input: Type.Object({ ...listParams, ...keysetParams }),
    success: { status: 200, schema: Type.Array(Group) },
    errors: [405],
    handler: (context) => respondWithGroups(context, context.input, { of: 'all' }),
  }),
  route({
    method: 'POST',
    path: '/groups',
    summary: 'Create a group',
    access: onServer('create_group'),
    input: CreateInput,
    success: { status: 201, schema: GroupDetail },
    errors: [400, 403, 404, 409],
    handler: async ({ deps, caller, input }) =>
      presentGroupDetail(deps, caller, await createByInput(deps, caller, input)),
  }),
  route({
    method: 'GET',
    path: '/groups/:id',
    summary: 'Get a group',
    access: inGroup('read_group', { anonymous: true }),
    input: optional({
      with_custom_attributes: customAttributeParams.with_custom_attributes,
      with_projects: Type.Boolean({ default: true, deprecated: true }),
    }),
    success: { status: 200, schema: GroupDetail },
    handler: ({ deps, caller, group, input }) =>
      presentGroupDetail(deps, caller, group, {
        customAttributes: input.with_custom_attributes,
        projects: input.with_projects,
      }),
  }),
  route({
    method: 'PUT',
    path: '/groups/:id',
    summary: 'Update a group',
    access: inGroup('update_group'),
    input: UpdateInput,
    success: { status: 200, schema: GroupDetail },
    errors: [400, 409],
    handler: async ({ deps, caller, group, input }) => {
      const user = requireUser(caller);
      return presentGroupDetail(deps, user, await updateGroup(deps, user, group, input));
    },
  }),
  route({
    method: 'DELETE',
    path: '/groups/:id',
    summary: 'Delete a group with its subgroups and projects',
    description:
      'With delayed deletion, the group and its contents are marked for deletion, renamed and read-only until the delay is over; otherwise they are inaccessible immediately. Files are removed in the background.',
    access: inGroup('remove_group'),
    input: optional({
      permanently_remove: Type.Boolean({ description: 'Delete a marked group immediately. Requires `full_path`.' }),
      full_path: Type.String({ description: 'Current full path of the group; required for `permanently_remove`.' }),
    }),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [400, 409, 412],
    handler: async ({ deps, caller, group, input, request }) => {
      checkUnmodifiedSince(request, group.updated_at);
      const { permanently_remove: permanently, full_path: fullPath } = input;
      await deleteGroup(deps, requireUser(caller), group, { permanently, fullPath });
      return { message: '202 Accepted' };
    },
  }),
  route({
    method: 'POST',
    path: '/groups/:id/restore',
    summary: 'Restore a group that is marked for deletion',
    access: inGroup('remove_group'),
    success: { status: 201, schema: GroupDetail },
    errors: [400, 409],
    handler: async ({ deps, caller, group }) => {
      const user = requireUser(caller);
      return presentGroupDetail(deps, user, await restoreGroup(deps, user, group));
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/subgroups',
    summary: 'List the subgroups of a group',
    access: inGroup('read_group', { anonymous: true }),
    input: ListInput,
    success: { status: 200, schema: Type.Array(Group) },
    handler: (context) => respondWithGroups(context, context.input, { of: 'children', group: context.group }),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/descendant_groups',
    summary: 'List the descendant groups of a group',
    access: inGroup('read_group', { anonymous: true }),
    input: ListInput,
    success: { status: 200, schema: Type.Array(Group) },
    handler: (context) => respondWithGroups(context, context.input, { of: 'descendants', group: context.group }),
  }),
];
