import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Unit of process times on Linux: 10 ms. */
const TICK_MS = 10;

/**
 * Processor time of a process group in milliseconds: of its processes and the children they have waited for.
 * @param group id of its first process
 * @returns null if the system does not provide it
 */
export async function processGroupCpuTime(group: number): Promise<number | null> {
  try {
    return await fromProc(group);
  } catch {
    return await fromPs(group).catch(() => null);
  }
}

async function fromProc(group: number): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  if (ids.length === 0) throw new Error('no processes found');
  const times = await Promise.all(ids.map(async (id) => ticksIn(await statOf(id), group)));
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** Empty for a process that has ended meanwhile. */
const statOf = (id: string): Promise<string> => readFile(`/proc/${id}/stat`, 'latin1').catch(() => '');

/** Processor time in a `stat` line, of the process and its ended children, if it belongs to the group. */
function ticksIn(stat: string, group: number): number {
  // The program name is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (Number(fields[2]) !== group) return 0;
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Fallback without /proc, as on macOS: ended children are not included. */
async function fromPs(group: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=', '-o', 'time='], { timeout: 10_000 });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([id]) => Number(id) === group)
    .reduce((sum, [, time = '']) => sum + parsePsTime(time), 0);
}

/** Parses `[[days-]hours:]minutes:seconds` to milliseconds. */
export function parsePsTime(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1_000;
}
