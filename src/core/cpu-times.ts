import { readFileSync } from 'node:fs';

/** What all processors of the machine together have done since it runs, in hundredths of a second. */
export interface CpuTimes {
  /** For other processes than this one, and the system. */
  others: number;
  /** In all, time without work included. */
  all: number;
}

const MICROSECONDS = 10_000;

/** Null where the system does not tell it as Linux does. */
export function cpuTimes(): CpuTimes | null {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'latin1');
  } catch {
    return null;
  }
  // Time that guests take is told as that of users, too.
  const times = /^cpu +(\d+(?: \d+){7})/.exec(text)?.[1]?.split(' ').map(Number);
  if (times === undefined) return null;
  const all = times.reduce((sum, time) => sum + time, 0);
  const idle = times[3]! + times[4]!;
  const { user, system } = process.cpuUsage();
  return { others: all - idle - (user + system) / MICROSECONDS, all };
}
