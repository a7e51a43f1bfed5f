import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** A project with the status of its export (registry facts 7.3). */
export const ProjectExport = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String({ description: 'Name, including the names of all ancestor groups.' }),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
  export_status: Enum(['none', 'queued', 'started', 'finished', 'regeneration_in_progress'], {
    description: 'Status of the export; `regeneration_in_progress` while an earlier archive is still available.',
  }),
  _links: Type.Optional(
    Type.Object(
      {
        api_url: Type.String({ description: 'API URL of the archive.' }),
        web_url: Type.String({ description: 'Web URL of the archive.' }),
      },
      { description: 'URLs of the archive; only when it is available.' },
    ),
  ),
});
