/** Runs git: processes with limits, the spawner, and processes kept for diffs. */

export { fitsArgument, isEntryPath, isPathArgument, LITERAL_PATHS } from './arguments.ts';
export { CLOCK_FACTOR, limitCpu } from './cpu-limit.ts';
export {
  COMPARE_CHILD_MEMORY,
  DEFAULT_CHILD_MEMORY,
  DIFF_OPTIONS,
  DIFF_WORKER,
  LOW_PRIORITY_RENAMES,
  LOW_PRIORITY_STATS,
  STATS_COMMAND,
  STATS_WORKER,
  WORKER_CONTEXT_LINES,
} from './diff-workers/diff-commands.ts';
export { type DiffCommand, DiffProcess } from './diff-workers/diff-process.ts';
export { DiffWorkers } from './diff-workers/diff-workers.ts';
export { MAX_STATS_LINE, ShortStats, STATS_CPU_MS } from './diff-workers/short-stats.ts';
export { WorkerLimiter } from './diff-workers/worker-limiter.ts';
export { gitEnvironment, privateFolder, useGitConfig } from './git.environment.ts';
export { gitFailure } from './git.failure.ts';
export {
  acquireSlot,
  forbidChildren,
  type GitChild,
  type Killed,
  killedError,
  killGroup,
  READ_MS,
  runGit,
  spawnGit,
} from './git.process.ts';
export { runLowPriority, startLowPriority, waitForSuccess } from './low-priority.ts';
export { gitOutput } from './output.ts';
export { lowerPriority, NICE } from './priority.ts';
export { readRecords, recordBatches } from './records.ts';
export type { Child } from './spawner/child.ts';
export { signalGroup, startChild, startSpawner, whenStarted } from './spawner/start-child.ts';
