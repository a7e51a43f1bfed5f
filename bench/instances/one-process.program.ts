/** Runs many servers in this process and prints what they take, as JSON. Started by `one-process.ts`, out of the bundle. */
import { join } from 'node:path';
import type { Stithy, StithyOptions } from '../../src/index.ts';

const COUNT = 100;
const ROUNDS = 5;
const { start } = (await import(join(import.meta.dirname, '../../dist/index.cjs'))) as {
  start: (options: StithyOptions) => Promise<Stithy>;
};

const SEED = {
  users: [{ username: 'ada', tokens: [{ token: 'glpat-of-ada-known', scopes: ['api'] }] }],
  groups: [{ path: 'acme', members: [{ user: 'ada', access_level: 'maintainer' }] }],
  projects: [
    {
      path: 'web',
      namespace: 'acme',
      commits: [{ message: 'First', author: 'ada', files: { 'README.md': '# Web' } }],
      issues: [{ title: 'Task {n}', count: 10 }],
    },
  ],
};

const resident = (): number => {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 1_048_576;
};
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
};
const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!;
const stopAll = (all: readonly Stithy[]) => Promise.all(all.map((each) => each.stop()));

const options = { bench: true, ephemeral: true };
const [first, firstMs] = await timed(() => start(options));
const [second, secondMs] = await timed(() => start(options));
const all = [first, second];
const later: number[] = [];
const before = resident();
while (all.length < COUNT) {
  const [next, ms] = await timed(() => start(options));
  later.push(ms);
  all.push(next);
}
const emptyMb = (resident() - before) / (COUNT - 2);
await stopAll(all.splice(0));

const seeds: number[] = [];
const from = resident();
while (all.length < COUNT) {
  const [next, ms] = await timed(() => start({ ...options, seed: SEED }));
  seeds.push(ms);
  all.push(next);
}
const answered = new Set<unknown>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { api, url } of all) {
    const call = { token: 'glpat-of-ada-known' };
    const [{ title }, { id }] = await Promise.all([
      api<{ title: string }>('GET', '/projects/acme%2Fweb/issues/10', undefined, call),
      api<{ id: string }>('GET', '/projects/acme%2Fweb/repository/commits/main', undefined, call),
    ]);
    if (title === 'Task 10' && id !== '') answered.add(url);
  }
}
const totalMb = resident();
process.stdout.write(
  JSON.stringify({
    firstMs,
    secondMs,
    laterMs: median(later),
    slowestMs: Math.max(...later),
    emptyMb,
    seedMs: median(seeds),
    seededMb: (totalMb - from) / COUNT,
    totalMb,
    answered: answered.size,
  }),
);
await stopAll(all);
