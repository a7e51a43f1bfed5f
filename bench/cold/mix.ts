import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import { type BenchServer, residentMb } from '../server.ts';
import { Asker, percentile } from './ask.ts';
import type { Kind, Questions } from './questions.ts';

/** Percentage of each kind. */
const SHARES: Record<Kind, number> = {
  file: 30,
  raw: 20,
  tree: 10,
  commit: 10,
  diff: 8,
  log: 8,
  branches: 8,
  'path-log': 4,
  blame: 2,
};
const CONNECTIONS = 256;

export interface Mixed {
  times: number[];
  /** Number of responses other than 200. */
  refused: number;
  /** Highest resident memory of the server in MB. */
  memory: number;
}

/** Sends an even mix at a fixed rate, independent of pending responses. */
export async function mix(
  server: BenchServer,
  questions: Questions,
  rate: number,
  seconds: number,
): Promise<Mixed & { byKind: Map<Kind, number[]> }> {
  const asker = new Asker(`${server.url}/api/v4/projects/1/repository/`, CONNECTIONS);
  // Spreads the kinds over a hundred slots, so that every second has the same mix.
  const order = (Object.entries(SHARES) as [Kind, number][])
    .flatMap(([kind, share]) => Array.from({ length: share }, (_, n) => ({ kind, at: (n + 0.5) / share })))
    .sort((a, b) => a.at - b.at);
  const byKind = new Map(order.map(({ kind }) => [kind, [] as number[]]));
  const result: Mixed = { times: [], refused: 0, memory: 0 };
  const open: Promise<void>[] = [];
  const started = performance.now();
  for (let n = 0; n < rate * seconds; n += 1) {
    const due = started + (n * 1_000) / rate;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const { kind } = order[n % order.length]!;
    const path = questions.next(kind);
    open.push(
      asker.ask(path).then(({ status }) => {
        const ms = performance.now() - due;
        result.times.push(ms);
        byKind.get(kind)!.push(ms);
        if (status === 200) return;
        result.refused += 1;
        process.stderr.write(`  ${path}: ${status}\n`);
      }),
    );
    if (n % rate === 0) result.memory = Math.max(result.memory, await residentMb(server.child.pid!));
  }
  await Promise.all(open);
  asker.close();
  return { ...result, byKind };
}

/** Figures of a mix: 90th and 99th percentile of the response times, and refusals. */
export function figuresOf(
  name: string,
  mixed: Mixed,
  limits: { p90: number; p99?: number; memory?: number },
): Figure[] {
  const wait = (percent: number, limit: number): Figure => {
    const value = percentile(mixed.times, percent);
    return { name: `${name}: P${percent}`, measured: `${value.toFixed(1)} ms`, value, limit, better: 'less' };
  };
  const memory = mixed.memory;
  return [
    wait(90, limits.p90),
    ...(limits.p99 === undefined ? [] : [wait(99, limits.p99)]),
    { name: `${name}: refused`, measured: String(mixed.refused), value: mixed.refused, limit: 0, better: 'less' },
    {
      name: `${name}: memory`,
      measured: `${memory.toFixed(0)} MB`,
      value: memory,
      limit: limits.memory ?? 350,
      better: 'less',
    },
  ];
}
