import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import { median } from '../git.ts';
import type { BenchServer } from '../server.ts';
import { anyRequest, clients, must } from './clients.ts';
import { largeInstance, numbers } from './large-instance.ts';

const ROUNDS = 200;
const CHANGES = 2;
const CLIENTS = 3;
/** Time in which a started server reads what was imported, in milliseconds. */
export const SETTLE_MS = 5_000;
/** Time of the clients between two restores, in milliseconds. */
const BETWEEN_MS = 100;

/** Takes a snapshot several times. */
export async function snapshots(server: BenchServer): Promise<Figure> {
  const times: number[] = [];
  let bytes = 0;
  for (const name of ['one', 'two', 'seeded']) {
    const { ms, body } = await must<{ bytes: number }>(server, 'POST', '/-/bench/snapshots', { name });
    times.push(ms);
    bytes = body.bytes;
  }
  const value = Math.max(...times);
  return {
    name: 'snapshot of 20 projects, the slowest of three, ms',
    measured: `${value.toFixed(0)} (median ${median(times).toFixed(0)}, ${(bytes / 1e6).toFixed(0)} MB)`,
    value,
    limit: 300,
    better: 'less',
  };
}

/** Restores the snapshot again and again. @param between what changes before each */
export async function restoreTimes(
  server: BenchServer,
  rounds: number,
  between: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await between();
    times.push((await must(server, 'POST', '/-/bench/snapshots/seeded/restore')).ms);
  }
  return times.sort((one, other) => one - other);
}

function figuresOf(how: string, times: readonly number[]): Figure[] {
  const figure = (part: string, value: number, limit: number): Figure => ({
    name: `restore of it, ${how}, ${part}, ms`,
    measured: `${value.toFixed(0)} (of ${times.length}, slowest ${times.at(-1)!.toFixed(0)})`,
    value,
    limit,
    better: 'less',
  });
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return [figure('median', at(0.5), 50), figure('p99', at(0.99), 150)];
}

/** What a snapshot of 100 MB takes, and the way back to it: with nobody else, and beside clients. */
export async function restores(folder: string): Promise<Figure[]> {
  const server = await largeInstance(folder);
  try {
    await sleep(SETTLE_MS);
    const taken = await snapshots(server);
    const random = numbers(7);
    const alone = await restoreTimes(server, ROUNDS, async () => {
      for (let count = 0; count < CHANGES; count += 1) await anyRequest(server, random);
    });
    const others = clients(server, CLIENTS);
    const beside = await restoreTimes(server, ROUNDS, () => sleep(BETWEEN_MS));
    const answered = await others.end();
    const how = `beside ${CLIENTS} clients that read and write (${answered} answers)`;
    return [taken, ...figuresOf('alone', alone), ...figuresOf(how, beside)];
  } finally {
    await server.stop();
  }
}
