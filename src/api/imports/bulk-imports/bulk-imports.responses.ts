import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

const STATUSES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
const id = Type.Integer();
const status = Enum(STATUSES, { description: 'State of the import.' });
const has_failures = Type.Boolean({ description: 'Whether some objects could not be imported.' });
const times = { created_at: Instant(), updated_at: Instant() };

export const BulkImport = Type.Object({
  id,
  status,
  source_type: Enum(['gitlab'], { description: 'Type of the source server.' }),
  source_url: Type.String({ description: 'URL of the source server.' }),
  ...times,
  has_failures,
});

export const BulkImportFailure = Type.Object({
  relation: Type.String(),
  exception_message: Type.String({ description: 'Reason for the failure.' }),
  exception_class: Type.String({ description: 'Class of the failure.' }),
  correlation_id_value: Nullable(Type.String({ description: 'Id for finding the failure in the log.' })),
  source_url: Nullable(Type.String({ description: 'URL of the object on the source server.' })),
  source_title: Nullable(Type.String({ description: 'Title of the object on the source server.' })),
});

const Counts = Type.Object({
  source: Type.Integer({ description: 'Number of objects on the source server.' }),
  fetched: Type.Integer({ description: 'Number of objects fetched.' }),
  imported: Type.Integer({ description: 'Number of objects imported.' }),
});

export const BulkImportEntity = Type.Object({
  id,
  bulk_import_id: Type.Integer({ description: 'Id of the import.' }),
  status,
  entity_type: Enum(['group', 'project'], { description: 'Type of the entity.' }),
  source_full_path: Type.String({ description: 'Full path on the source server.' }),
  destination_full_path: Type.String({ description: 'Full path on this server.' }),
  destination_name: Type.String({ description: 'Path segment on this server.' }),
  destination_slug: Type.String({ description: 'Path segment on this server.' }),
  destination_namespace: Type.String({
    description: 'Full path of the destination namespace; empty for a top-level group.',
  }),
  parent_id: Nullable(Type.Integer({ description: 'Id of the parent entity.' })),
  namespace_id: Nullable(Type.Integer({ description: 'Id of the imported group.' })),
  project_id: Nullable(Type.Integer({ description: 'Id of the imported project.' })),
  ...times,
  failures: Type.Array(BulkImportFailure, { description: 'The first hundred failures.' }),
  migrate_projects: Type.Boolean({ description: 'Whether the projects of the group are imported.' }),
  migrate_memberships: Type.Boolean({ description: 'Whether memberships are imported.' }),
  has_failures,
  stats: Type.Object({}, { additionalProperties: Counts, description: 'Numbers of objects by relation.' }),
});
