import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const set = async (name: string, json: Json) => expectStatus<Json>(await app.post(`/features/${name}`, { json }), 201);

test('only administrators read, set and remove flags of the server', async () => {
  const { token } = await app.make.user();
  for (const [who, status] of [
    [null, 401],
    [token, 403],
  ] as const) {
    expectStatus(await app.get('/features', { token: who }), status);
    expectStatus(await app.get('/features/definitions', { token: who }), status);
    expectStatus(await app.post('/features/a', { token: who, json: { value: true } }), status);
    expectStatus(await app.delete('/features/a', { token: who }), status);
  }
  assert.deepEqual(expectStatus(await app.get('/features'), 200), []);
  assert.deepEqual(expectStatus(await app.get('/features/definitions'), 200), []);
});

test('a flag is on, off, or on for some', async () => {
  const boolean = (value: boolean) => ({ key: 'boolean', value });
  const flag = (state: string, ...gates: Json[]) => ({ name: 'new_library', state, gates, definition: null });
  assert.deepEqual(await set('new_library', { value: 'true' }), flag('on', boolean(true)));
  assert.deepEqual(await set('new_library', { value: false }), flag('off', boolean(false)));
  const time = { key: 'percentage_of_time', value: 30 };
  assert.deepEqual(await set('new_library', { value: 30 }), flag('conditional', boolean(false), time));
  const actors = { key: 'percentage_of_actors', value: 42 };
  const both = await set('new_library', { value: '42', key: 'percentage_of_actors' });
  assert.deepEqual(both, flag('conditional', boolean(false), actors, time));
  assert.deepEqual(expectStatus(await app.get('/features'), 200), [both]);
  assert.deepEqual(await set('new_library', { value: 'false' }), flag('off', boolean(false)));
});

test('a flag is on for users, groups, namespaces, projects and repositories that there are', async () => {
  const { user } = await app.make.user();
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const whom = {
    user: `root,${user.username}`,
    group: group.full_path,
    namespace: user.username,
    project: project.full_path,
    repository: `${project.full_path}.git`,
    feature_group: 'testers',
  };
  const shown = await set('some', { value: 'true', ...whom });
  assert.equal(shown.state, 'conditional');
  const gates = Object.fromEntries(
    (shown.gates as { key: string; value: unknown }[]).map(({ key, value }) => [key, value]),
  );
  assert.deepEqual(gates.groups, ['testers']);
  assert.equal((gates.actors as string[]).length, 6);
  assert.ok((gates.actors as string[]).includes('User:1'));
  const less = await set('some', { value: 'false', ...whom });
  assert.deepEqual([less.state, (less.gates as Json[]).length], ['off', 1]);
  const post = (json: Json) => app.post('/features/some', { json });
  expectStatus(await post({ value: 'true', user: 'nobody-here' }), 400);
  expectStatus(await post({ value: 'true', project: 'no/such' }), 400);
  expectStatus(await post({ value: 101 }), 400);
  expectStatus(await post({ value: 'perhaps' }), 400);
  expectStatus(await post({ value: 50, user: 'root' }), 400);
  expectStatus(await post({}), 400);
  expectStatus(await post({ value: 1, key: 'percentage_of_actors', user: 'root' }), 400);
  expectStatus(await app.post('/features/a%20b', { json: { value: true } }), 400);
});

test('a flag goes, and the answer is the same where there is none', async () => {
  await set('gone', { value: true });
  for (const _ of [1, 2]) expectStatus(await app.delete('/features/gone'), 204);
  const names = expectStatus<Json[]>(await app.get('/features'), 200).map(({ name }) => name);
  assert.ok(!names.includes('gone'));
});

test('a flag may be called as what every object has', async () => {
  for (const name of ['toString', 'constructor', '__proto__']) {
    expectStatus(await app.delete(`/features/${name}`), 204);
    const shown = await set(name, { value: true, user: 'root' });
    assert.deepEqual(shown.gates, [
      { key: 'boolean', value: false },
      { key: 'actors', value: ['User:1'] },
    ]);
    const names = expectStatus<Json[]>(await app.get('/features'), 200).map((each) => each.name);
    assert.ok(names.includes(name));
    expectStatus(await app.delete(`/features/${name}`), 204);
  }
});

test('flags that are set at the same time are all kept, up to a bound', async () => {
  await Promise.all(['one', 'two', 'three'].map((name) => set(name, { value: true })));
  const names = expectStatus<Json[]>(await app.get('/features'), 200).map(({ name }) => name);
  for (const name of ['one', 'two', 'three']) assert.ok(names.includes(name));
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`flag-${n}`, { boolean: true }]));
  await app.deps.db
    .updateTable('instance_values')
    .set({ value: JSON.stringify(many) })
    .where('key', '=', 'features')
    .execute();
  expectStatus(await app.post('/features/one_more', { json: { value: true } }), 400);
  expectStatus(await app.post('/features/flag-1', { json: { value: false } }), 201);
});
