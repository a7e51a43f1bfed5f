import { GitError } from './git.errors.ts';
import { type GitChild, killedError, spawnGit } from './git.process.ts';
import { lowerPriority, NICE } from './priority.ts';

const HOUR = 3_600_000;

export interface LowPriorityOptions {
  /** That of what somebody may wait for; that of the background where it is not given. */
  nice?: number;
  /** Kills it. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a git command that nobody waits for, with the rest of the machine's time, for an hour of a processor; the caller reads
 * `stdout`, ends `stdin` and awaits `waitForSuccess`.
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

/** @throws GitError `failed`, `timeout`, `busy` where it has not */
export async function waitForSuccess(git: GitChild, name: string | undefined): Promise<void> {
  const { code, stderr, killed } = await git.done;
  if (killed !== null) throw killedError(killed, `git ${name}`);
  if (code !== 0) throw new GitError('failed', `git ${name}: ${stderr.trim()}`, code);
}

/**
 * Runs a git command in the background.
 * @param options with what it reads
 * @throws GitError `failed`, `timeout` after an hour of a processor, `aborted`
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
