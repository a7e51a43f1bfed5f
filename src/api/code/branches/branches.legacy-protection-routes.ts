import { Type } from 'typebox';
import { HEADS } from '../../../git/refs/index.ts';
import { route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject } from '../../api.access.ts';
import { BranchName, ProtectBranch } from './branches.inputs.ts';
import { viewBranch } from './branches.list.ts';
import { Branch } from './branches.responses.ts';
import { BRANCHES } from './branches.routes.ts';
import { findBranch } from './branches.writes.ts';
import { protectByFlags, unprotect } from './legacy-protection.ts';

const admin = inProject('admin_protected_branches');

/** Deprecated routes for protecting branches. */
export const legacyProtectionRoutes = [
  route({
    method: 'PUT',
    path: `${BRANCHES}/:branch/protect`,
    summary: 'Protect a branch (deprecated: use protected_branches)',
    access: admin,
    params: Type.Object(BranchName),
    input: ProtectBranch,
    success: { status: 200, schema: Branch },
    errors: [400, 404],
    deprecated: true,
    handler: async (c) => {
      const repo = repositoryOf(c.deps, c.project);
      const branch = await findBranch(repo, c.params.branch);
      const rights = { push: c.input.developers_can_push, merge: c.input.developers_can_merge };
      await protectByFlags(c.deps, c.project, c, branch.name.slice(HEADS.length), rights);
      return viewBranch(c.deps, c.project, c, repo, branch);
    },
  }),
  route({
    method: 'PUT',
    path: `${BRANCHES}/:branch/unprotect`,
    summary: 'Unprotect a branch (deprecated: use protected_branches)',
    access: admin,
    params: Type.Object(BranchName),
    success: { status: 200, schema: Branch },
    errors: [400, 404],
    deprecated: true,
    handler: async (c) => {
      const repo = repositoryOf(c.deps, c.project);
      const branch = await findBranch(repo, c.params.branch);
      await unprotect(c.deps, c.project, c, branch.name.slice(HEADS.length));
      return viewBranch(c.deps, c.project, c, repo, branch);
    },
  }),
];
