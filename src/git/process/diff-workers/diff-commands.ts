import { NICE } from '../priority.ts';
import type { DiffCommand } from './diff-process.ts';

const MiB = 1024 * 1024;

/** Options for patches file by file, preceded by all raw lines. */
export const DIFF_OPTIONS: readonly string[] = [
  '-r',
  '--raw',
  '--patch',
  '--full-index',
  '--find-renames=30%',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/** Requests line counts of commits against their first parents, as a `--shortstat` line. */
export const STATS_COMMAND: readonly string[] = [
  'diff-tree',
  '--stdin',
  '--root',
  '-r',
  '--always',
  '--shortstat',
  '--find-renames',
  '--diff-merges=first-parent',
  '--no-ext-diff',
  '--no-textconv',
];

/** Initial memory limit in bytes of git for a diff. Few diffs require more. */
export const DEFAULT_CHILD_MEMORY: number = 48 * MiB;

/**
 * Memory limit in bytes of git for comparing trees. A commit with a million files requires less; one with a few folders
 * that expand to billions of files fails soon.
 */
export const COMPARE_CHILD_MEMORY: number = 512 * MiB;

/** Number of context lines of the reused processes. */
export const WORKER_CONTEXT_LINES = 3;

/** Limits the delta base cache of a long-lived process. */
const WARM = ['-c', 'core.deltaBaseCacheLimit=8m'];

/** Prints the compared ids (`<commit>`, or `<tree> <tree>`), then the output of `diff-tree` with `DIFF_OPTIONS`. */
export const DIFF_WORKER: DiffCommand = {
  args: [...WARM, 'diff-tree', '--stdin', '--always', ...DIFF_OPTIONS, `--unified=${WORKER_CONTEXT_LINES}`],
  memory: DEFAULT_CHILD_MEMORY,
};

export const STATS_WORKER: DiffCommand = { args: [...WARM, ...STATS_COMMAND], memory: DEFAULT_CHILD_MEMORY };

/** Line counts at low priority, with as much memory as any command. */
export const LOW_PRIORITY_STATS: DiffCommand = {
  args: STATS_COMMAND,
  memory: 2 * 1024 * MiB,
  nice: NICE.background,
};

/** Like `LOW_PRIORITY_STATS`, limited to files that a commit adds or removes, which may be renames. */
export const LOW_PRIORITY_RENAMES: DiffCommand = {
  ...LOW_PRIORITY_STATS,
  args: [...STATS_COMMAND, '--diff-filter=ADR'],
};
