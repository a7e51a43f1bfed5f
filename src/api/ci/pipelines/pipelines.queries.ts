import type { Deps } from '../../../deps.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';

/** Maximum number of variables per pipeline. */
const MAX_VARIABLES = 10_000;

/** Returns the variables given at the start of a pipeline, by key. */
export async function variablesOf(deps: Deps, pipelineId: number) {
  const rows = await deps.db
    .selectFrom('ci_pipeline_variables')
    .select(['variable_type', 'key', 'value', 'raw'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('key')
    .limit(MAX_VARIABLES)
    .execute();
  return rows.map((row) => openedVariable(deps, 'ci_pipeline_variables', row));
}
