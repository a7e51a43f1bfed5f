import { Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

/** Snippet (part 2, section 2). */
export const Snippet = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  description: Nullable(Type.String()),
  visibility: Enum(VISIBILITIES),
  author: UserBasic,
  created_at: Instant(),
  updated_at: Instant(),
  expires_at: Nullable(Instant()),
  project_id: Nullable(Type.Integer({ description: 'Null for personal snippets.' })),
  web_url: Type.String(),
  raw_url: Type.String(),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  file_name: Type.String({ description: 'Path of the first file.' }),
  files: Type.Array(Type.Object({ path: Type.String(), raw_url: Type.String() })),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  repository_storage: Type.Optional(Type.String({ description: 'Only for administrators.' })),
});
