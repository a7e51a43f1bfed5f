import { Type } from 'typebox';
import { route } from '../../../../http/http.route.ts';
import { inProjectByUser } from '../../../api.access.ts';
import { requestMergedDeletion } from './merged-branches.ts';

/** Removal of merged branches, except those of open merge requests. */
export const mergedBranchRoutes = [
  route({
    method: 'DELETE',
    path: '/projects/:id/repository/merged_branches',
    summary: 'Delete all branches merged into the default branch',
    description: 'Keeps protected branches. Runs in the background with the rights of the caller.',
    access: inProjectByUser('push_code'),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    handler: async ({ deps, project, caller }) => {
      await requestMergedDeletion(deps, project, caller.user);
      return { message: '202 Accepted' };
    },
  }),
];
