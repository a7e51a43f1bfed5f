import type { Static } from 'typebox';
import type { Compiled } from '../../../ci/compile-request.ts';
import type { JobSeed } from '../../../ci/job-seed.ts';
import type { JobConfig, PipelineConfig, RefPolicy } from '../../../ci/pipeline-config.ts';
import type { LintResult } from './lint.responses.ts';

type Result = Static<typeof LintResult>;
type LintJob = NonNullable<Result['jobs']>[number];

/** Result for a configuration that cannot be compiled. */
export const refusedResult = (error: string): Compiled => ({
  mergedYaml: null,
  includes: null,
  config: null,
  evaluated: null,
  errors: [error],
  warnings: [],
});

/**
 * Renders a compiled configuration.
 * @param options `dryRun`: whether to list the jobs of the simulated pipeline
 */
export function presentLint(compiled: Compiled, options: { includeJobs: boolean; dryRun: boolean }): Result {
  const { errors, warnings, mergedYaml, includes } = compiled;
  const valid = errors.length === 0;
  return {
    valid,
    errors,
    warnings: valid ? warnings : [],
    merged_yaml: mergedYaml,
    includes,
    ...(options.includeJobs ? { jobs: valid ? jobsOf(compiled, options.dryRun) : [] } : {}),
  };
}

/** Estimates the size of a response in characters: jobs may share a long script, which is repeated for each of them. */
export function responseSize(compiled: Compiled, options: { includeJobs: boolean; dryRun: boolean }): number {
  const { mergedYaml, config, evaluated } = compiled;
  const jobs = options.includeJobs ? ((options.dryRun ? evaluated?.seed?.jobs : config?.jobs) ?? []) : [];
  let size = mergedYaml?.length ?? 0;
  for (const { options: input } of jobs) {
    for (const command of [...input.beforeScript, ...input.script, ...input.afterScript]) size += command.length;
  }
  return size;
}

function jobsOf({ config, evaluated }: Compiled, dryRun: boolean): LintJob[] {
  if (dryRun) return evaluated?.seed?.jobs.map(presentSeed) ?? [];
  return config === null ? [] : byStage(config).map(presentJob);
}

function byStage({ stages, jobs }: PipelineConfig): JobConfig[] {
  const places = new Map(stages.map((stage, place) => [stage, place]));
  return jobs.toSorted((one, other) => places.get(one.stage)! - places.get(other.stage)!);
}

const presentSeed = (seed: JobSeed): LintJob => ({
  name: seed.name,
  stage: seed.stage,
  before_script: seed.options.beforeScript,
  script: seed.options.script,
  after_script: seed.options.afterScript,
  tag_list: seed.tags,
  environment: seed.environment?.name ?? null,
  when: seed.when,
  allow_failure: seed.allowFailure,
});

const presentJob = (job: JobConfig): LintJob => ({
  name: job.name,
  stage: job.stage,
  before_script: job.options.beforeScript,
  script: job.options.script,
  after_script: job.options.afterScript,
  tag_list: job.tags,
  only: presentPolicy(job.only),
  except: presentPolicy(job.except),
  environment: job.environment?.name ?? null,
  when: job.when,
  allow_failure: job.allowFailure ?? job.when === 'manual',
  needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
});

/** Only the keys that are set. */
const presentPolicy = (policy: RefPolicy | null): LintJob['only'] =>
  policy && Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== null));
