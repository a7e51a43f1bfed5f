import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let clock: TestClock;
let project: Project;
before(async () => {
  clock = new TestClock(new Date());
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

const path = (rest = '', name = 'production') => `/projects/${project.id}/terraform/state/${name}${rest}`;
const stateOf = (serial: unknown, more: Json = {}) => JSON.stringify({ version: 4, serial, lineage: 'a-b-c', ...more });
const JSON_TYPE = { 'content-type': 'application/json' };
type Options = NonNullable<Parameters<TestApp['request']>[2]>;
const write = (body: string, query: Json = {}, options: Options = {}) =>
  app.post(path(), { body, query, ...options, headers: { ...JSON_TYPE, ...options.headers } } as Options);
const info = (ID: string): Json => ({
  ID,
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'ann@laptop',
  Version: '1.9.5',
  Created: '2026-03-01T09:30:00.123456Z',
  Path: '',
});
const lock = (ID: string, token?: string) => app.post(path('/lock'), { json: info(ID), ...(token ? { token } : {}) });
const message = (response: Awaited<ReturnType<typeof lock>>, status: number) =>
  String(expectStatus<Json>(response, status).message);

describe('a state', () => {
  test('is written and read as it was written, the highest serial first', async () => {
    expectStatus(await app.get(path()), 404);
    const bodies = [stateOf(1), stateOf(3, { resources: [{ é: '☃' }] }), stateOf(2)];
    for (const body of bodies) {
      const written = await write(body);
      assert.equal(expectStatus(written, 200), undefined);
    }
    const current = await app.get(path());
    assert.equal(current.statusCode, 200);
    assert.equal(current.body, bodies[1]);
    assert.match(String(current.headers['content-type']), /^application\/json/);
    assert.equal((await app.get(path('/versions/2'))).body, bodies[2]);
    expectStatus(await app.get(path('/versions/9')), 404);
    expectStatus(await app.get(path('', 'staging')), 404);
  });

  test('of several megabytes is read elsewhere', async () => {
    const large = stateOf(4, {
      resources: Array.from({ length: 20_000 }, (_, n) => ({ name: `n${n}`, text: 'x'.repeat(90) })),
    });
    assert.ok(large.length > 2_000_000);
    expectStatus(await write(large), 200);
    assert.equal((await app.get(path())).body, large);
    assert.equal(message(await write(large.slice(0, -1)), 422), 'The state is invalid JSON');
    assert.match(message(await write(large.replace('"serial":4', '"serial":{}')), 422), /^No serial in payload/);
  });

  test('is refused for now where the thread that reads it is given no time', async (t) => {
    let looks = 0;
    t.mock.method(Worker.prototype, 'cpuUsage', () => {
      looks += 1;
      return new Promise(() => undefined);
    });
    t.mock.timers.enable({ apis: ['setInterval'] });
    const written = write(stateOf(6, { text: 'x'.repeat(20_000_000) }));
    while (looks === 0) await setImmediate();
    t.mock.timers.tick(61_000);
    const response = await written;
    assert.equal(message(response, 503), '503 Service Unavailable - the server is too busy to read the state');
    assert.equal(response.headers['retry-after'], '5');
    t.mock.timers.reset();
    t.mock.restoreAll();
    expectStatus(await app.get(path()), 404);
    expectStatus(await write(stateOf(6)), 200);
  });

  test('that would grow out of bounds is not read', async () => {
    const nested = (depth: number) => `{"serial":5,"in":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    for (const depth of [100, 200_000]) {
      assert.equal(message(await write(nested(depth)), 422), 'The state is invalid JSON');
    }
    const objects = `{"serial":5,"in":[${'{},'.repeat(2_000_000)}{}]}`;
    assert.equal(message(await write(objects), 422), 'The state is invalid JSON');
    expectStatus(await write(nested(99)), 200);
  });

  test('is looked at before it is kept', async () => {
    for (const body of ['{', '[1]', '"x"', 'null', '{"serial":1}}', '\xff']) {
      assert.equal(message(await write(body), 422), 'The state is invalid JSON');
    }
    for (const serial of [undefined, null, '7', -1, 1.5, 1e300]) {
      assert.match(message(await write(stateOf(serial)), 422), /^No serial in payload/);
    }
    expectStatus(await write(''), 204);
    expectStatus(await app.get(path()), 404);
    const body = stateOf(1);
    const md5 = createHash('md5').update(body).digest('base64');
    assert.match(message(await write(`${body} `, {}, { headers: { 'content-md5': md5 } }), 400), /Content-MD5/);
    expectStatus(await write(body, {}, { headers: { 'content-md5': md5 } }), 200);
  });

  test('has one version for a serial, which may be sent again', async () => {
    expectStatus(await write(stateOf(1)), 200);
    expectStatus(await write(stateOf(1)), 200);
    assert.equal(
      message(await write(stateOf(1, { other: true })), 422),
      'Serial 1 has already been taken by another version',
    );
    const both = await Promise.all([write(stateOf(2, { by: 'a' })), write(stateOf(2, { by: 'b' }))]);
    assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [200, 422]);
  });

  test('has a name of at most 255 characters without a slash', async () => {
    const at = (name: string) => app.get(`/projects/${project.id}/terraform/state/${encodeURIComponent(name)}`);
    expectStatus(await at('x'.repeat(256)), 400);
    expectStatus(await at('a/b'), 400);
    for (const name of ['x'.repeat(255), 'a.b', 'ü ☃']) {
      const body = stateOf(1);
      const target = `/projects/${project.id}/terraform/state/${encodeURIComponent(name)}`;
      expectStatus(await app.post(target, { body, headers: JSON_TYPE } as Options), 200);
      assert.equal((await at(name)).body, body);
    }
  });

  test('goes with its versions, and so do their bytes', async () => {
    for (const serial of [1, 2]) expectStatus(await write(stateOf(serial, { of: project.id })), 200);
    const { sha256 } = await app.deps.db
      .selectFrom('terraform_state_versions')
      .innerJoin('terraform_states', 'terraform_states.id', 'terraform_state_id')
      .select('sha256')
      .where('project_id', '=', project.id)
      .where('serial', '=', 1)
      .executeTakeFirstOrThrow();
    expectStatus(await app.delete(path('/versions/1')), 204);
    expectStatus(await app.delete(path('/versions/1')), 404);
    clock.advance(2 * 3_600_000);
    await app.drain();
    assert.equal(await app.deps.blobs.stat(sha256), null);
    expectStatus(await app.delete(path()), 200);
    expectStatus(await app.get(path()), 404);
    expectStatus(await app.delete(path()), 404);
    expectStatus(await write(stateOf(1)), 200);
    await app.drain();
    assert.equal((await app.get(path())).statusCode, 200);
    const rows = await app.deps.db
      .selectFrom('terraform_states')
      .select('name')
      .where('project_id', '=', project.id)
      .execute();
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['production'],
    );
  });

  test('goes with its project', async () => {
    const body = stateOf(1, { gone: project.id });
    expectStatus(await write(body), 200);
    expectStatus(await app.delete(`/projects/${project.id}`), 202);
    await app.drain();
    clock.advance(2 * 3_600_000);
    await app.drain();
    assert.equal(await app.deps.blobs.stat(createHash('sha256').update(body).digest('hex')), null);
  });
});

describe('a lock', () => {
  test('keeps others from writing', async () => {
    assert.deepEqual(expectStatus(await lock('mine'), 200), info('mine'));
    expectStatus(await app.get(path()), 204);
    const other = expectStatus<Json>(await lock('other'), 409);
    assert.equal(other.ID, 'mine');
    assert.equal(other.Who, 'root');
    assert.equal(other.Operation, 'OperationTypeApply');
    assert.equal(other.Created, clock.now().toISOString());
    assert.match(String(other.message), /^The state has been locked by root since /);
    for (const query of [{}, { ID: 'other' }])
      assert.equal(expectStatus<Json>(await write(stateOf(1), query), 409).ID, 'mine');
    expectStatus(await write(stateOf(1), { ID: 'mine' }), 200);
    assert.equal(expectStatus<Json>(await app.delete(path()), 409).ID, 'mine');
    expectStatus(await app.delete(path('/versions/1')), 409);
    expectStatus(await app.delete(path('/lock'), { query: { ID: 'other' } }), 409);
    expectStatus(await app.delete(path('/lock'), { json: info('mine') }), 200);
    expectStatus(await write(stateOf(2)), 200);
  });

  test('is had once, whatever its id, and given back twice', async () => {
    expectStatus(await lock('mine'), 200);
    assert.equal(expectStatus<Json>(await lock('mine'), 409).ID, 'mine');
    for (let time = 0; time < 2; time += 1)
      expectStatus(await app.delete(path('/lock'), { query: { ID: 'mine' } }), 200);
  });

  test('that was taken from its holder lets them write no more', async () => {
    expectStatus(await lock('mine'), 200);
    expectStatus(await app.delete(path('/lock')), 200);
    assert.match(message(await write(stateOf(1), { ID: 'mine' }), 409), /no longer locked/);
    expectStatus(await lock('other'), 200);
    assert.equal(expectStatus<Json>(await write(stateOf(1), { ID: 'mine' }), 409).ID, 'other');
  });

  test('is had by one of many who ask at once', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => lock(id)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409, 409, 409]);
  });

  test('says who and what it is for', async () => {
    assert.match(message(await app.post(path('/lock'), { json: { ID: 'x' } }), 400), /Operation is missing/);
    expectStatus(await app.delete(path('/lock')), 404);
  });
});

describe('who may', () => {
  test('read from Developer on, write from Maintainer on', async () => {
    expectStatus(await write(stateOf(1)), 200);
    const people = await app.make.members(project);
    const allowed = { reads: ['developer', 'maintainer', 'owner'], writes: ['maintainer', 'owner'] };
    for (const [role, { token }] of Object.entries(people)) {
      const hidden = role === 'stranger';
      const [read, wrote] = [await app.get(path(), { token }), await write(stateOf(1), {}, { token })];
      assert.equal(read.statusCode, allowed.reads.includes(role) ? 200 : hidden ? 404 : 403, `${role} reads`);
      assert.equal(wrote.statusCode, allowed.writes.includes(role) ? 200 : hidden ? 404 : 403, `${role} writes`);
      const locked = await app.post(path('/lock', 'other'), { json: info(role), token });
      assert.equal(locked.statusCode, allowed.writes.includes(role) ? 200 : hidden ? 404 : 403, `${role} locks`);
      if (locked.statusCode === 200) expectStatus(await app.delete(path('/lock', 'other'), { token }), 200);
    }
    expectStatus(await app.get(path(), { token: null }), 401);
  });

  test('nobody where the project has no infrastructure', async () => {
    const { user, token } = await app.make.user();
    project = await app.make.project({ columns: { infrastructure_access_level: 'disabled' } });
    await app.make.member({ project }, user, 50);
    expectStatus(await app.get(path(), { token }), 403);
  });

  test('is said by a name and a password, as Terraform does', async () => {
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const as = (name: string, secret: string) => ({
      token: null,
      headers: { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}` },
    });
    expectStatus(await write(stateOf(1), {}, as('ann', token)), 200);
    assert.equal((await app.get(path(), as('ann', token))).statusCode, 200);
    expectStatus(await app.get(path(), as('ann', 'wrong')), 401);
    const readOnly = await app.make.token(user.id, ['read_api']);
    assert.equal((await app.get(path(), as('ann', readOnly))).statusCode, 200);
    expectStatus(await write(stateOf(2), {}, as('ann', readOnly)), 403);
  });

  test('jobs, with the rights of their user, while they run', async () => {
    const { user } = await app.make.user();
    await app.make.member({ project }, user, 40);
    const { job, token } = await holdJob(app, project, { columns: { user_id: user.id } });
    expectStatus(await write(stateOf(1), {}, { token: null, headers: { 'job-token': token } }), 200);
    const version = await app.deps.db
      .selectFrom('terraform_state_versions')
      .innerJoin('terraform_states', 'terraform_states.id', 'terraform_state_id')
      .select('ci_job_id')
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    assert.equal(version.ci_job_id, job.id);
  });
});
