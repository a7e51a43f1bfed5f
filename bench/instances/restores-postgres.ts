import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../test/support/runner/postgres.ts';
import type { Figure } from '../figures.ts';
import { anyRequest } from './clients.ts';
import { largeInstance, numbers } from './large-instance.ts';
import { restoreTimes, SETTLE_MS, snapshots } from './restores.ts';

const ROUNDS = 20;

/** The way back to a snapshot of 20 projects on PostgreSQL. */
export async function restoresOnPostgres(folder: string): Promise<Figure[]> {
  const postgres = await startPostgres();
  try {
    const server = await largeInstance(folder, { STITHY_DATABASE_URL: postgres.url });
    try {
      await sleep(SETTLE_MS);
      const taken = await snapshots(server);
      const random = numbers(8);
      const times = await restoreTimes(server, ROUNDS, () => anyRequest(server, random));
      const value = times.at(-1)!;
      const middle = times[Math.floor(times.length / 2)]!;
      return [
        {
          name: `restore on PostgreSQL, the slowest of ${ROUNDS}, ms`,
          measured: `${value.toFixed(0)} (median ${middle.toFixed(0)}; snapshot ${taken.value.toFixed(0)})`,
          value,
          limit: 2_000,
          better: 'less',
        },
      ];
    } finally {
      await server.stop();
    }
  } finally {
    await postgres.stop();
  }
}
