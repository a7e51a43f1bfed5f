import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** What of an archive could not be taken over. */
export const FailedRelation = Type.Object({
  id: Type.Integer(),
  created_at: Instant(),
  exception_class: Type.String({ description: 'Kind of failure.' }),
  exception_message: Type.String({ description: 'Why it could not be taken over.' }),
  source: Type.String({ description: 'What was at work.' }),
  relation_name: Type.String({ description: 'What of the project it is of.' }),
  line_number: Nullable(Type.Integer({ description: 'Line of the archive, where it is known.' })),
});

/** A project, and how far its import is. */
export const ProjectImport = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
  import_status: Enum(['none', 'scheduled', 'started', 'finished', 'failed'], { description: 'How far it is.' }),
  import_type: Nullable(
    Type.String({ description: 'How it came: `git`, `gitlab_project`, `gitlab_project_migration`.' }),
  ),
  correlation_id: Nullable(Type.String({ description: 'Id under which the log tells of it.' })),
  failed_relations: Type.Array(FailedRelation, { description: 'What could not be taken over, the first hundred.' }),
  import_error: Nullable(Type.String({ description: 'Why it has failed.' })),
  stats: Nullable(Type.Object({}, { description: 'Numbers of objects, where they are known.' })),
});
