import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

const STATUSES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
const id = Type.Integer();
const status = Enum(STATUSES, { description: 'How far it is.' });
const has_failures = Type.Boolean({ description: 'Whether something could not be taken over.' });
const times = { created_at: Instant(), updated_at: Instant() };

export const BulkImport = Type.Object({
  id,
  status,
  source_type: Enum(['gitlab'], { description: 'What the other server speaks.' }),
  source_url: Type.String({ description: 'Address of the other server.' }),
  ...times,
  has_failures,
});

export const BulkImportFailure = Type.Object({
  relation: Type.String(),
  exception_message: Type.String({ description: 'Why it could not be taken over.' }),
  exception_class: Type.String({ description: 'Kind of failure.' }),
  correlation_id_value: Nullable(Type.String({ description: 'Id under which the log tells of it.' })),
  source_url: Nullable(Type.String({ description: 'Where it is on the other server.' })),
  source_title: Nullable(Type.String({ description: 'What it is called there.' })),
});

const Counts = Type.Object({
  source: Type.Integer({ description: 'Objects that there are on the other server.' }),
  fetched: Type.Integer({ description: 'Objects that have come.' }),
  imported: Type.Integer({ description: 'Objects that were written.' }),
});

export const BulkImportEntity = Type.Object({
  id,
  bulk_import_id: Type.Integer({ description: 'Id of the import that it is of.' }),
  status,
  entity_type: Enum(['group', 'project'], { description: 'What it is.' }),
  source_full_path: Type.String({ description: 'Its path on the other server.' }),
  destination_full_path: Type.String({ description: 'Its path here.' }),
  destination_name: Type.String({ description: 'The last part of its path here.' }),
  destination_slug: Type.String({ description: 'The last part of its path here.' }),
  destination_namespace: Type.String({
    description: 'Path of the group that it is put into; empty where it is in none.',
  }),
  parent_id: Nullable(Type.Integer({ description: 'Id of the entity with which it comes.' })),
  namespace_id: Nullable(Type.Integer({ description: 'Id of the group that it has become.' })),
  project_id: Nullable(Type.Integer({ description: 'Id of the project that it has become.' })),
  ...times,
  failures: Type.Array(BulkImportFailure, { description: 'What could not be taken over, the first hundred.' }),
  migrate_projects: Type.Boolean({ description: 'Whether the projects of the group come, too.' }),
  migrate_memberships: Type.Boolean({ description: 'Whether its members come, too.' }),
  has_failures,
  stats: Type.Object({}, { additionalProperties: Counts, description: 'Numbers of objects by relation.' }),
});
