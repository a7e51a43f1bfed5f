import { join } from 'node:path';
import { LISTS } from '../test/support/many/lists.ts';
import { ANA_TOKEN } from '../test/support/many/people.ts';
import type { Figure } from './figures.ts';
import { LARGE, SMALL, seedMany } from './many.ts';
import { type BenchServer, startServer, TOKEN } from './server.ts';

const PORTS = { small: 18_766, large: 18_767 };
const ROUNDS = 6;
const REQUESTS = 60;
const CALLERS = [
  ['administrator', TOKEN],
  ['member', ANA_TOKEN],
] as const;

/** Milliseconds of requests one after the other, whole answers read. */
async function times(url: string, token: string, requests: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    const started = performance.now();
    const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': token } });
    const body = await response.text();
    took.push(performance.now() - started);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${body.slice(0, 300)}`);
  }
  return took;
}

/** Whether a caller is refused a list of administrators or owners: what it takes then says nothing. */
async function isRefused(url: string, token: string): Promise<boolean> {
  const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': token } });
  await response.text();
  return token !== TOKEN && [401, 403].includes(response.status);
}

/** Opens what is closed in a new installation: imports from other servers. */
async function openImports({ url }: BenchServer): Promise<void> {
  const address = `${url}/api/v4/application/settings?bulk_import_enabled=true`;
  const response = await fetch(address, { method: 'PUT', headers: { 'PRIVATE-TOKEN': TOKEN } });
  const body = await response.text();
  if (!response.ok) throw new Error(`${address}: ${response.status} ${body.slice(0, 300)}`);
}

const p95 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;

/** One list as one caller asks for it: p95 on many rows against p95 on a thousand; the two servers take turns. */
async function compare(
  servers: { small: BenchServer; large: BenchServer },
  [caller, token]: readonly [string, string],
  list: string,
): Promise<Figure> {
  const took = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const size of ['small', 'large'] as const) {
      const some = await times(`${servers[size].url}/api/v4/${list}`, token, REQUESTS);
      // The first round warms both.
      if (round > 0) took[size].push(...some);
    }
  }
  const [small, large] = [p95(took.small), p95(took.large)];
  return {
    name: `\`${decodeURIComponent(list)}\`, ${caller}`,
    measured: `${(large / small).toFixed(2)} x (${large.toFixed(1)} ms, ${small.toFixed(1)} ms)`,
    value: large / small,
    limit: 1.5,
    better: 'less',
  };
}

/**
 * Every list on 100,000 issues, 100,000 jobs, 100,000 packages, 1,000,000 events and 10,000 projects against the same list on 1,000 of each.
 * @param some only these lists, where any are named
 */
export async function lists(
  data: string,
  report: (figure: Figure) => void,
  some: readonly string[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  await seedMany(join(data, 'small'), SMALL);
  await seedMany(join(data, 'large'), LARGE);
  const small = await startServer(join(data, 'small'), PORTS.small);
  const large = await startServer(join(data, 'large'), PORTS.large);
  try {
    for (const server of [small, large]) await openImports(server);
    for (const caller of CALLERS) {
      for (const list of LISTS.filter((each) => some.length === 0 || some.includes(decodeURIComponent(each)))) {
        if (await isRefused(`${small.url}/api/v4/${list}`, caller[1])) continue;
        const figure = await compare({ small, large }, caller, list);
        report(figure);
        figures.push(figure);
      }
    }
  } finally {
    await small.stop();
    await large.stop();
  }
  return figures;
}
