import { Type } from 'typebox';
import { unauthorized } from '../../../core/errors.ts';
import { route } from '../../../http/route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject } from '../../access.ts';
import { HEADS } from './entity.ts';
import { protectByFlags, unprotect } from './legacy-protection.ts';
import { viewBranch } from './list.ts';
import { requestMergedDeletion } from './merged.ts';
import { BRANCHES } from './routes.ts';
import { Branch, BranchName, ProtectBranch } from './schema.ts';
import { findBranch } from './service.ts';

const admin = inProject('admin_protected_refs');

/** The removal of merged branches, and the old way to protect a branch. */
export const otherBranchRoutes = [
  route({
    method: 'DELETE',
    path: '/projects/:id/repository/merged_branches',
    summary: 'Delete all branches that are merged into the default branch',
    description: 'Protected branches stay. The work is done in the background, in the name of the caller.',
    access: inProject('push_code'),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    handler: async ({ deps, project, caller }) => {
      if (caller.user === null) throw unauthorized();
      await requestMergedDeletion(deps, project, caller.user);
      return { message: '202 Accepted' };
    },
  }),
  route({
    method: 'PUT',
    path: `${BRANCHES}/:branch/protect`,
    summary: 'Protect a branch (use protected_branches)',
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
    summary: 'Take the protection of a branch away (use protected_branches)',
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
