import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HookReceiver, receiveHooks } from '../../support/hook-receiver.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { until } from '../until.ts';

const HOOKS = 10;
/** Hooks beside them that take a call and never answer. */
const DEAD = 20;
const COMMITS = 25;
/** Milliseconds after the last commit of a round was acknowledged. */
const KILLS = [0, 10, 40, 90, 200, 500];
const headers = { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' };

type Json = Record<string, unknown>;

/** What a hook got, the repeated left out, and how often something was repeated. */
function seenBy({ calls }: HookReceiver, path: string): { commits: unknown[]; repeated: number } {
  const own = calls.filter((call) => call.path === path);
  const keys = new Map(own.map(({ headers, body }) => [headers['idempotency-key'], body.after]));
  assert.equal(new Set(keys.values()).size, keys.size, 'one commit came under two keys');
  return { commits: [...keys.values()], repeated: own.length - keys.size };
}

const experiment: Experiment = {
  title: `${KILLS.length} kills while ${HOOKS} webhooks are told of commits, beside ${DEAD} that never answer`,
  async run(lab) {
    const receiver = await receiveHooks({ keepAlive: true });
    receiver.answer = (response, { path }) => {
      if (!path.startsWith('/dead')) response.end('ok');
    };
    const database = await lab.newDatabase();
    const settings = { ...database, STITHY_ALLOW_LOCAL_NETWORK: 'true' };
    const start = () => lab.start(join(lab.folder, 'data'), settings);
    let server = await start();
    const post = async (path: string, value: Json) => {
      const answer = await fetch(`${server.url}/api/v4${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(value),
      });
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as Json;
    };
    const project = await post('/projects', { name: 'told' });
    const at = `/projects/${project.id}`;
    for (let index = 0; index < DEAD; index += 1) await post(`${at}/hooks`, { url: `${receiver.url}/dead${index}` });
    for (let index = 0; index < HOOKS; index += 1) await post(`${at}/hooks`, { url: `${receiver.url}/${index}` });
    const commits: unknown[] = [];
    const commit = async () => {
      const actions = [{ action: 'create', file_path: `f${commits.length}`, content: 'x' }];
      const made = await post(`${at}/repository/commits`, { branch: 'main', commit_message: 'more', actions });
      commits.push(made.id);
    };
    for (const moment of KILLS) {
      for (let count = 0; count < COMMITS; count += 1) await commit();
      await sleep(moment);
      await server.kill();
      server = await start();
    }
    const paths = Array.from({ length: HOOKS }, (_, index) => `/${index}`);
    await until('every hook has heard of every commit', async () =>
      paths.every((path) => seenBy(receiver, path).commits.length === commits.length),
    );
    let repeated = 0;
    for (const path of paths) {
      const seen = seenBy(receiver, path);
      assert.deepEqual(seen.commits, commits, `${path} heard of the commits in another order`);
      repeated += seen.repeated;
    }
    lab.say(`${commits.length * HOOKS} calls came in order, ${repeated} of them once more after a kill`);
    await receiver.close();
  },
};
export default experiment;
