import { readFileSync } from 'node:fs';

/** Processor time of the whole machine since its start, in hundredths of a second. */
export interface CpuTimes {
  /** Time of other processes and the system. */
  others: number;
  /** Total time, including idle time. */
  all: number;
}

const MICROSECONDS = 10_000;

/** Null on systems without Linux's statistics. */
export function cpuTimes(): CpuTimes | null {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'latin1');
  } catch {
    return null;
  }
  // Guest time is included in user time.
  const times = /^cpu +(\d+(?: \d+){7})/.exec(text)?.[1]?.split(' ').map(Number);
  if (times === undefined) return null;
  const all = times.reduce((sum, time) => sum + time, 0);
  const idle = times[3]! + times[4]!;
  const { user, system } = process.cpuUsage();
  return { others: all - idle - (user + system) / MICROSECONDS, all };
}
