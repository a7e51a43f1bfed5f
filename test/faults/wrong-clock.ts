import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Lab } from './experiment.ts';
import { until } from './until.ts';

const PRELOAD = resolve(import.meta.dirname, 'clock-preload.ts');

/** The clocks of the servers that are started with `settings`. */
export interface WrongClock {
  settings: Record<string, string>;
  /** Sets them for the next start. */
  put(aheadMs: number, passedMs?: number): void;
  /**
   * Sets them, and waits until a running server goes by them.
   * @param aheadMs how far the time of day is ahead of the machine's, in milliseconds
   * @param passedMs how much time seems to have passed beside the real one
   */
  set(aheadMs: number, passedMs?: number): Promise<void>;
}

/** Makes clocks that can be set while servers run. */
export function wrongClock(lab: Lab): WrongClock {
  const file = join(lab.folder, 'clock');
  const put = (aheadMs: number, passedMs = 0) => writeFileSync(file, `${aheadMs} ${passedMs}`);
  put(0);
  const seen = () => readFileSync(`${file}.seen`, 'utf8');
  return {
    settings: { FAULT_CLOCK: file, NODE_OPTIONS: `--import ${PRELOAD}` },
    put,
    set: async (aheadMs, passedMs = 0) => {
      put(aheadMs, passedMs);
      const text = `${aheadMs} ${passedMs}`;
      await until(`the clock is ${text}`, async () => seen() === text);
    },
  };
}
