import { Type } from 'typebox';
import { invalidParameter } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, Filled, pagination } from '../../../http/http.schema.ts';
import { inProjectByUser } from '../../api.access.ts';
import { CommitSha, commitReader, findCommit } from '../../code/index.ts';
import { usersById } from '../../identity/index.ts';
import { commandsOnly, presentComment, QUICK_ACTIONS_DESCRIPTION } from '../quick-actions/quick-actions.responses.ts';
import { commitNotes } from './commit-comments.queries.ts';
import { CommitNote } from './commit-comments.responses.ts';
import { presentCommitNote } from './commit-comments.views.ts';
import { addComment } from './commit-comments.writes.ts';

const params = Type.Object(CommitSha);

export const commitCommentRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/comments',
    summary: 'List the comments on a commit',
    access: commitReader,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(CommitNote) },
    errors: [404],
    handler: async (c) => {
      const { deps, project } = c;
      const { commit } = await findCommit(deps, project, c.params.sha);
      return c.page(commitNotes(deps.db, project.id, commit.oid), async (rows) => {
        const authors = await usersById(deps.db, pluck(rows, 'author_id'));
        return rows.map((note) => presentCommitNote(deps, note, authors.get(note.author_id)!));
      });
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/repository/commits/:sha/comments',
    summary: 'Comment on a commit',
    description: QUICK_ACTIONS_DESCRIPTION,
    otherSuccess: commandsOnly,
    access: inProjectByUser('comment_on_commit', { sees: 'read_code' }),
    params,
    input: Type.Object({
      note: Filled({ maxLength: 1_000_000, description: 'Text of the comment.' }),
      path: Type.Optional(Type.String({ description: 'Path of the file with the line.' })),
      line: Type.Optional(Type.Integer({ description: 'Number of the line; required with `path`.' })),
      line_type: Type.Optional(
        Enum(['new', 'old'], { default: 'new', description: 'Side of the diff: `new` (after) or `old` (before).' }),
      ),
    }),
    success: { status: 201, schema: CommitNote },
    errors: [400, 403, 404, 429],
    handler: async (c) => {
      const { deps, project, caller, params, input } = c;
      const commit = await findCommit(deps, project, params.sha);
      const { note, path, line, line_type: type = 'new' } = input;
      if (path && line === undefined) throw invalidParameter('line is missing');
      const at = path && line !== undefined ? { path, line, type } : undefined;
      const written = await addComment(deps, c, commit, { note, at });
      return presentComment(c, { iid: null }, written, async (row) => presentCommitNote(deps, row, caller.user));
    },
  }),
];
