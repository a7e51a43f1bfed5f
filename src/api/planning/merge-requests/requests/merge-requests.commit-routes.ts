import { Type } from 'typebox';
import { route } from '../../../../http/http.route.ts';
import { Enum, pagination } from '../../../../http/http.schema.ts';
import { API_AND_JOB_TOKENS } from '../../../../http/job-tokens.ts';
import { CommitSha, commitReader, findCommit } from '../../../code/index.ts';
import { MergeRequestBasic } from '../views/merge-requests.responses.ts';
import { presentMergeRequests } from '../views/merge-requests.views.ts';
import { mergeRequestsWith } from './merge-requests.changes.ts';

/** The merge requests of a commit. */
export const commitMergeRequestRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/merge_requests',
    summary: 'List the merge requests that introduced a commit',
    credentials: API_AND_JOB_TOKENS,
    description:
      'Merge requests that contain the commit, or that created it when they were merged. Empty if the caller has no access to merge requests.',
    access: commitReader,
    params: Type.Object(CommitSha),
    input: Type.Object({
      state: Type.Optional(
        Enum(['opened', 'closed', 'locked', 'merged'], {
          description: 'Only merge requests in this state; defaults to all.',
        }),
      ),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(MergeRequestBasic) },
    errors: [400, 404],
    handler: async (c) => {
      const { deps, project } = c;
      const { commit } = await findCommit(deps, project, c.params.sha);
      const readable = c.permissions.can('read_merge_request');
      return c.page(readable ? mergeRequestsWith(deps, project, commit.oid, c.input.state) : [], (rows) =>
        presentMergeRequests(deps, rows, { from: { project } }),
      );
    },
  }),
];
