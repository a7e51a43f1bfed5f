import { Type } from 'typebox';
import { Enum, Filled, optional, pagination, Secret } from '../../../http/http.schema.ts';

const STATUSES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
const MAX_ENTITIES = 100;
const status = Enum(STATUSES, { description: 'Only those in this state.' });

export const createInput = Type.Object({
  configuration: Type.Object(
    {
      url: Filled({ maxLength: 2_048, description: 'Address of the other server.' }),
      access_token: Secret({ minLength: 1, maxLength: 255, description: 'Personal access token of the other server.' }),
    },
    { description: 'The other server.' },
  ),
  entities: Type.Array(
    Type.Object({
      source_type: Enum(['group_entity', 'project_entity'], { description: 'What it is.' }),
      source_full_path: Filled({ maxLength: 2_048, description: 'Its path on the other server.' }),
      destination_namespace: Type.String({
        maxLength: 2_048,
        description: 'Path of the group or user here that it is put into; empty for a group under no other.',
      }),
      destination_slug: Type.Optional(
        Filled({ maxLength: 255, description: 'Last part of its path here; as on the other server when absent.' }),
      ),
      destination_name: Type.Optional(
        Filled({ maxLength: 255, deprecated: true, description: 'The old form of `destination_slug`.' }),
      ),
      migrate_projects: Type.Optional(
        Type.Boolean({ default: true, description: 'Whether the projects of a group come, too.' }),
      ),
      migrate_memberships: Type.Optional(Type.Boolean({ default: true, description: 'Whether members come, too.' })),
    }),
    { minItems: 1, maxItems: MAX_ENTITIES, description: 'Groups and projects that shall come.' },
  ),
});

export const listInput = optional({
  sort: Enum(['asc', 'desc'], { default: 'desc', description: 'Order by the time of creation.' }),
  status,
  ...pagination,
});

export const entityListInput = optional({ status, ...pagination });
export const failureListInput = optional(pagination);
export const importId = Type.Object({ import_id: Type.Integer({ description: 'Id of the import.' }) });
export const entityId = Type.Object({
  import_id: Type.Integer({ description: 'Id of the import.' }),
  entity_id: Type.Integer({ description: 'Id of the group or project in it.' }),
});
