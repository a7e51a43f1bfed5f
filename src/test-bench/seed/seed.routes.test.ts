import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { BUNDLED_SEED } from './seed-sending.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
});
after(() => app.close());

const SEED = '/-/bench/seed';
const send = (body: string, type = 'application/yaml', query = {}) =>
  app.post(SEED, { body, query, headers: { 'content-type': type } });

test('a seed is sent as YAML or JSON, and its report counts what was made', async () => {
  const { made } = expectStatus<{ made: object }>(await send('users: [ada]'), 201);
  assert.deepEqual(made, { users: 1 });
  const json = JSON.stringify({ projects: [{ path: 'web', namespace: 'ada', issues: ['One'] }] });
  const report = expectStatus<{ made: object }>(await send(json, 'application/json'), 201);
  assert.deepEqual(report.made, { projects: 1, issues: 1 });
  assert.deepEqual(expectStatus<{ made: object }>(await send('users: [ada]'), 201).made, {});
});

test('mistakes and refusals are 400 with a line for each', async () => {
  const wrong = expectStatus<{ errors: string[] }>(
    await send('users: [{}, {x: 1}]', undefined, { file: 'f.yml' }),
    400,
  );
  assert.equal(wrong.errors.length, 3);
  assert.match(wrong.errors[0]!, /^f\.yml:1: users\[0\]: username is missing/);
  for (const [seed, message] of [
    ['users:\n  - {username: eve, password: short}', /^seed:2: users\[0\]: .*password/i],
    ['projects: [{path: a, namespace: nobody}]', /there is no namespace nobody/],
    ['projects: [{path: a, issues: [{title: x, assignees: [nobody]}]}]', /issues\[0\]: there is no user nobody/],
    ['projects: [{path: b, commits: [{merge: x}]}]', /commits\[0\]: merge: there is no branch x/],
    ['projects: [{path: c, commits: [{actions: [{action: update, file_path: x}]}]}]', /commits\[0\]: /],
    ['projects: [{path: d, commits: [{branch: "a..b"}]}]', /not a valid name/],
    [
      'projects: [{path: e, commits: [{}], pipelines: [{jobs: [{name: a, status: failed, stage: a}, {name: b, stage: b}]}]}]',
      /job b is skipped/,
    ],
    ['plan: free', /the server has the plan ultimate/],
    ['license: x', /^seed:1: license: /],
    ['users: [{username: zoe, tokens: [{token: t, scopes: [sudo]}]}]', /sudo is for administrators/],
    ['a: &a [*a]', /./],
  ] as const) {
    const response = await send(seed);
    assert.equal(response.statusCode, 400, `${seed} ${response.body}`);
    assert.match((response.json() as { message: string }).message, message, seed);
  }
  assert.equal((await send('{}', BUNDLED_SEED)).statusCode, 400);
  assert.equal((await send('no JSON', BUNDLED_SEED)).statusCode, 400);
});

test('faults of a seed are ordered once everything is there, and no mails are made', async () => {
  const seed = 'users: [kim]\nfaults: [{match: {path: /api/v4/version, count: 2}, act: {status: 503}}]';
  assert.equal(expectStatus<{ made: { faults: number } }>(await send(seed), 201).made.faults, 1);
  assert.deepEqual(expectStatus<{ made: object }>(await send(seed), 201).made, {});
  const [fault, ...more] = expectStatus<{ match: object }[]>(await app.get('/-/bench/faults'), 200);
  assert.deepEqual([fault?.match, more.length], [{ path: '/api/v4/version', count: 2 }, 0]);
  assert.deepEqual(expectStatus(await app.get('/-/bench/mails'), 200), []);
  expectStatus(await app.delete('/-/bench/faults'), 204);
  assert.match((await send('faults: [{match: {path: 1}, act: {}}]')).body, /faults\[0\]\.match\.path: must be a text/);
});

test('a lower plan makes what its API would', async () => {
  const free = await buildTestApp({ settings: { STITHY_BENCH: '1', STITHY_PLAN: 'free' } });
  try {
    const seed =
      'users: [ann, ben]\nplan: free\nprojects: [{path: web, visibility: public, issues: [{title: x, weight: 3, assignees: [ann, ben]}]}]';
    expectStatus(await free.post(SEED, { body: seed, headers: { 'content-type': 'text/yaml' } }), 201);
    const issue = expectStatus<{ assignees: unknown[] }>(await free.get('/projects/1/issues/1'), 200);
    assert.equal(issue.assignees.length, 1);
    const roles = 'member_roles: [{name: x, base_access_level: guest}]';
    const refused = await free.post(SEED, { body: roles, headers: { 'content-type': 'text/yaml' } });
    assert.match(expectStatus<{ message: string }>(refused, 400).message, /^seed:1: .*(plan|Forbidden)/);
  } finally {
    await free.close();
  }
});

test('the schema is served, and only administrators may come', async () => {
  const schema = await app.get('/-/bench/seed.schema.json');
  assert.match(String(schema.headers['content-type']), /^application\/schema\+json/);
  assert.equal((schema.json() as { type: string }).type, 'object');
  const { token } = await app.make.user();
  assert.equal(
    (await app.post(SEED, { token, body: 'users: []', headers: { 'content-type': 'text/yaml' } })).statusCode,
    403,
  );
  assert.equal((await app.get('/-/bench/seed.schema.json', { token: null })).statusCode, 401);
});
