import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Lab } from './experiment.ts';

const PRELOAD = resolve(import.meta.dirname, 'turns-preload.ts');

/** How long the server that is started with `settings` works without giving others their turn. */
export interface LongestTurns {
  settings: Record<string, string>;
  /** The longest since a time of day, in milliseconds of processor time; 0 for none that is worth a note. */
  since(from: number): number;
}

/** Has the turns of a server watched. */
export function longestTurns(lab: Lab): LongestTurns {
  const file = join(lab.folder, 'turns');
  writeFileSync(file, '');
  return {
    settings: { FAULT_TURNS: file, NODE_OPTIONS: `--import ${PRELOAD}` },
    since: (from) => {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      const turns = lines.map((line) => line.split(' ').map(Number) as [number, number]);
      return Math.max(0, ...turns.filter(([at]) => at >= from).map(([, ms]) => ms));
    },
  };
}
