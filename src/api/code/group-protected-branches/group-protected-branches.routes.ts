import { Type } from 'typebox';
import { contains } from '../../../db/like.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { type GroupProtection, withGroupLevels } from '../../../repositories/group-protections.ts';
import { inGroup } from '../../api.access.ts';
import { BranchPattern, ListProtectedBranches } from '../protected-branches/protected-branches.inputs.ts';
import { presentProtectedBranch } from '../protected-branches/protected-branches.views.ts';
import { CreateGroupProtectedBranch, UpdateGroupProtectedBranch } from './group-protected-branches.inputs.ts';
import { GroupProtectedBranchEntity } from './group-protected-branches.responses.ts';
import {
  getGroupProtection,
  protectInGroup,
  unprotectInGroup,
  updateInGroup,
} from './group-protected-branches.writes.ts';

const PATH = '/groups/:id/protected_branches';
const owner = inGroup('admin_group_protected_branches');
const NOBODY = { users: new Map(), groups: new Map(), deployKeys: new Map() };

function present(protection: GroupProtection) {
  const { inherited: _, ...shown } = presentProtectedBranch(protection, NOBODY);
  return shown;
}

/**
 * Protected branches of groups. They apply to all projects of the group and its subgroups, which cannot remove them.
 */
export const groupProtectedBranchRoutes = [
  route({
    method: 'GET',
    path: PATH,
    plan: 'premium',
    summary: 'List the protected branches of a group',
    access: owner,
    input: ListProtectedBranches,
    success: { status: 200, schema: Type.Array(GroupProtectedBranchEntity) },
    handler: (c) => {
      const { db } = c.deps;
      const { search } = c.input;
      let query = db.selectFrom('group_protected_branches').selectAll().where('group_id', '=', c.group.id);
      if (search) query = query.where((eb) => contains(eb.ref('name'), search));
      return c.page(query.orderBy('id'), async (rows) => (await withGroupLevels(db, rows)).map(present));
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:name`,
    plan: 'premium',
    summary: 'Get a protected branch or wildcard of a group',
    access: owner,
    params: Type.Object(BranchPattern),
    success: { status: 200, schema: GroupProtectedBranchEntity },
    handler: async ({ deps, group, params }) => present(await getGroupProtection(deps.db, group, params.name)),
  }),
  route({
    method: 'POST',
    path: PATH,
    plan: 'premium',
    summary: 'Protect a branch or wildcard in all projects of a group',
    description: 'Only in top-level groups. Takes precedence over the protected branches of projects.',
    access: owner,
    input: CreateGroupProtectedBranch,
    success: { status: 201, schema: GroupProtectedBranchEntity },
    errors: [409, 422],
    handler: async ({ deps, group, caller, input }) => present(await protectInGroup(deps, group, caller, input)),
  }),
  route({
    method: 'PATCH',
    path: `${PATH}/:name`,
    plan: 'premium',
    summary: 'Update a protected branch of a group',
    access: owner,
    params: Type.Object(BranchPattern),
    input: UpdateGroupProtectedBranch,
    success: { status: 200, schema: GroupProtectedBranchEntity },
    errors: [422],
    handler: async ({ deps, group, caller, params, input }) =>
      present(await updateInGroup(deps, group, caller, params.name, input)),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:name`,
    plan: 'premium',
    summary: 'Unprotect a branch or wildcard in all projects of a group',
    access: owner,
    params: Type.Object(BranchPattern),
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, group, caller, params, request }) => {
      const protection = await getGroupProtection(deps.db, group, params.name);
      checkUnmodifiedSince(request, protection.updated_at);
      await unprotectInGroup(deps, group, caller, params.name);
    },
  }),
];
