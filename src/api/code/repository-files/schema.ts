import { Type } from 'typebox';
import { Content, Enum, Filled } from '../../../http/schema.ts';
import { INVALID_FILE_PATH } from './paths.ts';

/** Repository file (part 1, section 2). */
export const RepositoryFile = Type.Object({
  file_name: Type.String(),
  file_path: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  encoding: Type.String({ description: 'Encoding of content: base64.' }),
  content_sha256: Type.String(),
  ref: Type.String(),
  blob_id: Type.String(),
  commit_id: Type.String(),
  last_commit_id: Type.String({ description: 'Last commit that changed the file.' }),
  execute_filemode: Type.Boolean(),
  content: Type.String({ description: 'Base64 of the content.' }),
});

export const BlameRange = Type.Object({
  commit: Type.Object({
    id: Type.String(),
    parent_ids: Type.Array(Type.String()),
    message: Type.String(),
    authored_date: Type.String(),
    author_name: Type.String(),
    author_email: Type.String(),
    committed_date: Type.String(),
    committer_name: Type.String(),
    committer_email: Type.String(),
  }),
  lines: Type.Array(Type.String()),
});

/** The two fields that a written file is answered with. */
export const WrittenFile = Type.Object({ file_path: Type.String(), branch: Type.String() });

export const FilePath = {
  file_path: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'URL-encoded full path of the file.',
    'x-message': INVALID_FILE_PATH,
  }),
};

export const RequiredRef = {
  ref: Filled({ description: 'Branch, tag or commit; HEAD means the default branch.' }),
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

const content = {
  content: Content({ description: 'Content of the file, as text or Base64.' }),
  encoding: Type.Optional(Enum(['text', 'base64'], { default: 'text' })),
  execute_filemode: Type.Optional(Type.Boolean()),
};

export const WriteFile = Type.Object({ ...writing, ...content, ...lastCommit });
export const DeleteFile = Type.Object({ ...writing, ...lastCommit });
