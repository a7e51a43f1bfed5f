import { COMPLETE, compositeState, isOneOf, type State } from '../../ci/states.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { JobEvent } from './transitions.ts';

type ProcessedJob = Pick<CiJob, 'id' | 'name' | 'stage_index' | 'status' | 'allow_failure' | 'run_when' | 'scheduling'>;

interface Work<J> {
  job: J;
  status: State;
  allowFailure: boolean;
}

/** States of the preceding jobs in which a job runs; in the other complete states it is skipped. */
const RUNS_AFTER: Record<CiJob['run_when'], readonly State[]> = {
  on_success: ['success', 'skipped'],
  manual: ['success', 'skipped'],
  delayed: ['success', 'skipped'],
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
};

/**
 * Events for the created jobs of a pipeline whose stage, or whose needs, are finished.
 * @param jobs latest attempts of the pipeline
 * @param needs names of the needs of each created job with `dag` scheduling, by its id
 * @param outdated ids of jobs with an outdated deployment: they fail instead of running
 */
export function nextMoves<J extends ProcessedJob>(
  jobs: readonly J[],
  needs: ReadonlyMap<number, readonly string[]>,
  outdated: ReadonlySet<number> = new Set(),
): { job: J; event: JobEvent }[] {
  const works = jobs.map((job): Work<J> => ({ job, status: job.status, allowFailure: job.allow_failure === 1 }));
  const byName = new Map(works.map((work) => [work.job.name, work]));
  const needed = ({ job }: Work<J>) => (needs.get(job.id) ?? []).flatMap((name) => byName.get(name) ?? []);
  const moves: { job: J; event: JobEvent }[] = [];
  const before: Work<J>[] = [];
  for (const stage of stagesOf(works)) {
    let earlier: State | undefined;
    for (const work of inNeedsOrder(stage, needed)) {
      if (work.status !== 'created') continue;
      const { job } = work;
      const ofNeeds = job.scheduling === 'dag';
      earlier ??= ofNeeds ? undefined : compositeState(before);
      const state = ofNeeds ? compositeState(needed(work), { ofNeeds }) : earlier!;
      if (!isOneOf(COMPLETE, state)) continue;
      const event = eventOf(job, state, outdated);
      work.status = STATE_AFTER[event];
      moves.push({ job, event });
    }
    before.push(...stage);
  }
  return moves;
}

type ProcessEvent = 'skip' | 'actionize' | 'schedule' | 'drop' | 'enqueue';

/** State of a job as seen by later jobs. */
const STATE_AFTER: Record<ProcessEvent, State> = {
  skip: 'skipped',
  actionize: 'manual',
  schedule: 'scheduled',
  drop: 'failed',
  enqueue: 'pending',
};

function eventOf(
  { id, run_when, scheduling }: ProcessedJob,
  before: State,
  outdated: ReadonlySet<number>,
): ProcessEvent {
  const skippedByNeeds = before === 'skipped' && scheduling === 'dag' && run_when !== 'always';
  if (skippedByNeeds || !isOneOf(RUNS_AFTER[run_when], before)) return 'skip';
  if (outdated.has(id)) return 'drop';
  if (run_when === 'manual') return 'actionize';
  return run_when === 'delayed' ? 'schedule' : 'enqueue';
}

function stagesOf<J extends ProcessedJob>(works: readonly Work<J>[]): Work<J>[][] {
  const stages = new Map<number, Work<J>[]>();
  for (const work of works) {
    const stage = stages.get(work.job.stage_index);
    if (stage === undefined) stages.set(work.job.stage_index, [work]);
    else stage.push(work);
  }
  return [...stages].sort(([a], [b]) => a - b).map(([, stage]) => stage);
}

/** The jobs of a stage in the order of their needs. */
function inNeedsOrder<J extends ProcessedJob>(
  stage: readonly Work<J>[],
  needed: (work: Work<J>) => Work<J>[],
): Work<J>[] {
  const waiting = new Map<Work<J>, number>(stage.map((work) => [work, 0]));
  const after = new Map<Work<J>, Work<J>[]>();
  for (const work of stage) {
    if (work.status !== 'created' || work.job.scheduling !== 'dag') continue;
    for (const other of needed(work)) {
      if (!waiting.has(other)) continue;
      waiting.set(work, waiting.get(work)! + 1);
      const followers = after.get(other);
      if (followers === undefined) after.set(other, [work]);
      else followers.push(work);
    }
  }
  const ordered = stage.filter((work) => waiting.get(work) === 0);
  for (const work of ordered) {
    for (const next of after.get(work) ?? []) {
      const left = waiting.get(next)! - 1;
      waiting.set(next, left);
      if (left === 0) ordered.push(next);
    }
  }
  return ordered;
}
