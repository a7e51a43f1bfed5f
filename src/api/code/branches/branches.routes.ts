import { Type } from 'typebox';
import { HEADS } from '../../../git/refs/index.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { listRefs, type RefQuery, selectRefs } from '../../../repositories/ref-list.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { BranchName, CreateBranch, ListBranches, type ListBranchesInput } from './branches.inputs.ts';
import { serializeBranches, viewBranch } from './branches.list.ts';
import { pageOfRefs } from './branches.page.ts';
import { Branch } from './branches.responses.ts';
import { createBranch, deleteBranch, findBranch } from './branches.writes.ts';

export const BRANCHES = '/projects/:id/repository/branches';
const read = inProject('read_code', { anonymous: true });
const push = inProject('push_code');

const queryOf = ({ search, regex, sort }: ListBranchesInput): RefQuery => ({
  folder: HEADS,
  search,
  regex,
  order: sort === 'updated_asc' || sort === 'updated_desc' ? 'updated' : 'name',
  descending: sort === 'updated_desc',
});

export const branchRoutes = [
  route({
    method: 'GET',
    path: BRANCHES,
    summary: 'List the branches of a repository',
    credentials: API_AND_JOB_TOKENS,
    access: read,
    cacheable: [],
    input: ListBranches,
    rules: { mutuallyExclusive: [['search', 'regex']] },
    success: { status: 200, schema: Type.Array(Branch) },
    errors: [400, 422],
    handler: async (c) => {
      const { deps, project, input } = c;
      const repo = repositoryOf(deps, project);
      const query = queryOf(input);
      const all = await repo.refs.list(HEADS);
      const refs = await selectRefs(repo, all, query);
      const token = input.pagination === 'keyset' ? (input.page_token ?? '') : undefined;
      return c.page(
        (page) => listRefs(refs, query, token, page, (start) => pageOfRefs(refs, start, page.size)),
        (shown) => serializeBranches(deps, project, c, repo, all, shown),
      );
    },
  }),
  route({
    method: 'GET',
    path: `${BRANCHES}/:branch`,
    summary: 'Get a branch',
    credentials: API_AND_JOB_TOKENS,
    access: read,
    params: Type.Object(BranchName),
    success: { status: 200, schema: Branch },
    errors: [400, 404],
    handler: async (c) => {
      const repo = repositoryOf(c.deps, c.project);
      return viewBranch(c.deps, c.project, c, repo, await findBranch(repo, c.params.branch));
    },
  }),
  route({
    method: 'HEAD',
    path: `${BRANCHES}/:branch`,
    summary: 'Check whether a branch exists',
    access: read,
    params: Type.Object(BranchName),
    success: { status: 204, empty: true },
    errors: [400, 404],
    handler: async (c) => {
      await findBranch(repositoryOf(c.deps, c.project), c.params.branch);
    },
  }),
  route({
    method: 'POST',
    path: BRANCHES,
    summary: 'Create a branch',
    description: 'In an empty repository, the default branch is created first, with an empty README.md.',
    access: inProjectByUser('push_code'),
    input: CreateBranch,
    success: { status: 201, schema: Branch },
    errors: [400],
    handler: async (c) => {
      const branch = await createBranch(c.deps, c.project, c, c.input.branch, c.input.ref);
      return viewBranch(c.deps, c.project, c, repositoryOf(c.deps, c.project), branch);
    },
  }),
  route({
    method: 'DELETE',
    path: `${BRANCHES}/:branch`,
    summary: 'Delete a branch',
    description: 'The default branch and protected branches cannot be deleted.',
    access: push,
    params: Type.Object(BranchName),
    success: { status: 204, empty: true },
    errors: [400, 404, 412],
    handler: async (c) => {
      await deleteBranch(c.deps, c.project, c, c.params.branch, async (repo, { oid }) => {
        const commit = await repo.objects.commit(oid);
        if (commit !== null) checkUnmodifiedSince(c.request, commit.author.date.toISOString());
      });
    },
  }),
];
