import { GitError } from './errors.ts';
import { lowerPriority, NICE } from './priority.ts';
import { type GitChild, killedError, spawnGit } from './process.ts';

const HOUR = 3_600_000;

/**
 * Starts a git command that nobody waits for, with the rest of the machine's time, for an hour of a processor; the caller reads
 * `stdout`, ends `stdin` and awaits `endedWell`.
 * @throws GitError as `spawnGit`
 */
export async function startInBackground(dir: string, args: readonly string[]): Promise<GitChild> {
  const git = await spawnGit(args, { gitDir: dir, processorMs: HOUR });
  lowerPriority(git.child, NICE.background);
  return git;
}

/** @throws GitError `failed`, `timeout`, `busy` where it has not */
export async function endedWell(git: GitChild, name: string | undefined): Promise<void> {
  const { code, stderr, killed } = await git.done;
  if (killed !== null) throw killedError(killed, `git ${name}`);
  if (code !== 0) throw new GitError('failed', `git ${name}: ${stderr.trim()}`, code);
}

/**
 * Runs a git command in the background.
 * @param input what it reads
 * @throws GitError `failed`, `timeout` after an hour of a processor
 */
export async function runInBackground(dir: string, args: readonly string[], input = ''): Promise<void> {
  const git = await startInBackground(dir, args);
  git.stdin.end(input);
  git.stdout.resume();
  await endedWell(git, args[0]);
}
