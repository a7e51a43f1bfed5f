import { Type } from 'typebox';
import { STATES } from '../../../ci/states.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';

export const JobId = { job_id: Type.Integer() };

/** `scope` of lists of jobs: the requested states. */
export const JobScope = Type.Optional(
  Type.Array(Enum(STATES), { description: 'Only jobs in one of these states; all jobs when absent.' }),
);

export const ListJobs = Type.Object({
  scope: JobScope,
  ref: Type.Optional(Type.String({ description: 'Only jobs of this branch or tag.' })),
  pagination: Type.Optional(
    Enum(['keyset'], { description: 'Keyset pagination: the `Link` header leads to the next page.' }),
  ),
  order_by: Type.Optional(Enum(['id'], { default: 'id' })),
  sort: Type.Optional(Enum(['desc'], { default: 'desc' })),
  cursor: Type.Optional(
    Type.String({ description: 'Position after which the page begins, from the `Link` header of the previous page.' }),
  ),
  ...pagination,
});

export const ListPipelineJobs = Type.Object({
  scope: JobScope,
  include_retried: Type.Optional(Type.Boolean({ default: false, description: 'Include retried jobs.' })),
  ...pagination,
});

export const ListBridges = Type.Object({ scope: JobScope, ...pagination });

const JobInputs = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Values for inputs of the job, by name. Other inputs keep their values.',
    examples: [{ target: 'staging' }],
  }),
);

export const RetryJob = Type.Object({ inputs: JobInputs });

/** Maximum number of variables given on start. */
const MAX_VARIABLES = 1_000;

export const PlayJob = Type.Object({
  job_inputs: JobInputs,
  job_variables_attributes: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({ maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' }),
        value: Type.String(),
      }),
      { description: 'Variables of the job in addition to the configured ones.', maxItems: MAX_VARIABLES },
    ),
  ),
});
