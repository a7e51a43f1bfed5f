import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { DEFAULT, flagProject } from '../../../../test/support/feature-flags.ts';
import { JsonLogger } from '../../../core/logger.ts';
import { type Instance, open } from '../../../start.ts';

interface Feature {
  name: string;
  description?: string;
  enabled: boolean;
  strategies: { name: string; parameters: Record<string, string> }[];
}

/**
 * The app and a second process on the same database, simulated within one process. SQLite supports a single process
 * only.
 */
let app: TestApp;
let second: Instance | null = null;
let queries: string[] = [];
before(async () => {
  app = await buildTestApp({ onQuery: ({ sql }) => queries.push(sql) });
  const { config, clock } = app.deps;
  if (config.database.kind === 'postgres') second = await open(config, new JsonLogger('error', () => {}), clock, false);
});
beforeEach(() => {
  queries = [];
});
after(async () => {
  await second?.server.app.close();
  await second?.close();
  await app.close();
});

/** A project with a flag, and the request of its clients. */
async function polled() {
  const made = await flagProject(app);
  await made.create({ name: 'flag', strategies: [DEFAULT] });
  const { instance_id } = await made.client();
  const url = `/api/v4/feature_flags/unleash/${made.project.id}/client/features`;
  const ask = (environment = 'production', instance: Instance = app.instance) =>
    instance.server.app.inject({
      url,
      headers: { 'unleash-instanceid': instance_id, 'unleash-appname': environment },
    });
  const features = async (environment?: string, instance?: Instance) =>
    (await ask(environment, instance)).json<{ features: Feature[] }>().features;
  return { ...made, ask, features };
}

const reads = (table: string) => queries.filter((sql) => /^select/i.test(sql) && sql.includes(`"${table}"`)).length;

test('a poll after a commit that has nothing to do with flags costs one statement', async () => {
  const { ask, project } = await polled();
  await ask();
  expectStatus(await app.post(`/projects/${project.id}/labels`, { json: { name: 'a', color: '#ff0000' } }), 201);
  await app.drain();
  queries = [];
  assert.equal((await ask()).statusCode, 200);
  assert.equal(queries.length, 1, queries.join('\n'));
  assert.match(queries[0]!, /feature_flags_clients/);
});

test('names that clients make up share what they are told', async () => {
  const { ask } = await polled();
  await ask();
  queries = [];
  for (let n = 0; n < 50; n += 1) assert.equal((await ask(`made-up-${n}`)).statusCode, 200);
  assert.equal(reads('feature_flags'), 0);
});

test('of many who ask at once after a change, one reads the flags', async () => {
  const { ask, change } = await polled();
  await ask();
  await change('flag', { active: false });
  queries = [];
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
  for (const response of answers) assert.equal(response.json<{ features: Feature[] }>().features[0]!.enabled, false);
  assert.equal(reads('feature_flag_strategies'), 2);
});

test('what is told while flags change is of one state of them', async () => {
  const { create, path, features } = await polled();
  const parameters = (n: number) => ({ userIds: String(n) });
  const made = await create({
    name: 'counted',
    description: '0',
    strategies: [{ name: 'userWithId', parameters: parameters(0) }],
  });
  const { id } = made.strategies[0]!;
  let changing = true;
  const changes = (async () => {
    for (let n = 1; n <= 40; n += 1) {
      const json = { description: String(n), strategies: [{ id, parameters: parameters(n) }] };
      expectStatus(await app.put(`${path}/counted`, { json }), 200);
    }
  })().finally(() => {
    changing = false;
  });
  let last = 0;
  while (changing) {
    const counted = (await features()).find(({ name }) => name === 'counted')!;
    assert.equal(counted.strategies[0]!.parameters.userIds, counted.description);
    assert.ok(Number(counted.description) >= last, 'never an earlier state');
    last = Number(counted.description);
    // Responses from memory are immediate, and would leave no time for the changes.
    await turn();
  }
  await changes;
  assert.equal((await features()).find(({ name }) => name === 'counted')!.description, '40');
});

test('a change by one process is told by the next answer of another', async (t) => {
  if (second === null) return t.diagnostic('there is one process');
  const { ask, features, project, list, change } = await polled();
  assert.equal((await features('production', second))[0]!.enabled, true);
  await change('flag', { active: false });
  assert.equal((await features('production', second))[0]!.enabled, false);
  const { id, iid } = await list('ada');
  await change('flag', { strategies: [{ name: 'svcUserList', user_list_id: id }] });
  assert.equal((await features('production', second))[0]!.strategies[1]!.parameters.userIds, 'ada');
  const changed = await second.server.app.inject({
    method: 'PUT',
    url: `/api/v4/projects/${project.id}/feature_flags_user_lists/${iid}`,
    headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
    payload: '{"user_xids":"bo"}',
  });
  assert.equal(changed.statusCode, 200);
  assert.equal((await features())[0]!.strategies[1]!.parameters.userIds, 'bo');
  const [one, other] = [await ask(), await ask('production', second)];
  assert.equal(one.headers.etag, other.headers.etag);
  expectStatus(await app.post(`/projects/${project.id}/feature_flags_client/reset_token`), 201);
  assert.equal((await ask('production', second)).statusCode, 401);
});
