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
        'Those in such a state (`finished`: success, failed or canceled), or the last one of each branch or tag that there is.',
    }),
  ),
  status: Type.Optional(Enum(STATES)),
  ref: Type.Optional(Type.String({ description: 'Only those of this branch or tag.' })),
  sha: Type.Optional(Type.String({ description: 'Only those of this commit; its whole id.' })),
  yaml_errors: Type.Optional(
    Type.Boolean({ description: 'Whether their configuration could not be read.', examples: [true] }),
  ),
  username: Type.Optional(Type.String({ description: 'Only those that this user started.' })),
  source: Type.Optional(
    Enum(PIPELINE_SOURCES, {
      description: 'Why they were made. Child pipelines are listed by `parent_pipeline` alone.',
    }),
  ),
  name: Type.Optional(Type.String({ description: 'Only those that `workflow:name` gave this name.' })),
  updated_before: Type.Optional(Instant()),
  updated_after: Type.Optional(Instant()),
  created_before: Type.Optional(Instant()),
  created_after: Type.Optional(Instant()),
  order_by: Type.Optional(Enum(['id', 'status', 'ref', 'updated_at', 'user_id'], { default: 'id' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
  ...pagination,
});
export type PipelineFilters = Omit<Static<typeof ListPipelines>, 'page' | 'per_page'>;

/** Variables that a pipeline is started with at most. */
const MAX_VARIABLES = 1_000;

export const CreatePipeline = Type.Object({
  ref: Filled({ description: 'Branch or tag that it runs for.' }),
  variables: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({ maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' }),
        value: Type.String(),
        variable_type: Type.Optional(Enum(['env_var', 'file'], { default: 'env_var' })),
      }),
      {
        description: 'Variables that go before those of the project and of the configuration.',
        maxItems: MAX_VARIABLES,
        examples: [[{ key: 'TARGET', value: 'staging' }]],
      },
    ),
  ),
  inputs: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Values of the inputs that the configuration asks for (`spec:inputs`), by name.',
      examples: [{ environment: 'staging' }],
    }),
  ),
});
