import { setTimeout as sleep } from 'node:timers/promises';
import { runGit } from '../process/index.ts';

export interface FsckResult {
  ok: boolean;
  /** Lines of git's output, at most 1,000. They may contain server paths. */
  problems: string[];
}

const HOUR = 3_600_000;
const MAX_PROBLEMS = 1_000;

/** Git's message for a loose object that has just disappeared. */
const VANISHED = /unable to (?:mmap|open) .*No such file/;
const LOOKS = 10;
const PAUSE_MS = 500;

/**
 * Checks every object of a repository and the connectivity of all refs. Housekeeping may remove packed loose objects
 * during the check; only then it is repeated, since real damage persists.
 * @param dir directory of the repository
 * @throws GitError `timeout` after an hour of processor time, `aborted`, `output_too_large`, `busy`
 */
export async function fsck(dir: string, signal?: AbortSignal): Promise<FsckResult> {
  for (let looks = 1; ; looks += 1) {
    const result = await look(dir, signal);
    if (looks === LOOKS || !result.problems.some((line) => VANISHED.test(line))) return result;
    await sleep(PAUSE_MS, undefined, signal === undefined ? {} : { signal });
  }
}

async function look(dir: string, signal?: AbortSignal): Promise<FsckResult> {
  const { code, stdout, stderr } = await runGit(['fsck', '--full', '--strict', '--no-dangling', '--no-progress'], {
    gitDir: dir,
    cpuMs: HOUR,
    okCodes: Array.from({ length: 256 }, (_, exit) => exit),
    ...(signal ? { signal } : {}),
  });
  const lines = `${stdout.toString('utf8')}\n${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('notice: '));
  return { ok: code === 0, problems: lines.slice(0, MAX_PROBLEMS) };
}
