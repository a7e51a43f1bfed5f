import { Type } from 'typebox';
import { Enum, Filled, optional, pagination, Secret } from '../../../http/http.schema.ts';

const STATUSES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
const MAX_ENTITIES = 100;
const status = Enum(STATUSES, { description: 'Only imports in this state.' });

export const createInput = Type.Object({
  configuration: Type.Object(
    {
      url: Filled({ maxLength: 2_048, description: 'URL of the source server.' }),
      access_token: Secret({
        minLength: 1,
        maxLength: 255,
        description: 'Personal access token for the source server.',
      }),
    },
    { description: 'Source server.' },
  ),
  entities: Type.Array(
    Type.Object({
      source_type: Enum(['group_entity', 'project_entity'], { description: 'Type of the entity.' }),
      source_full_path: Filled({ maxLength: 2_048, description: 'Full path on the source server.' }),
      destination_namespace: Type.String({
        maxLength: 2_048,
        description: 'Full path of the destination namespace; empty to create a top-level group.',
      }),
      destination_slug: Type.Optional(
        Filled({
          maxLength: 255,
          description: 'Path segment of the new group or project; as on the source server when absent.',
        }),
      ),
      destination_name: Type.Optional(
        Filled({ maxLength: 255, deprecated: true, description: 'Deprecated: use `destination_slug`.' }),
      ),
      migrate_projects: Type.Optional(
        Type.Boolean({ default: true, description: 'Whether to import the projects of a group.' }),
      ),
      migrate_memberships: Type.Optional(
        Type.Boolean({ default: true, description: 'Whether to import memberships.' }),
      ),
    }),
    { minItems: 1, maxItems: MAX_ENTITIES, description: 'Groups and projects to import.' },
  ),
});

export const listInput = optional({
  sort: Enum(['asc', 'desc'], { default: 'desc', description: 'Sort direction by creation time.' }),
  status,
  ...pagination,
});

export const entityListInput = optional({ status, ...pagination });
export const failureListInput = optional(pagination);
export const importId = Type.Object({ import_id: Type.Integer({ description: 'Id of the import.' }) });
export const entityId = Type.Object({
  import_id: Type.Integer({ description: 'Id of the import.' }),
  entity_id: Type.Integer({ description: 'Id of the entity: a group or project of the import.' }),
});
