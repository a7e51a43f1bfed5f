import type { JobSeed, PipelineSeed } from '../../ci/job-seed.ts';
import { EMPTY_OPTIONS, type JobOptions } from '../../ci/pipeline-config.ts';
import { SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';

/** What a job does: nothing, as a script is never run here. */
const OPTIONS: JobOptions = { ...EMPTY_OPTIONS, script: ['true'] };

/** A pipeline as the seed has it: stages stand in the order in which jobs first name them. @throws SeedMistake */
export function pipelineSeedOf(name: string | null, jobs: readonly Item[]): PipelineSeed {
  const stages = ['.pre', ...new Set(jobs.map(({ stage }) => String(stage)))];
  const names = new Set<string>();
  for (const job of jobs) {
    if (names.has(String(job.name))) throw new SeedMistake(`two jobs are called ${String(job.name)}`);
    const missing = ((job.needs ?? []) as string[]).find((need) => !names.has(need));
    if (missing !== undefined) throw new SeedMistake(`needs: there is no job ${missing} before ${String(job.name)}`);
    names.add(String(job.name));
  }
  return {
    name,
    // A later pipeline of the seed does not cancel an earlier one.
    autoCancel: { onNewCommit: 'none', onJobFailure: null },
    stages,
    jobs: jobs.map((job) => jobSeedOf(job, stages)),
  };
}

function jobSeedOf(job: Item, stages: readonly string[]): JobSeed {
  const { name, stage, status, allow_failure, tag_list, needs, environment } = job;
  return {
    name: String(name),
    kind: 'build',
    stage: String(stage),
    stageIndex: stages.indexOf(String(stage)),
    when: status === 'manual' ? 'manual' : 'on_success',
    startIn: null,
    allowFailure: allow_failure === true || (status === 'manual' && allow_failure === undefined),
    tags: ((tag_list ?? []) as string[]).toSorted(),
    needs: needs === undefined ? null : (needs as string[]).map((job) => ({ job, artifacts: true, optional: false })),
    variables: [],
    environment: typeof environment === 'string' ? environmentOf(environment) : null,
    resourceGroup: null,
    interruptible: null,
    coverage: null,
    options: OPTIONS,
  };
}

const environmentOf = (name: string): NonNullable<JobSeed['environment']> => ({
  name,
  url: null,
  onStop: null,
  action: 'start',
  autoStopIn: null,
  deploymentTier: null,
  kubernetes: null,
});
