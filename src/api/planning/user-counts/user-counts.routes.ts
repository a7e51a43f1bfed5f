import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { signedIn } from '../../api.access.ts';
import { openCounts } from './user-counts.queries.ts';

const count = (description: string) => Type.Integer({ description });

export const userCountRoutes = [
  route({
    method: 'GET',
    path: '/user_counts',
    summary: "Count the caller's open work",
    description: 'Counts open issues and merge requests that the caller may see, without archived projects.',
    access: signedIn,
    scopes: ['read_user'],
    success: {
      status: 200,
      schema: Type.Object({
        merge_requests: count('Old name of `assigned_merge_requests`.'),
        assigned_issues: count('Issues assigned to the caller.'),
        assigned_merge_requests: count('Merge requests assigned to the caller.'),
        review_requested_merge_requests: count('Merge requests that the caller is asked to review.'),
        todos: count('Pending to-do items with targets that the caller may still see.'),
      }),
    },
    handler: async ({ deps, caller }) => openCounts(deps, caller),
  }),
];
