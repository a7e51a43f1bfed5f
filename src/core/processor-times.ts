import { readFileSync } from 'node:fs';

/** What all processors of the machine together have done since it runs, in a unit of its own. */
export interface ProcessorTimes {
  idle: number;
  all: number;
}

/** Null where the system does not tell it as Linux does. */
export function processorTimes(): ProcessorTimes | null {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'latin1');
  } catch {
    return null;
  }
  // Time that guests take is told as that of users, too.
  const times = /^cpu +(\d+(?: \d+){7})/.exec(text)?.[1]?.split(' ').map(Number);
  if (times === undefined) return null;
  return { idle: times[3]! + times[4]!, all: times.reduce((sum, time) => sum + time, 0) };
}
