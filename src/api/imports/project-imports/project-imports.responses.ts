import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** A relation of an archive that failed to import. */
export const FailedRelation = Type.Object({
  id: Type.Integer(),
  created_at: Instant(),
  exception_class: Type.String({ description: 'Class of the failure.' }),
  exception_message: Type.String({ description: 'Reason for the failure.' }),
  source: Type.String({ description: 'Component that failed.' }),
  relation_name: Type.String({ description: 'Relation that the object belongs to.' }),
  line_number: Nullable(Type.Integer({ description: 'Line in the archive, if known.' })),
});

/** A project with the status of its import. */
export const ProjectImport = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
  import_status: Enum(['none', 'scheduled', 'started', 'finished', 'failed'], { description: 'Status of the import.' }),
  import_type: Nullable(
    Type.String({ description: 'Type of the import: `git`, `gitlab_project` or `gitlab_project_migration`.' }),
  ),
  correlation_id: Nullable(Type.String({ description: 'Id for finding the import in the log.' })),
  failed_relations: Type.Array(FailedRelation, { description: 'The first hundred relations that failed.' }),
  import_error: Nullable(Type.String({ description: 'Reason for the failure of the import.' })),
  stats: Nullable(Type.Object({}, { description: 'Numbers of objects, if known.' })),
});
