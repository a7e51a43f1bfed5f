import type { Db } from '../../../db/schema.ts';

/** Variables of a pipeline at most. */
const MAX_VARIABLES = 10_000;

/** The variables that a pipeline was started with, by their keys. */
export const variablesOf = (db: Db, pipelineId: number) =>
  db
    .selectFrom('ci_pipeline_variables')
    .select(['variable_type', 'key', 'value', 'raw'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('key')
    .limit(MAX_VARIABLES)
    .execute();
