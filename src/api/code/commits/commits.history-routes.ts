import { Type } from 'typebox';
import { countCommits, type RefFolder, refsContaining } from '../../../git/history/index.ts';
import { HEADS, TAGS } from '../../../git/refs/index.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';
import { uncountedPage } from '../../../http/listing.ts';
import { Diff } from './commits.diff-responses.ts';
import { CommitSha, commitReader, findCommit, findCommitId } from './commits.find.ts';
import { readSignature, Signature } from './commits.signature.ts';
import { commitDiffPage } from './diff-page.ts';

const params = Type.Object(CommitSha);
const FOLDERS: Record<'branch' | 'tag' | 'all', RefFolder[]> = { branch: [HEADS], tag: [TAGS], all: [HEADS, TAGS] };

/** Git sorts heads before tags. */
function presentRef(ref: string) {
  const folder = ref.startsWith(HEADS) ? HEADS : TAGS;
  return { type: folder === HEADS ? 'branch' : 'tag', name: ref.slice(folder.length).toWellFormed() };
}

export const commitHistoryRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/diff',
    summary: 'Get the diff of a commit',
    access: commitReader,
    params,
    input: Type.Object({
      unidiff: Type.Optional(
        Type.Boolean({ default: false, description: 'Diffs in unified format, with `---` and `+++` lines.' }),
      ),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Diff) },
    errors: [404],
    handler: async (c) => {
      const { repo, oid } = await findCommitId(c.deps, c.project, c.params.sha);
      const unidiff = c.input.unidiff === true;
      return c.page(({ offset, size }) => commitDiffPage(c.deps, repo, oid, { offset, size, unidiff }));
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/refs',
    summary: 'List the branches and tags that contain a commit',
    access: commitReader,
    params,
    input: Type.Object({
      type: Type.Optional(Enum(['branch', 'tag', 'all'], { default: 'all' })),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(Type.Object({ type: Type.String(), name: Type.String() })) },
    errors: [400, 404],
    handler: async (c) => {
      const { repo, commit } = await findCommit(c.deps, c.project, c.params.sha);
      const refs = await refsContaining(repo, commit.oid, FOLDERS[c.input.type ?? 'all']);
      return c.page(
        ({ offset, size }) => uncountedPage(refs.slice(offset, offset + size + 1), size),
        (shown) => shown.map(presentRef),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/sequence',
    summary: 'Count the commits up to a commit',
    access: commitReader,
    params,
    input: Type.Object({
      first_parent: Type.Optional(Type.Boolean({ default: false, description: 'Follow only the first parent.' })),
    }),
    success: { status: 200, schema: Type.Object({ count: Type.Integer() }) },
    errors: [404],
    handler: async ({ deps, project, params, input }) => {
      const { repo, commit } = await findCommit(deps, project, params.sha);
      return { count: await countCommits(repo, [commit.oid], { firstParent: input.first_parent === true }) };
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/signature',
    summary: 'Get the signature of a commit',
    access: commitReader,
    params,
    success: { status: 200, schema: Signature },
    errors: [404],
    handler: async ({ deps, project, params }) => readSignature(deps, await findCommit(deps, project, params.sha)),
  }),
];
