import { setTimeout as sleep } from 'node:timers/promises';
import { runGit } from './git.process.ts';

export interface FsckResult {
  ok: boolean;
  /** What git says, a line each; at most 1,000. It may hold paths of the machine. */
  problems: string[];
}

const HOUR = 3_600_000;
const MAX_PROBLEMS = 1_000;

/** What git says of a loose object that was there a moment ago. */
const VANISHED = /unable to (?:mmap|open) .*No such file/;
const LOOKS = 10;
const PAUSE_MS = 500;

/**
 * Checks every object of a repository, and that all refs reach whole histories. Upkeep may remove loose objects that it
 * has packed while git walks over them: only then it looks again, for what is really lost stays so.
 * @param dir directory of the repository
 * @throws GitError `timeout` after an hour of a processor, `aborted`, `output_too_large`, `busy`
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
