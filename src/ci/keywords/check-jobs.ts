import { ConfigError } from '../config/config-error.ts';
import type { Tree } from '../config/loaded.ts';
import type { JobConfig, Need } from '../pipeline-config.ts';
import { isString } from './checks.keyword.ts';
import { own } from './config-node.ts';

const LONGEST_NAME = 255;

/** Known jobs, for checks of references. */
interface Known {
  stages: ReadonlyMap<string, number>;
  jobs: ReadonlyMap<string, JobConfig>;
}

function checkStage(job: JobConfig, { stages }: Known): void {
  if (stages.has(job.stage)) return;
  throw new ConfigError(
    `${job.name} job: chosen stage ${job.stage} does not exist; available stages are ${[...stages.keys()].join(', ')}`,
  );
}

function checkOther(job: JobConfig, name: string, word: 'need' | 'dependency', { jobs, stages }: Known): void {
  const other = jobs.get(name);
  if (other === undefined) throw new ConfigError(`${job.name} job: undefined ${word}: ${name}`);
  const node = stages.get(other.stage);
  if (node === undefined || node > stages.get(job.stage)!) {
    throw new ConfigError(`${job.name} job: ${word} ${name} is not defined in current or prior stages`);
  }
}

/** Names of parallel jobs may be too long for needs. */
function checkNeed(job: JobConfig, name: string, known: Known): void {
  if (known.jobs.has(name) && [...name].length > LONGEST_NAME) {
    throw new ConfigError(`${job.name} job: need \`${name}\` name is too long (maximum is ${LONGEST_NAME} characters)`);
  }
  checkOther(job, name, 'need', known);
}

function checkNeeds(job: JobConfig, needs: readonly Need[], known: Known): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { job: name, optional } of needs) {
    if (known.jobs.has(name) || !optional) checkNeed(job, name, known);
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  if (twice.size > 0) {
    throw new ConfigError(`${job.name} has the following needs duplicated: ${[...twice].join(', ')}.`);
  }
}

function checkOnStop({ name, environment }: JobConfig, { jobs }: Known): void {
  if (environment === null || environment.onStop === null) return;
  const { onStop } = environment;
  const refuse = (text: string) => new ConfigError(`${name} job: on_stop job ${onStop} ${text}`);
  const other = jobs.get(onStop);
  if (other === undefined) throw refuse('is not defined');
  if (other.environment === null) throw refuse('does not have environment defined');
  if (other.environment.name !== environment.name) throw refuse('have different environment name');
  if (other.environment.action !== 'stop') throw refuse('needs to have action stop defined');
}

/** Jobs whose artifacts contain the configuration of a child pipeline. */
const includedJobs = ({ options: { trigger } }: JobConfig): string[] =>
  (trigger?.include ?? []).map((include): Tree => own(include, 'job')).filter(isString);

/**
 * Checks that jobs fit together: their stages, and references to each other.
 * @throws ConfigError for the first error
 */
export function checkJobs(stages: readonly string[], jobs: readonly JobConfig[]): void {
  const known: Known = {
    stages: new Map(stages.map((stage, at) => [stage, at])),
    jobs: new Map(jobs.map((job) => [job.name, job])),
  };
  // Copies of a parallel job share their lists, which are checked once.
  const looked = new Set<unknown>();
  for (const job of jobs) {
    checkStage(job, known);
    if (!looked.has(job.options))
      for (const name of job.options.dependencies ?? []) checkOther(job, name, 'dependency', known);
    looked.add(job.options);
    for (const needs of [job.needs, ...(job.rules ?? []).map((rule) => rule.needs)]) {
      if (needs !== null && !looked.has(needs)) checkNeeds(job, needs, known);
      looked.add(needs);
    }
    for (const name of includedJobs(job)) checkOther(job, name, 'dependency', known);
    checkOnStop(job, known);
  }
}
