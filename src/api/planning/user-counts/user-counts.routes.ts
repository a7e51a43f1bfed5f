import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { signedIn } from '../../api.access.ts';
import { openCounts } from './user-counts.queries.ts';

const count = (description: string) => Type.Integer({ description });

export const userCountRoutes = [
  route({
    method: 'GET',
    path: '/user_counts',
    summary: 'Count what waits for oneself',
    description: 'Open issues and merge requests that one may see, in projects that are not archived.',
    access: signedIn,
    scopes: ['read_user'],
    success: {
      status: 200,
      schema: Type.Object({
        merge_requests: count('Merge requests assigned to oneself; the old name.'),
        assigned_issues: count('Issues assigned to oneself.'),
        assigned_merge_requests: count('Merge requests assigned to oneself.'),
        review_requested_merge_requests: count('Merge requests to review.'),
        todos: count('To-do items that are not done, about what one may still see.'),
      }),
    },
    handler: async ({ deps, caller }) => openCounts(deps, caller),
  }),
];
