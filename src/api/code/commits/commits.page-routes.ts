import { Type } from 'typebox';
import { emptyTreeLike } from '../../../git/common/index.ts';
import { mailPatch, PATCH_MEMORY, rawPatch } from '../../../git/diff/index.ts';
import { route } from '../../../http/http.route.ts';
import { CommitSha, commitReader, findCommit } from './commits.find.ts';

const common = {
  method: 'GET',
  root: true,
  access: commitReader,
  expensive: true,
  params: Type.Object(CommitSha),
  success: { status: 200, contentType: 'text/plain', description: 'Streamed.' },
  errors: [404, 429],
} as const;

/** A commit as text at its web URL, for tools that apply it. */
export const commitPageRoutes = [
  route({
    ...common,
    path: '/:id/-/commit/:sha.diff',
    summary: 'Get a commit as a plain diff',
    handler: async (c) => {
      const { repo, commit } = await findCommit(c.deps, c.project, c.params.sha);
      c.reply.type('text/plain; charset=utf-8');
      const parent = commit.parents[0] ?? emptyTreeLike(commit.oid);
      return c.stream(PATCH_MEMORY, () => rawPatch(repo, parent, commit.oid, c.signal));
    },
  }),
  route({
    ...common,
    path: '/:id/-/commit/:sha.patch',
    summary: 'Get a commit as a patch for git am',
    handler: async (c) => {
      const { repo, commit } = await findCommit(c.deps, c.project, c.params.sha);
      c.reply.type('text/plain; charset=utf-8');
      return c.stream(PATCH_MEMORY, () => mailPatch(repo, commit.parents[0] ?? null, commit.oid, c.signal));
    },
  }),
];
