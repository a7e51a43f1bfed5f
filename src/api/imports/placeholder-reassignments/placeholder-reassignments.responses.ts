import { type Static, Type } from 'typebox';
import { type ImportSourceUser, SOURCE_USER_STATUS } from '../../../db/tables/import-source-users.table.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const STATUSES = Object.keys(SOURCE_USER_STATUS) as (keyof typeof SOURCE_USER_STATUS)[];

/** A user of a source server whose contributions are to be reassigned. */
export const SourceUser = Type.Object({
  id: Type.Integer(),
  source_hostname: Type.String({ description: 'Host name of the source server.', examples: ['git.example.org'] }),
  import_type: Type.String({ description: 'Type of the import.', examples: ['gitlab_migration'] }),
  source_user_identifier: Type.String({ description: 'Id of the source user.', examples: ['42'] }),
  source_name: Nullable(Type.String({ description: 'Name of the source user.', examples: ['Ann'] })),
  source_username: Nullable(Type.String({ description: 'User name of the source user.', examples: ['ann'] })),
  status: Enum(STATUSES, { description: 'Status of the reassignment.', examples: ['awaiting_approval'] }),
});

/** Renders a source user. */
export const presentSourceUser = (row: ImportSourceUser): Static<typeof SourceUser> => ({
  id: row.id,
  source_hostname: row.source_hostname,
  import_type: row.import_type,
  source_user_identifier: row.source_user_identifier,
  source_name: row.source_name,
  source_username: row.source_username,
  status: STATUSES.find((name) => SOURCE_USER_STATUS[name] === row.status)!,
});
