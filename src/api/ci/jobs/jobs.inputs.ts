import { Type } from 'typebox';
import { STATES } from '../../../ci/states.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';

export const JobId = { job_id: Type.Integer() };

/** `scope` of lists of jobs: the states that are wanted. */
export const JobScope = Type.Optional(
  Type.Array(Enum(STATES), { description: 'Only those in one of these states; in any when absent.' }),
);

export const ListJobs = Type.Object({
  scope: JobScope,
  ref: Type.Optional(Type.String({ description: 'Only those of this branch or tag.' })),
  pagination: Type.Optional(
    Enum(['keyset'], { description: 'Page by keyset: the `Link` header leads to the next page.' }),
  ),
  order_by: Type.Optional(Enum(['id'], { default: 'id' })),
  sort: Type.Optional(Enum(['desc'], { default: 'desc' })),
  cursor: Type.Optional(Type.String({ description: 'Where the page before ended; out of its `Link` header.' })),
  ...pagination,
});

export const ListPipelineJobs = Type.Object({
  scope: JobScope,
  include_retried: Type.Optional(Type.Boolean({ default: false, description: 'Those that were retried, too.' })),
  ...pagination,
});

export const ListBridges = Type.Object({ scope: JobScope, ...pagination });

const JobInputs = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Values for the inputs of the job, by name; the others keep theirs.',
    examples: [{ target: 'staging' }],
  }),
);

export const RetryJob = Type.Object({ inputs: JobInputs });

/** Variables that a job is started with at most. */
const MAX_VARIABLES = 1_000;

export const PlayJob = Type.Object({
  job_inputs: JobInputs,
  job_variables_attributes: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({ maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' }),
        value: Type.String(),
      }),
      { description: 'Variables that the job gets beside its own.', maxItems: MAX_VARIABLES },
    ),
  ),
});
