import type { DiffCommand } from './diff-process.ts';
import { NICE } from './priority.ts';

const MiB = 1024 * 1024;

/** Patches as they are shown, file by file, each raw line before all of them. */
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

/** Asks for the size of commits against their first parents; the answer is git's `--shortstat` line. */
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

/** Bytes that git may allocate for a diff at first; only a few need more. */
export const DEFAULT_CHILD_MEMORY: number = 48 * MiB;

/**
 * Bytes that git may allocate to compare the trees of a commit: one of a million files takes less, and one of a few folders that stand for
 * thousands of millions ends soon.
 */
export const COMPARE_CHILD_MEMORY: number = 512 * MiB;

/** Lines of context that the warm processes give. */
export const WORKER_CONTEXT_LINES = 3;

/** What a process that lives on keeps of what it has unpacked. */
const WARM = ['-c', 'core.deltaBaseCacheLimit=8m'];

/** Prints the compared ids (`<commit>`, or `<tree> <tree>`), then what `diff-tree` with `DIFF_OPTIONS` prints. */
export const DIFF_WORKER: DiffCommand = {
  args: [...WARM, 'diff-tree', '--stdin', '--always', ...DIFF_OPTIONS, `--unified=${WORKER_CONTEXT_LINES}`],
  memory: DEFAULT_CHILD_MEMORY,
};

export const STATS_WORKER: DiffCommand = { args: [...WARM, ...STATS_COMMAND], memory: DEFAULT_CHILD_MEMORY };

/** The same for nobody who waits: it may use as much memory as any command. */
export const LOW_PRIORITY_STATS: DiffCommand = {
  args: STATS_COMMAND,
  memory: 2 * 1024 * MiB,
  nice: NICE.background,
};

/** The same of files alone that a commit adds or removes, which may be renamed ones. */
export const LOW_PRIORITY_RENAMES: DiffCommand = {
  ...LOW_PRIORITY_STATS,
  args: [...STATS_COMMAND, '--diff-filter=ADR'],
};
