import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { PipelineBasic } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { PipelineVariable } from '../pipelines/pipelines.responses.ts';

const fields = {
  id: Type.Integer(),
  description: Type.String(),
  ref: Type.String(),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: Nullable(Instant()),
  active: Type.Boolean(),
  created_at: Instant(),
  updated_at: Instant(),
  owner: Nullable(UserBasic),
  inputs: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), value: Type.Unsafe<unknown>({ examples: ['staging'] }) }), {
      description: 'Inputs of its pipelines; only for callers who may change the schedule.',
    }),
  ),
};

/** A schedule in a list. */
export const PipelineSchedule = Type.Object(fields);

/** A single schedule. */
export const PipelineScheduleDetails = Type.Object({
  ...fields,
  last_pipeline: Nullable(PipelineBasic),
  variables: Type.Optional(
    Type.Array(PipelineVariable, {
      description: 'Variables of its pipelines; only for callers who may change the schedule.',
    }),
  ),
});
