import { coerce } from '../../ci/config/inputs/input-types.ts';
import { inputValues } from '../../ci/config/inputs/input-values.ts';
import type { Tree, TreeMap } from '../../ci/config/loaded.ts';
import type { JobOptions } from '../../ci/pipeline-config.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';

/** Values for the inputs of a job, by name. */
export type JobInputValues = Readonly<Record<string, unknown>>;

async function optionsOf(db: Db, jobId: number): Promise<JobOptions | null> {
  const row = await db.selectFrom('ci_job_configs').select('options').where('job_id', '=', jobId).executeTakeFirst();
  return row === undefined ? null : parseJson<JobOptions>(row.options);
}

/** Validation errors for input values of a job, worded as those of configurations. */
export async function inputErrors(db: Db, jobId: number, input: JobInputValues): Promise<string[]> {
  if (Object.keys(input).length === 0) return [];
  return inputValues((await optionsOf(db, jobId))?.inputs ?? {}, input).errors;
}

/** Stores validated input values of a job. */
export async function setInputs(db: Db, jobId: number, input: JobInputValues): Promise<void> {
  const options = Object.keys(input).length === 0 ? null : await optionsOf(db, jobId);
  if (options === null) return;
  const inputs = Object.entries(options.inputs ?? {}).map(([name, spec]) => [
    name,
    Object.hasOwn(input, name) ? { ...(spec as TreeMap), default: input[name] } : spec,
  ]);
  const text = JSON.stringify({ ...options, inputs: Object.fromEntries(inputs) });
  await db.updateTable('ci_job_configs').set({ options: text }).where('job_id', '=', jobId).execute();
}

/** Inputs of a job in the format for its runner. */
export const inputsOf = ({ inputs }: JobOptions) =>
  Object.entries(inputs ?? {}).map(([key, spec]) => {
    const { type = 'string', default: content = null } = spec as { type?: string; default?: Tree };
    return { key, value: { type, content: coerce(type, content), sensitive: false } };
  });
