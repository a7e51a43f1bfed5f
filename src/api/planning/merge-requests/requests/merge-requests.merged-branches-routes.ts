import { Type } from 'typebox';
import { route } from '../../../../http/http.route.ts';
import { inProjectByUser } from '../../../api.access.ts';
import { requestMergedDeletion } from './merged-branches.ts';

/** The removal of merged branches: those of open merge requests stay. */
export const mergedBranchRoutes = [
  route({
    method: 'DELETE',
    path: '/projects/:id/repository/merged_branches',
    summary: 'Delete all branches that are merged into the default branch',
    description: 'Protected branches stay. The work is done in the background, in the name of the caller.',
    access: inProjectByUser('push_code'),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    handler: async ({ deps, project, caller }) => {
      await requestMergedDeletion(deps, project, caller.user);
      return { message: '202 Accepted' };
    },
  }),
];
