import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A hundredth of a second, by which Linux counts the times of processes. */
const TICK_MS = 10;

/**
 * The processor time that a process group has taken so far, in milliseconds: of its processes, and of those that they have waited
 * for. What other programs took meanwhile is no part of it.
 * @param group the id of its first process
 * @returns null where the system does not tell
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
  if (ids.length === 0) throw new Error('no processes are told of');
  const times = await Promise.all(ids.map(async (id) => ticksIn(await statOf(id), group)));
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** Empty for a process that has ended meanwhile. */
const statOf = (id: string): Promise<string> => readFile(`/proc/${id}/stat`, 'latin1').catch(() => '');

/** Processor time in a line of Linux, of the process and of its children that have ended, where it is of the group. */
function ticksIn(stat: string, group: number): number {
  // The name of the program stands in brackets, and may hold any of them.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (Number(fields[2]) !== group) return 0;
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Where there is no /proc, as on macOS: children that have ended are left out. */
async function fromPs(group: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=', '-o', 'time='], { timeout: 10_000 });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([id]) => Number(id) === group)
    .reduce((sum, [, time = '']) => sum + parsePsTime(time), 0);
}

/** Milliseconds of `[[days-]hours:]minutes:seconds`. */
export function parsePsTime(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1_000;
}
