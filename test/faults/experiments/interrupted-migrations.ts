import assert from 'node:assert/strict';
import { join } from 'node:path';
import { apiClient } from '../../support/api-client.ts';
import { makeOldDatabase, OLD_USER, rowsOfHistory } from '../../support/old-database.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const KILLS = 8;
/** The least by which the moments of two kills differ, as a share of a start: no two starts take equally long. */
const LEAST_STEP = 0.04;

interface Case {
  dataDir: string;
  settings: Record<string, string>;
}

/** Kills a server again and again, ever closer to the moment at which its migrations are made, and looks whether it starts all the same. */
async function killAtStart(
  lab: Lab,
  what: string,
  prepare: (name: string) => Promise<Case>,
  look: (url: string) => Promise<void>,
) {
  const undisturbed = await prepare('undisturbed');
  const begun = Date.now();
  await (await lab.start(undisturbed.dataDir, undisturbed.settings)).kill();
  const length = Date.now() - begun;
  const seen = new Map<string, number>();
  let share = 0.5;
  for (let kill = 0, step = 0.25; kill < KILLS; kill += 1) {
    const { dataDir, settings } = await prepare(`${kill}`);
    const before = await rowsOfHistory(dataDir, settings);
    await lab.startAndKill(dataDir, length * share, settings);
    const after = await rowsOfHistory(dataDir, settings);
    const state = after === before ? 'before the migrations' : 'after them';
    share += after === before ? step : -step;
    step = Math.max(step / 2, LEAST_STEP);
    seen.set(state, (seen.get(state) ?? 0) + 1);
    const server = await lab.start(dataDir, settings);
    await look(server.url);
    await server.kill();
  }
  const states = [...seen].map(([state, count]) => `${count} ${state}`).join(', ');
  lab.say(`${KILLS} kills within ${length} ms of ${what} (${states}): started again each time`);
}

/** A server that is killed while it makes or changes its tables starts again, with all that was there. */
export default {
  title: 'SIGKILL in the middle of a first start and of an upgrade',
  run: async (lab) => {
    const fresh = async (name: string) => ({
      dataDir: join(lab.folder, `first-${name}`),
      settings: await lab.newDatabase(),
    });
    await killAtStart(lab, 'a first start', fresh, async (url) => {
      assert.equal((await apiClient(url, ROOT_TOKEN)('GET', '/user')).status, 200);
    });
    const old = async (name: string) => {
      const made = { dataDir: join(lab.folder, `upgrade-${name}`), settings: await lab.newDatabase() };
      await makeOldDatabase(made.dataDir, made.settings);
      return made;
    };
    await killAtStart(lab, 'an upgrade', old, async (url) => {
      const user = await apiClient(url, ROOT_TOKEN)('GET', `/users?username=${OLD_USER}`);
      assert.equal(user.status, 200, user.text);
      assert.equal((user.body as unknown as unknown[]).length, 1);
    });
  },
} satisfies Experiment;
