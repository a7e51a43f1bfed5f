import { Type } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import type { Protection } from '../../../repositories/repository.protections.ts';
import { inProject } from '../../api.access.ts';
import { loadSubjectNames } from '../protected-refs/protected-refs.views.ts';
import {
  BranchPattern,
  CreateProtectedBranch,
  ListProtectedBranches,
  UpdateProtectedBranch,
} from './protected-branches.inputs.ts';
import { ProtectedBranch } from './protected-branches.responses.ts';
import { presentProtectedBranch } from './protected-branches.views.ts';
import {
  getOwnProtectedBranch,
  getProtectedBranch,
  listProtectedBranches,
  protectBranch,
  unprotectBranch,
  updateProtectedBranch,
} from './protected-branches.writes.ts';

const PATH = '/projects/:id/protected_branches';
const admin = inProject('admin_protected_branches');

const present = async (deps: Deps, protection: Protection) =>
  presentProtectedBranch(protection, await loadSubjectNames(deps.db, [protection]));

export const protectedBranchRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the protected branches of a project',
    access: admin,
    input: ListProtectedBranches,
    success: { status: 200, schema: Type.Array(ProtectedBranch) },
    handler: async (c) => {
      return c.page(await listProtectedBranches(c.deps, c.project, c.input.search), async (protections) => {
        const names = await loadSubjectNames(c.deps.db, protections);
        return protections.map((protection) => presentProtectedBranch(protection, names));
      });
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:name`,
    summary: 'Get a protected branch or wildcard',
    access: admin,
    params: Type.Object(BranchPattern),
    success: { status: 200, schema: ProtectedBranch },
    errors: [404],
    handler: async ({ deps, project, params }) => present(deps, await getProtectedBranch(deps, project, params.name)),
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Protect a branch or wildcard',
    access: admin,
    input: CreateProtectedBranch,
    success: { status: 201, schema: ProtectedBranch },
    errors: [409, 422],
    handler: async (c) => present(c.deps, await protectBranch(c.deps, c, c.caller, c.input)),
  }),
  route({
    method: 'PATCH',
    path: `${PATH}/:name`,
    summary: 'Update a protected branch',
    access: admin,
    params: Type.Object(BranchPattern),
    input: UpdateProtectedBranch,
    success: { status: 200, schema: ProtectedBranch },
    errors: [404, 422],
    handler: async (c) => {
      for (const name of ['allow_force_push', 'code_owner_approval_required'] as const) {
        if (c.isSent(name) && c.input[name] === undefined) throw invalidParameter(`${name} is empty`);
      }
      return present(c.deps, await updateProtectedBranch(c.deps, c, c, c.params.name, c.input));
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:name`,
    summary: 'Unprotect a branch or wildcard',
    access: admin,
    params: Type.Object(BranchPattern),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async (c) => {
      const protection = await getOwnProtectedBranch(c.deps, c.project, c.params.name);
      checkUnmodifiedSince(c.request, protection.updated_at);
      await unprotectBranch(c.deps, c, protection);
    },
  }),
];
