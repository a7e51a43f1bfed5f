import { type Static, Type } from 'typebox';
import { PIPELINE_SOURCES } from '../../../ci/pipeline-sources.ts';
import { STATES } from '../../../ci/states.ts';
import { Enum, Filled, Instant, pagination } from '../../../http/http.schema.ts';

export const PipelineId = { pipeline_id: Type.Integer() };

export const PIPELINE_SCOPES = ['running', 'pending', 'finished', 'branches', 'tags'] as const;

export const ListPipelines = Type.Object({
  scope: Type.Optional(
    Enum(PIPELINE_SCOPES, {
      description:
        'Only pipelines in this scope: by state (`finished`: success, failed or canceled), or the last one of each existing branch or tag.',
    }),
  ),
  status: Type.Optional(Enum(STATES)),
  ref: Type.Optional(Type.String({ description: 'Only pipelines of this branch or tag.' })),
  sha: Type.Optional(Type.String({ description: 'Only pipelines of this commit, given by its full id.' })),
  yaml_errors: Type.Optional(
    Type.Boolean({ description: 'Only pipelines with, or without, an invalid configuration.', examples: [true] }),
  ),
  username: Type.Optional(Type.String({ description: 'Only pipelines started by this user.' })),
  source: Type.Optional(
    Enum(PIPELINE_SOURCES, {
      description: 'Only pipelines of this source. Child pipelines are listed with `parent_pipeline` only.',
    }),
  ),
  name: Type.Optional(Type.String({ description: 'Only pipelines with this name, as set by `workflow:name`.' })),
  updated_before: Type.Optional(Instant()),
  updated_after: Type.Optional(Instant()),
  created_before: Type.Optional(Instant()),
  created_after: Type.Optional(Instant()),
  order_by: Type.Optional(Enum(['id', 'status', 'ref', 'updated_at', 'user_id'], { default: 'id' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
  ...pagination,
});
export type PipelineFilters = Omit<Static<typeof ListPipelines>, 'page' | 'per_page'>;

/** Maximum number of variables given on start. */
const MAX_VARIABLES = 1_000;

export const CreatePipeline = Type.Object({
  ref: Filled({ description: 'Branch or tag to run for.' }),
  variables: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({ maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' }),
        value: Type.String(),
        variable_type: Type.Optional(Enum(['env_var', 'file'], { default: 'env_var' })),
      }),
      {
        description: 'Variables that take precedence over those of the project and the configuration.',
        maxItems: MAX_VARIABLES,
        examples: [[{ key: 'TARGET', value: 'staging' }]],
      },
    ),
  ),
  inputs: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Values for the inputs of the configuration (`spec:inputs`), by name.',
      examples: [{ environment: 'staging' }],
    }),
  ),
});
