import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRecords, pushEvents, type Records } from '../../crash/records.ts';
import { apiClient, type Call } from '../../support/api-client.ts';
import { startProxy } from '../../support/tcp-proxy.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { readiness, until } from '../until.ts';

const WRITERS = 6;
const CUTS = 4;

interface Tally {
  acknowledged: string[];
  refused: number;
  stop: boolean;
}

/** Commits to one branch until it is told to stop; anything but success and 503 fails. */
async function write(call: Call, project: number, branch: string, tally: Tally): Promise<void> {
  let begun: boolean = false;
  for (let count = 0; !tally.stop; count += 1) {
    const actions = [{ action: 'create', file_path: `${branch}-${count}.txt`, content: `${count}\n` }];
    const json: Record<string, unknown> = {
      branch,
      start_branch: begun ? undefined : 'main',
      commit_message: `${count}`,
      actions,
    };
    const answer = await call<{ id: string }>('POST', `/projects/${project}/repository/commits`, json);
    begun ||= answer.status === 201 || /already exists/.test(answer.text);
    if (answer.status === 201) tally.acknowledged.push(answer.body.id);
    else if (answer.status === 503) tally.refused += 1;
    // What was refused may have been made all the same; its file is then there already.
    else assert.match(`${answer.status} ${answer.text}`, /^400 .*already exists/);
  }
}

/** Every ref change has its event: the events of each branch lead from its first commit to its head, each once. */
async function compareEvents(records: Records, call: Call, project: number): Promise<number> {
  const updates = (await pushEvents(records, project)).flat();
  const { body: branches } = await call<{ name: string; commit: { id: string } }[]>(
    'GET',
    `/projects/${project}/repository/branches?per_page=100`,
  );
  for (const { name, commit } of branches) {
    const mine = updates.filter(({ ref }) => ref === `refs/heads/${name}`);
    const steps = new Map(mine.map((update) => [update.old, update.new]));
    assert.equal(steps.size, mine.length, `${name} has an event twice`);
    let at: string | null = null;
    for (let step = 0; step < mine.length; step += 1) at = steps.get(at) ?? at;
    assert.equal(at, commit.id, `the events of ${name} do not lead to its head`);
  }
  return updates.length;
}

/** A server whose connections to PostgreSQL are cut answers 503, comes back by itself and has lost nothing. */
export default {
  title: 'connections to PostgreSQL terminated and the database away for seconds, under writes',
  engines: ['postgres'],
  run: async (lab) => {
    const { STITHY_DATABASE_URL: direct = '' } = await lab.newDatabase();
    const proxy = await startProxy(Number(new URL(direct).port));
    try {
      const through = new URL(direct);
      through.port = String(proxy.port);
      const server = await lab.start(join(lab.folder, 'data'), {
        STITHY_DATABASE_URL: through.href,
        STITHY_LOG_LEVEL: 'info',
      });
      const call = apiClient(server.url, ROOT_TOKEN);
      const made = await call<{ id: number }>('POST', '/projects', { path: 'p', initialize_with_readme: true });
      assert.equal(made.status, 201, made.text);
      const records = openRecords('', direct);
      const tally: Tally = { acknowledged: [], refused: 0, stop: false };
      const writing = Promise.all(
        Array.from({ length: WRITERS }, (_, index) => write(call, made.body.id, `b${index}`, tally)),
      );
      writing.catch(() => {});
      for (let cut = 0; cut < CUTS; cut += 1) {
        await sleep(1_000);
        await records.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        );
        await sleep(500);
        await proxy.cut();
        await until('readiness is false while the database is away', async () => (await readiness(server.url)) === 503);
        await sleep(1_000);
        await proxy.restore();
        await until('readiness is true again', async () => (await readiness(server.url)) === 200);
      }
      await sleep(1_000);
      tally.stop = true;
      await writing;
      assert.equal(server.child.exitCode, null, 'the server has ended');
      await until('no intent is left', async () => (await records.query('select id from ref_intents')).length === 0);
      await until(
        'no job hangs',
        async () =>
          (await records.query(`select id from jobs where state <> 'waiting' or kind like 'event:%'`)).length === 0,
      );
      for (const id of tally.acknowledged) {
        assert.equal(
          (await call('GET', `/projects/${made.body.id}/repository/commits/${id}?stats=false`)).status,
          200,
          id,
        );
      }
      const events = await compareEvents(records, call, made.body.id);
      lab.say(
        `${CUTS} times all connections terminated and the database away: ${tally.acknowledged.length} commits acknowledged, ${tally.refused} answered 503, ${events} events, none lost`,
      );
      assert.ok(tally.refused > 0, 'no request met the fault');
      assert.equal(await server.stop(), 0);
    } finally {
      await proxy.close();
    }
  },
} satisfies Experiment;
