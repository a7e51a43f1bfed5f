import { Type } from 'typebox';
import { Content, Enum } from '../../../http/http.schema.ts';

/** Repository file (part 1, section 2). */
export const RepositoryFile = Type.Object({
  file_name: Type.String(),
  file_path: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  encoding: Type.String({ description: 'Encoding of `content`: `base64`.' }),
  content_sha256: Type.String(),
  ref: Type.String(),
  blob_id: Type.String(),
  commit_id: Type.String(),
  last_commit_id: Type.String({ description: 'Last commit that changed the file.' }),
  execute_filemode: Type.Boolean(),
  content: Type.String({ description: 'Base64-encoded content.' }),
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

/** Response to a written file. */
export const WrittenFile = Type.Object({ file_path: Type.String(), branch: Type.String() });

export const content = {
  content: Content({ description: 'Content of the file, as text or Base64.' }),
  encoding: Type.Optional(Enum(['text', 'base64'], { default: 'text' })),
  execute_filemode: Type.Optional(Type.Boolean()),
};
