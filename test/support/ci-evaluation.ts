import assert from 'node:assert/strict';
import type { PipelineContext } from '../../src/ci/compile-request.ts';
import { evaluate } from '../../src/ci/evaluation/evaluation.evaluate.ts';
import type { EvaluatedPipeline, JobSeed } from '../../src/ci/job-seed.ts';
import type { JobConfig, PipelineConfig, RefPolicy } from '../../src/ci/pipeline-config.ts';
import type { ConfigSources } from '../../src/ci/sources.ts';
import { config, job, pipelineContext, rule, sources } from './ci-config.ts';

/** What jobs are evaluated in. */
export interface Around {
  context?: Partial<PipelineContext>;
  sources?: Partial<ConfigSources>;
  config?: Partial<PipelineConfig>;
}

const SOURCE = { project: 'group/project', sha: 'a'.repeat(40) };

export const run = (jobs: JobConfig[], around: Around = {}): Promise<EvaluatedPipeline> =>
  evaluate(config(jobs, around.config), pipelineContext(around.context), sources(around.sources), SOURCE);

/** The jobs that the pipeline has. */
export async function seeds(jobs: JobConfig[], around: Around = {}): Promise<JobSeed[]> {
  const { seed, errors } = await run(jobs, around);
  assert.deepEqual(errors, []);
  return seed!.jobs;
}
/** The only job. */
export const only = async (overrides: Partial<JobConfig>, around: Around = {}): Promise<JobSeed> =>
  (await seeds([job('only', overrides)], around))[0]!;

/** Whether the pipeline has a job, beside one that is always there. */
export async function has(overrides: Partial<JobConfig>, around: Around = {}): Promise<boolean> {
  const jobs = await seeds([job('always', { rules: [rule()] }), job('asked', overrides)], around);
  return jobs.some(({ name }) => name === 'asked');
}

export const policy = (overrides: Partial<RefPolicy>): RefPolicy => ({
  refs: null,
  variables: null,
  changes: null,
  kubernetes: null,
  ...overrides,
});
export const valueIn = (seed: JobSeed, key: string) => seed.variables.find((variable) => variable.key === key)?.value;
export const stored = (key: string, value: string, environmentScope = '*', masked = false) => ({
  key,
  value,
  environmentScope,
  masked,
});
