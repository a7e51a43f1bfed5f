import { Type } from 'typebox';
import { Filled } from '../../../http/http.schema.ts';
import { INVALID_FILE_PATH } from './repository-files.paths.ts';
import { content } from './repository-files.responses.ts';

export const FilePath = {
  file_path: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'URL-encoded full path of the file.',
    'x-message': INVALID_FILE_PATH,
  }),
};

export const RequiredRef = {
  ref: Filled({ description: 'Branch, tag or commit; `HEAD` for the default branch.' }),
};

const writing = {
  branch: Filled({ description: 'Branch to commit to.' }),
  commit_message: Filled(),
  author_email: Type.Optional(Type.String()),
  author_name: Type.Optional(Type.String()),
  start_branch: Type.Optional(Type.String({ description: 'Branch to create `branch` from.' })),
};

const lastCommit = {
  last_commit_id: Type.Optional(Type.String({ description: 'Last commit known to have changed the file.' })),
};

export const WriteFile = Type.Object({ ...writing, ...content, ...lastCommit });

export const DeleteFile = Type.Object({ ...writing, ...lastCommit });
