import { GitError } from '../common/index.ts';
import { type GitChild, killedError, spawnGit } from './git.process.ts';
import { lowerPriority, NICE } from './priority.ts';

const HOUR = 3_600_000;

export interface LowPriorityOptions {
  /** Nice value for work with a waiting client; default: that of background work. */
  nice?: number;
  /** Aborts it. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a git command at low priority, limited to an hour of processor time. The caller reads `stdout`, ends `stdin`
 * and awaits `waitForSuccess`.
 * @throws GitError as `spawnGit`
 */
export async function startLowPriority(
  dir: string,
  args: readonly string[],
  { nice = NICE.background, signal }: LowPriorityOptions = {},
): Promise<GitChild> {
  const git = await spawnGit(args, { gitDir: dir, cpuMs: HOUR, ...(signal ? { signal } : {}) });
  lowerPriority(git.child, nice);
  return git;
}

/** Waits for the command to exit successfully. @throws GitError `failed`, `timeout`, `busy` */
export async function waitForSuccess(git: GitChild, name: string | undefined): Promise<void> {
  const { code, stderr, killed } = await git.done;
  if (killed !== null) throw killedError(killed, `git ${name}`);
  if (code !== 0) throw new GitError('failed', `git ${name}: ${stderr.trim()}`, code);
}

/**
 * Runs a git command in the background.
 * @param options with its input
 * @throws GitError `failed`, `timeout` after an hour of processor time, `aborted`
 */
export async function runLowPriority(
  dir: string,
  args: readonly string[],
  { input = '', ...options }: LowPriorityOptions & { input?: string } = {},
): Promise<void> {
  const git = await startLowPriority(dir, args, options);
  git.stdin.end(input);
  git.stdout.resume();
  await waitForSuccess(git, args[0]);
}
