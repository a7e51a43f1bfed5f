import { type Static, Type } from 'typebox';
import { type ImportSourceUser, SOURCE_USER_STATUS } from '../../../db/tables/import-source-users.table.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const STATUSES = Object.keys(SOURCE_USER_STATUS) as (keyof typeof SOURCE_USER_STATUS)[];

/** Somebody of another server whose contributions somebody shall be given. */
export const SourceUser = Type.Object({
  id: Type.Integer(),
  source_hostname: Type.String({ description: 'Where they come from.', examples: ['git.example.org'] }),
  import_type: Type.String({ description: 'How they came.', examples: ['gitlab_migration'] }),
  source_user_identifier: Type.String({ description: 'Their id there.', examples: ['42'] }),
  source_name: Nullable(Type.String({ description: 'Their name there.', examples: ['Ann'] })),
  source_username: Nullable(Type.String({ description: 'Their user name there.', examples: ['ann'] })),
  status: Enum(STATUSES, { description: 'What has become of their contributions.', examples: ['awaiting_approval'] }),
});

/** What is shown of one. */
export const presentSourceUser = (row: ImportSourceUser): Static<typeof SourceUser> => ({
  id: row.id,
  source_hostname: row.source_hostname,
  import_type: row.import_type,
  source_user_identifier: row.source_user_identifier,
  source_name: row.source_name,
  source_username: row.source_username,
  status: STATUSES.find((name) => SOURCE_USER_STATUS[name] === row.status)!,
});
