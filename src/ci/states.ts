/** States of jobs and pipelines (part 1, 2; `status` of both). */
export const STATES = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;
export type State = (typeof STATES)[number];

/** Running, or about to run without user action. */
export const ACTIVE = ['waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running'] as const;
/** Neither complete nor waiting for a user. */
export const ALIVE = [...ACTIVE, 'created', 'scheduled'] as const;
/** Complete, until someone retries it. */
export const COMPLETE = ['success', 'failed', 'canceled', 'skipped'] as const;
/** Complete, and not skipped. */
export const FINISHED = ['success', 'failed', 'canceled'] as const;
/** States of jobs assigned to a runner. */
export const EXECUTING = ['running', 'canceling'] as const;

export const isOneOf = (states: readonly State[], state: State): boolean => states.includes(state);

/** State of a job as part of its stage or pipeline. */
export interface JobState {
  status: State;
  allowFailure: boolean;
}

type Counted = State | 'warned' | 'ignored';

function counted({ status, allowFailure }: JobState): Counted {
  if (!allowFailure) return status;
  if (status === 'failed' || status === 'canceled') return 'warned';
  return status === 'manual' ? 'ignored' : status;
}

/**
 * Combined state of jobs: of a stage, of a pipeline, or of needed jobs. Takes the jobs that were not retried.
 * @param ofNeeds for needed jobs: a skipped one makes the job skipped
 */
export function compositeState(jobs: Iterable<JobState>, { ofNeeds = false } = {}): State {
  const present = new Set<Counted>();
  for (const job of jobs) present.add(counted(job));
  const only = (...states: Counted[]) => [...present].every((state) => states.includes(state));
  if (present.size === 0) return 'success';
  if (ofNeeds && (present.has('skipped') || present.has('ignored'))) return 'skipped';
  if (only('skipped', 'ignored')) return 'skipped';
  if (only('success', 'skipped', 'warned', 'ignored')) return 'success';
  if (only('created', 'warned', 'ignored')) return 'created';
  if (only('preparing', 'warned', 'ignored')) return 'preparing';
  if (only('canceled', 'success', 'skipped', 'warned', 'ignored')) return 'canceled';
  if (only('pending', 'created', 'skipped', 'warned', 'ignored')) return 'pending';
  if (present.has('running') || present.has('pending')) return 'running';
  for (const state of ['waiting_for_resource', 'waiting_for_callback', 'manual', 'scheduled', 'preparing'] as const) {
    if (present.has(state)) return state;
  }
  if (present.has('created')) return 'running';
  return present.has('canceling') ? 'canceling' : 'failed';
}
