import { Type } from 'typebox';
import { type Route, route } from '../../../../http/http.route.ts';
import { List, pagination } from '../../../../http/http.schema.ts';
import { Commit, presentCommit, projectUrl } from '../../../code/index.ts';
import {
  diffReader,
  MERGE_REQUEST_PATH,
  mergeRequestReader,
  onMergeRequest,
  params,
} from '../lifecycle/merge-requests.access.ts';
import { addContextCommits, contextCommits, removeContextCommits } from './context-commits.writes.ts';

const PATH = `${MERGE_REQUEST_PATH}/context_commits`;
/** Access for users who may change the merge request and read the code. */
const changer = onMergeRequest('update_merge_request', {
  further: async (_deps, { permissions }) => permissions.can('read_code'),
});
/** Maximum number of commits in a request. */
const MAX_ADDED = 20;
const commits = (maxItems: number) =>
  List(Type.String({ maxLength: 64 }), { minItems: 1, maxItems, description: 'Full SHAs of commits of the project.' });

export const contextCommitRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the context commits of a merge request',
    description: 'Other commits of the project that are shown for review, newest first.',
    access: mergeRequestReader,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(Commit) },
    errors: [403, 404],
    handler: async (c) => {
      const listed = await contextCommits(c.deps, c.project, await diffReader(c));
      return c.page(listed, (commits) => commits.map((commit) => presentCommit(commit, projectUrl(c.deps, c.project))));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Add context commits to a merge request',
    access: changer,
    input: Type.Object({ commits: commits(MAX_ADDED) }),
    success: { status: 201, schema: Type.Array(Commit) },
    errors: [400, 403, 404],
    handler: async (c) => {
      const added = await addContextCommits(c.deps, c.project, c.row, c.input.commits);
      return added.map((commit) => presentCommit(commit, projectUrl(c.deps, c.project)));
    },
  }),
  route({
    method: 'DELETE',
    path: PATH,
    summary: 'Remove context commits from a merge request',
    access: changer,
    input: Type.Object({ commits: commits(200) }),
    success: { status: 204, empty: true },
    errors: [400, 403, 404],
    handler: async (c) => removeContextCommits(c.deps, c.row, c.input.commits),
  }),
];
