import type { Trigger } from '../../ci/pipeline-config.ts';
import { expandText, referencesIn } from '../../ci/variables/expand.ts';
import { type Variable, variableValues } from '../../ci/variables/variable.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import type { PipelineVariableInput } from '../creation/pipeline-creation.save.ts';
import { openedVariable } from '../variables/at-rest.ts';
import { jobVariables, reportedVariables } from '../variables/job-variables.ts';

/**
 * Variables that a bridge forwards to its downstream pipeline: its own, and optionally those of its pipeline.
 * References are expanded here; file variables that are referred to are included.
 */
export async function forwardedVariables(
  deps: Deps,
  db: Db,
  bridge: CiJob,
  { forward }: Pick<Trigger, 'forward'>,
  yaml: readonly Variable[],
): Promise<PipelineVariableInput[]> {
  const known = variableValues(await jobVariables(deps, db, bridge, { token: '', runner: null }));
  const passed = new Map<string, PipelineVariableInput>();
  const pass = (variable: Variable) => {
    const { key, value, raw, file } = variable;
    if (raw || file) {
      passed.set(key, { key, value, variable_type: file ? 'file' : 'env_var', raw: raw ? 1 : 0 });
      return;
    }
    for (const name of referencesIn(value)) {
      const other = known.get(name);
      if (other?.file === true && !passed.has(name)) pass(other);
    }
    passed.set(key, { key, value: expandText(value, known, { keepFiles: true }), variable_type: 'env_var' });
  };
  if (forward.yamlVariables) for (const variable of yaml) pass(variable);
  if (forward.pipelineVariables) {
    for (const variable of await reportedVariables(deps, db, bridge, null)) pass(variable);
    const input = await db
      .selectFrom('ci_pipeline_variables')
      .selectAll()
      .where('pipeline_id', '=', bridge.pipeline_id)
      .orderBy('key')
      .execute();
    for (const row of input) {
      const { key, value, variable_type, raw } = openedVariable(deps, 'ci_pipeline_variables', row);
      pass({ key, value, file: variable_type === 'file', raw: raw === 1 });
    }
  }
  return [...passed.values()];
}

/** The YAML variables stored with a job. */
export async function yamlVariablesOf(db: Db, jobId: number): Promise<Variable[]> {
  const row = await db.selectFrom('ci_job_configs').select('variables').where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? [] : parseJson<Variable[]>(row.variables);
}
