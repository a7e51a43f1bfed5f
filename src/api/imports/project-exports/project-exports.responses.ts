import { Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** A project, and how far the archive of it is (registry facts 7.3). */
export const ProjectExport = Type.Object({
  id: Type.Integer(),
  description: Nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String({ description: 'Its name behind those of the groups above it.' }),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: Instant(),
  export_status: Enum(['none', 'queued', 'started', 'finished', 'regeneration_in_progress'], {
    description: 'How far the archive is; `regeneration_in_progress` where an earlier one can be had meanwhile.',
  }),
  _links: Type.Optional(
    Type.Object(
      {
        api_url: Type.String({ description: 'Where the archive can be had.' }),
        web_url: Type.String({ description: 'The same, for people.' }),
      },
      { description: 'Where the archive can be had, once it can.' },
    ),
  ),
});
