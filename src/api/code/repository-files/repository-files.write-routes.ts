import { Type } from 'typebox';
import { refused } from '../../../core/core.errors.ts';
import type { FileAction } from '../../../git/commits/index.ts';
import { route } from '../../../http/http.route.ts';
import { commitFiles } from '../../../repositories/commit-files.ts';
import { pusher } from '../../api.access.ts';
import { decodeContent } from '../commits/commits.content.ts';
import { DeleteFile, FilePath, WriteFile } from './repository-files.inputs.ts';
import { filePath } from './repository-files.paths.ts';
import { WrittenFile } from './repository-files.responses.ts';

const STALE_UPDATE = 'You are attempting to update a file that has changed since you started editing it.';
const STALE_DELETE = 'You are attempting to delete a file that has been previously updated.';

const params = Type.Object(FilePath);
const errors = [400, 413];

interface WriteInput {
  branch: string;
  commit_message: string;
  author_email?: string;
  author_name?: string;
  start_branch?: string;
}

const common = (input: WriteInput) => ({
  branch: input.branch,
  message: input.commit_message,
  authorName: input.author_name,
  authorEmail: input.author_email,
  startBranch: input.start_branch || undefined,
});

export const writeRoutes = [
  route({
    method: 'POST',
    path: '/projects/:id/repository/files/:file_path',
    summary: 'Create a file in the repository',
    access: pusher,
    bodyLimit: 'file',
    params,
    input: WriteFile,
    success: { status: 201, schema: WrittenFile },
    errors,
    handler: async ({ deps, project, actor, params: { file_path }, input }) => {
      const path = filePath(file_path);
      const content = await decodeContent(input.content, input.encoding, 'content');
      const action: FileAction = {
        action: 'create',
        path,
        content,
        ...(input.execute_filemode === undefined ? {} : { executable: input.execute_filemode }),
      };
      await commitFiles(deps, { project, actor, actions: [action], ...common(input) });
      return { file_path: path, branch: input.branch };
    },
  }),
  route({
    method: 'PUT',
    path: '/projects/:id/repository/files/:file_path',
    summary: 'Update a file in the repository',
    access: pusher,
    bodyLimit: 'file',
    params,
    input: WriteFile,
    success: { status: 200, schema: WrittenFile },
    errors,
    handler: async ({ deps, project, actor, params: { file_path }, input }) => {
      const path = filePath(file_path);
      const content = await decodeContent(input.content, input.encoding, 'content');
      const action: FileAction = {
        action: 'update',
        path,
        content,
        ...(input.execute_filemode === undefined ? {} : { executable: input.execute_filemode }),
        ...(input.last_commit_id ? { lastCommitId: input.last_commit_id } : {}),
      };
      await commitFiles(deps, {
        project,
        actor,
        actions: [action],
        staleMessage: STALE_UPDATE,
        ...common(input),
      });
      return { file_path: path, branch: input.branch };
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/repository/files/:file_path',
    summary: 'Delete a file from the repository',
    access: pusher,
    params,
    input: DeleteFile,
    success: { status: 204, empty: true },
    errors,
    handler: async ({ deps, project, actor, params: { file_path }, input }) => {
      const path = filePath(file_path);
      if (input.branch.trim() === '') throw refused('You can only create or edit files when you are on a branch');
      const action: FileAction = {
        action: 'delete',
        path,
        ...(input.last_commit_id ? { lastCommitId: input.last_commit_id } : {}),
      };
      await commitFiles(deps, {
        project,
        actor,
        actions: [action],
        staleMessage: STALE_DELETE,
        ...common(input),
      });
    },
  }),
];
