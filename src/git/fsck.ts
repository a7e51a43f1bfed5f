import { runGit } from './process.ts';

export interface FsckResult {
  ok: boolean;
  /** What git says, a line each; at most 1,000. It may hold paths of the machine. */
  problems: string[];
}

const HOUR = 3_600_000;
const MAX_PROBLEMS = 1_000;

/**
 * Checks every object of a repository, and that all refs reach whole histories. Upkeep that packs objects meanwhile can
 * make git miss some, so a repository is called damaged only when it looks so twice.
 * @param dir directory of the repository
 * @throws GitError `timeout` after an hour, `aborted`, `output_too_large`, `busy`
 */
export async function fsck(dir: string, signal?: AbortSignal): Promise<FsckResult> {
  const first = await look(dir, signal);
  return first.ok ? first : look(dir, signal);
}

async function look(dir: string, signal?: AbortSignal): Promise<FsckResult> {
  const { code, stdout, stderr } = await runGit(['fsck', '--full', '--strict', '--no-dangling', '--no-progress'], {
    gitDir: dir,
    timeoutMs: HOUR,
    okCodes: Array.from({ length: 256 }, (_, exit) => exit),
    ...(signal ? { signal } : {}),
  });
  const lines = `${stdout.toString('utf8')}\n${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('notice: '));
  return { ok: code === 0, problems: lines.slice(0, MAX_PROBLEMS) };
}
