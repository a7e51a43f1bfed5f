import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { someoneWaits } from '../../../../test/support/meanwhile.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Shown {
  id: number;
  status: string;
  [name: string]: unknown;
}

const clock = new TestClock();
let app: TestApp;
let group: Namespace;
let project: Project;
let people: Awaited<ReturnType<TestApp['make']['members']>>;
let owner: { token: string };
before(async () => {
  app = await buildTestApp({ clock });
  group = await app.make.group();
  project = await app.make.project({ namespace: group });
  people = await app.make.members(project);
  const made = await app.make.user();
  await app.make.member({ group }, made.user, 50);
  owner = made;
});
after(() => app.close());

const make = async (json: object): Promise<number> =>
  expectStatus<Shown>(await app.post('/user/runners', { json }), 201).id;
const ofProject = (more: object = {}, id = project.id) =>
  make({ runner_type: 'project_type', project_id: id, ...more });
const ofGroup = (more: object = {}) => make({ runner_type: 'group_type', group_id: group.id, ...more });
const ofServer = (more: object = {}) => make({ runner_type: 'instance_type', ...more });
const list = async (path: string, query: Record<string, string | boolean> = {}, token?: string): Promise<number[]> =>
  expectStatus<Shown[]>(
    await app.get(path, { query: { per_page: '100', ...query }, ...(token === undefined ? {} : { token }) }),
    200,
  ).map(({ id }) => id);
const get = async (id: number, token?: string): Promise<Shown> =>
  expectStatus<Shown>(await app.get(`/runners/${id}`, token === undefined ? {} : { token }), 200);
const refusal = async (response: Promise<Awaited<ReturnType<TestApp['get']>>>, status: number): Promise<string> =>
  expectStatus<{ message: string }>(await response, status).message;

describe('lists of runners', () => {
  test('show those that one looks after, those of a project, those of a group, and all', async () => {
    const [server, above, own] = [await ofServer(), await ofGroup(), await ofProject()];
    const other = await ofProject({}, (await app.make.project()).id);
    const has = async (path: string, token: string | undefined, expected: number[]) => {
      const ids = await list(path, {}, token);
      assert.deepEqual(
        [server, above, own, other].filter((id) => ids.includes(id)),
        expected,
        `${path} ${token}`,
      );
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => b - a),
      );
    };
    await has('/runners', people.maintainer.token, [own]);
    await has('/runners', owner.token, [above, own]);
    await has('/runners', people.developer.token, []);
    await has('/runners/all', undefined, [server, above, own, other]);
    await has(`/projects/${project.id}/runners`, people.maintainer.token, [server, above, own]);
    await has(`/groups/${group.id}/runners`, owner.token, [server, above]);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { shared_runners_enabled: false } }), 200);
    await has(`/projects/${project.id}/runners`, people.maintainer.token, [above, own]);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { group_runners_enabled: false } }), 200);
    await has(`/projects/${project.id}/runners`, people.maintainer.token, [own]);
  });

  test('are for maintainers of the project or group, and for administrators', async () => {
    for (const name of ['guest', 'planner', 'reporter', 'developer'] as const) {
      expectStatus(await app.get(`/projects/${project.id}/runners`, { token: people[name].token }), 403);
    }
    expectStatus(await app.get(`/projects/${project.id}/runners`, { token: people.stranger.token }), 404);
    expectStatus(await app.get(`/groups/${group.id}/runners`, { token: people.stranger.token }), 404);
    expectStatus(await app.get('/runners/all', { token: owner.token }), 403);
    for (const path of ['/runners', '/runners/all', `/projects/${project.id}/runners`, `/groups/${group.id}/runners`]) {
      expectStatus(await app.get(path, { token: null }), 401);
    }
    const manager = await app.make.token(1, ['manage_runner']);
    expectStatus(await app.get('/runners/all', { token: manager }), 200);
  });

  test('are filtered by type, pause, tags and version', async () => {
    const place = (await app.make.project()).id;
    const [a, b, c] = [
      await ofProject({ tag_list: 'x,y' }, place),
      await ofProject({ paused: true, tag_list: 'x,yy' }, place),
      await ofServer({ tag_list: 'x' }),
    ];
    const path = `/projects/${place}/runners`;
    const some = async (query: Record<string, string | boolean>) =>
      (await list(path, query)).filter((id) => [a, b, c].includes(id));
    assert.deepEqual(await some({ type: 'project_type' }), [b, a]);
    assert.deepEqual(await some({ scope: 'shared' }), [c]);
    assert.deepEqual(await some({ scope: 'specific' }), [b, a]);
    for (const query of [{ paused: 'true' }, { status: 'paused' }, { scope: 'paused' }] as Record<string, string>[])
      assert.deepEqual(await some(query), [b]);
    for (const query of [{ paused: 'false' }, { status: 'active' }] as Record<string, string>[])
      assert.deepEqual(await some(query), [c, a]);
    assert.deepEqual(await some({ tag_list: 'x' }), [c, b, a]);
    assert.deepEqual(await some({ tag_list: 'y,x' }), [a]);
    assert.deepEqual(await some({ tag_list: 'X' }), []);
    await app.deps.db
      .insertInto('ci_runner_managers')
      .values({ runner_id: a, system_id: 's', version: '18.6.1', created_at: clock.now().toISOString() })
      .execute();
    assert.deepEqual(await some({ version_prefix: '18.6' }), [a]);
    assert.deepEqual(await some({ version_prefix: '18.7' }), []);
    assert.equal(await refusal(app.get(path, { query: { scope: 'x' } }), 400), 'Scope contains invalid value');
    expectStatus(await app.get(path, { query: { type: 'x' } }), 400);
    expectStatus(await app.get(path, { query: { status: 'x' } }), 400);
  });

  test('say and filter by how runners stand: heard of lately, once, long ago or never', async () => {
    const { id: place } = await app.make.project();
    const runner = await FakeRunner.make(app, { runner_type: 'project_type', project_id: place });
    const path = `/projects/${place}/runners`;
    const stands = async () => {
      const [shown] = expectStatus<Shown[]>(await app.get(path, { query: { type: 'project_type' } }), 200);
      for (const status of ['online', 'offline', 'stale', 'never_contacted']) {
        const withStatus = await list(path, { status, type: 'project_type' });
        assert.equal(withStatus.length, status === shown!.status ? 1 : 0, status);
      }
      return [shown!.status, shown!.online];
    };
    assert.deepEqual(await stands(), ['never_contacted', null]);
    await app.post('/runners/verify', { token: null, json: { token: runner.token } });
    assert.deepEqual(await stands(), ['offline', false]);
    await runner.request();
    assert.deepEqual(await stands(), ['online', true]);
    clock.advance(2 * 3_600_000);
    assert.deepEqual(await stands(), ['offline', false]);
    clock.advance(7 * 86_400_000);
    assert.deepEqual(await stands(), ['stale', false]);
    const never = await ofProject({}, (await app.make.project()).id);
    clock.advance(7 * 86_400_000);
    assert.equal((await get(never)).status, 'stale');
  });
});

describe('a runner', () => {
  test('is shown with all that is known of it, and never with its token', async () => {
    const runner = await FakeRunner.make(app, {
      ...{ runner_type: 'project_type', project_id: project.id, description: 'Strong', tag_list: 'b,a' },
      ...{ maintenance_note: 'Cellar', locked: true, maximum_timeout: 700 },
    });
    await runner.request();
    const [id] = await list(`/projects/${project.id}/runners`);
    const { projects, created_by, ...shown } = await get(id!);
    assert.deepEqual(shown, {
      ...{ id, description: 'Strong', ip_address: '127.0.0.1', active: true, paused: false, is_shared: false },
      ...{ runner_type: 'project_type', name: null, online: true, created_at: clock.now().toISOString() },
      ...{ status: 'online', job_execution_status: 'idle', tag_list: ['b', 'a'], run_untagged: true, locked: true },
      ...{ maximum_timeout: 700, access_level: 'not_protected', version: '19.4.0', revision: null, platform: 'linux' },
      ...{ architecture: 'amd64', contacted_at: clock.now().toISOString(), maintenance_note: 'Cellar' },
      ...{ token_expires_at: null, groups: [] },
    });
    assert.equal((created_by as { id: number }).id, 1);
    assert.deepEqual(
      (projects as { id: number }[]).map((each) => each.id),
      [project.id],
    );
    const without = await app.get(`/runners/${id}`, { query: { include_projects: false } });
    assert.ok(!('projects' in expectStatus<Shown>(without, 200)));
    const [manager] = expectStatus<Shown[]>(await app.get(`/runners/${id}/managers`), 200);
    assert.deepEqual([manager!.system_id, manager!.status, manager!.version], ['s_test', 'online', '19.4.0']);
    const groups = (await get(await ofGroup())).groups as { id: number }[];
    assert.deepEqual(groups[0]?.id, group.id);
  });

  test('is seen by those who look after it, and one of the server by every user', async () => {
    const [server, above, own] = [await ofServer(), await ofGroup(), await ofProject()];
    for (const path of ['', '/managers', '/jobs', '/projects']) {
      for (const name of ['stranger', 'developer', 'reporter'] as const) {
        const { token } = people[name];
        expectStatus(await app.get(`/runners/${server}${path}`, { token }), 200);
        for (const id of [above, own]) {
          assert.equal(
            await refusal(app.get(`/runners/${id}${path}`, { token }), 403),
            '403 Forbidden - No access granted',
          );
        }
      }
      expectStatus(await app.get(`/runners/${own}${path}`, { token: people.maintainer.token }), 200);
      expectStatus(await app.get(`/runners/${above}${path}`, { token: owner.token }), 200);
      expectStatus(await app.get(`/runners/${own}${path}`, { token: null }), 401);
      assert.equal(await refusal(app.get(`/runners/999999${path}`), 404), '404 Runner Not Found');
    }
  });

  test('is changed by maintainers of its projects, owners of its group, and administrators', async () => {
    const [server, above, own] = [await ofServer(), await ofGroup(), await ofProject()];
    const put = (id: number, token: string | undefined, json: object = { description: 'New' }) =>
      app.put(`/runners/${id}`, { ...(token === undefined ? {} : { token }), json });
    for (const name of ['stranger', 'developer'] as const) {
      for (const id of [server, above, own]) expectStatus(await put(id, people[name].token), 403);
    }
    expectStatus(await put(server, owner.token), 403);
    const maintainer = await app.make.user();
    await app.make.member({ group }, maintainer.user, 40);
    expectStatus(await put(above, maintainer.token), 403);
    expectStatus(await app.get(`/runners/${above}`, { token: maintainer.token }), 200);
    expectStatus(await put(above, owner.token), 200);
    expectStatus(await put(server, undefined), 200);
    const json = {
      ...{ description: 'New', maintenance_note: 'Note', active: false, locked: true, run_untagged: false },
      ...{ tag_list: ['b', 'a', 'b'], access_level: 'ref_protected', maximum_timeout: 900 },
    };
    const changed = expectStatus<Shown>(await put(own, people.maintainer.token, json), 200);
    assert.deepEqual(
      [changed.description, changed.maintenance_note, changed.paused, changed.active, changed.locked],
      ['New', 'Note', true, false, true],
    );
    assert.deepEqual(
      [changed.run_untagged, changed.tag_list, changed.access_level, changed.maximum_timeout],
      [false, ['b', 'a'], 'ref_protected', 900],
    );
    assert.deepEqual(await get(own, people.maintainer.token), changed);
    expectStatus(await put(own, undefined, { paused: false, maximum_timeout: null }), 200);
    assert.deepEqual([(await get(own)).paused, (await get(own)).maximum_timeout], [false, null]);
    assert.equal(
      await refusal(put(own, undefined, { tag_list: [] }), 400),
      'tags_list can not be empty when runner is not allowed to pick untagged jobs',
    );
    assert.equal(
      await refusal(put(own, undefined, { maximum_timeout: 10 }), 400),
      'maximum_timeout needs to be at least 10 minutes',
    );
    assert.deepEqual((await get(own)).tag_list, ['b', 'a']);
  });

  test('is deleted by those who may change it, unless it works for several projects', async () => {
    const [own, shared] = [await ofProject(), await ofProject()];
    const other = await app.make.project();
    expectStatus(await app.post(`/projects/${other.id}/runners`, { json: { runner_id: shared } }), 201);
    const remove = (id: number, token?: string, headers: Record<string, string> = {}) =>
      app.delete(`/runners/${id}`, { ...(token === undefined ? {} : { token }), headers });
    expectStatus(await remove(own, people.developer.token), 403);
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expectStatus(await remove(own, people.maintainer.token, old), 412);
    expectStatus(await remove(own, people.maintainer.token), 204);
    expectStatus(await remove(own), 404);
    assert.equal(
      await refusal(remove(shared, people.maintainer.token), 403),
      '403 Forbidden - Runner associated with more than one project',
    );
    expectStatus(await remove(shared), 204);
  });

  test('gets another token from those who may change it', async () => {
    const id = await ofProject();
    const path = `/runners/${id}/reset_authentication_token`;
    expectStatus(await app.post(path, { token: people.developer.token }), 403);
    const { token, token_expires_at } = expectStatus<Shown>(
      await app.post(path, { token: people.maintainer.token }),
      201,
    );
    assert.match(String(token), /^glrt-/);
    assert.equal(token_expires_at, null);
    expectStatus(await app.post('/runners/verify', { token: null, json: { token } }), 200);
  });

  test('works for further projects, as long as it is not locked', async () => {
    const id = await ofProject();
    const other = await app.make.project();
    await app.make.member({ project: other }, people.maintainer.user, 40);
    const enable = (runner_id: number, token = people.maintainer.token) =>
      app.post(`/projects/${other.id}/runners`, { token, json: { runner_id } });
    expectStatus(await enable(id, people.developer.token), 404);
    assert.equal(expectStatus<Shown>(await enable(id), 201).id, id);
    assert.equal(await refusal(enable(id), 400), 'runner_id has already been taken');
    assert.ok((await list(`/projects/${other.id}/runners`)).includes(id));
    assert.deepEqual(
      await list(`/runners/${id}/projects`),
      [project.id, other.id].sort((a, b) => a - b),
    );
    const locked = await ofProject({ locked: true });
    assert.equal(await refusal(enable(locked), 403), '403 Forbidden - Runner is locked');
    const foreign = await ofProject({}, (await app.make.project()).id);
    assert.equal(await refusal(enable(foreign), 403), '403 Forbidden - No access granted');
    assert.equal(await refusal(enable(999_999), 404), '404 Runner Not Found');
    for (const [runner, reason] of [
      [await ofGroup(), 'Runner is a group runner'],
      [await ofServer(), 'Runner is an instance runner'],
    ] as const) {
      const refused = app.post(`/projects/${other.id}/runners`, { json: { runner_id: runner } });
      assert.equal(await refusal(refused, 403), `403 Forbidden - ${reason}`);
    }
    const disable = (at: Project, token = people.maintainer.token) =>
      app.delete(`/projects/${at.id}/runners/${id}`, { token });
    assert.equal(
      await refusal(disable(project), 403),
      '403 Forbidden - You cannot unassign a runner from the owner project. Delete the runner instead',
    );
    expectStatus(await disable(project, people.developer.token), 403);
    expectStatus(await disable(other), 204);
    assert.equal(await refusal(disable(other), 404), '404 Runner Not Found');
  });

  test('works for no project that has a thousand, however many come at once', async () => {
    const other = await app.make.project();
    const [enabledRunner, last] = [await ofProject(), await ofProject()];
    const now = clock.now().toISOString();
    const kind = { runner_type: 'project_type', registration: 'user', access_level: 'not_protected' } as const;
    const row = { ...kind, tag_list: '[]', created_at: now, updated_at: now };
    const { db } = app.deps;
    const rows = Array.from({ length: 999 }, (_, n) => ({ ...row, digest: `full-${n}`, short_token: 'x' }));
    const made = await db.insertInto('ci_runners').values(rows).returning('id').execute();
    const links = made.map(({ id }) => ({ runner_id: id, project_id: other.id, created_at: now }));
    await db.insertInto('ci_runner_projects').values(links).execute();
    const enable = () => app.post(`/projects/${other.id}/runners`, { json: { runner_id: enabledRunner } });
    const linked = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const linking = db.transaction().execute(async (db) => {
      await lockRow(db, 'projects', other.id);
      const link = { runner_id: last, project_id: other.id, created_at: now };
      await db.insertInto('ci_runner_projects').values(link).execute();
      linked.resolve();
      await asked.promise;
    });
    await linked.promise;
    const refused = refusal(enable(), 400);
    await someoneWaits(app);
    asked.resolve();
    await linking;
    assert.equal(await refused, 'Maximum number of ci registered project runners (1000) exceeded');
    await db
      .deleteFrom('ci_runner_projects')
      .where('runner_id', '=', last)
      .where('project_id', '=', other.id)
      .execute();
    expectStatus(await enable(), 201);
    await db.deleteFrom('ci_runners').where('digest', 'like', 'full-%').execute();
  });

  test('takes jobs at once that a change lets it take', async () => {
    const place = await app.make.project();
    const runner = await FakeRunner.make(app, { runner_type: 'project_type', project_id: place.id, tag_list: 'a' });
    const [id] = await list(`/projects/${place.id}/runners`, { type: 'project_type' });
    await makePipeline(app, place, { jobs: [{ name: 'b', status: 'pending', tags: ['b'] }] });
    assert.equal(await runner.request(), undefined);
    const waiting = runner.request({ last_update: runner.lastUpdate });
    expectStatus(await app.put(`/runners/${id}`, { json: { tag_list: 'a,b' } }), 200);
    assert.equal((await waiting)?.name, 'b');
  });

  test('lists its jobs, of projects that the caller may read', async () => {
    const [place, other] = [await app.make.project(), await app.make.project()];
    const reporter = await app.make.user();
    await app.make.member({ project: place }, reporter.user, 20);
    const runner = await FakeRunner.make(app, { description: 'jobs' });
    const [id] = await list('/runners/all', { type: 'instance_type' });
    const made: number[] = [];
    for (const at of [place, place, other]) {
      await makePipeline(app, at, { jobs: [{ name: 'one', status: 'pending' }] });
      made.push((await runner.take()).id);
    }
    const [first, second, third] = made as [number, number, number];
    const path = `/runners/${id}/jobs`;
    assert.deepEqual(await list(path), [third, second, first]);
    assert.deepEqual(await list(path, { sort: 'asc' }), [first, second, third]);
    assert.deepEqual(await list(path, {}, reporter.token), [second, first]);
    assert.deepEqual(await list(path, {}, people.stranger.token), []);
    assert.deepEqual(await list(path, { status: 'success' }), []);
    assert.deepEqual(await list(path, { system_id: 's_test' }), [third, second, first]);
    assert.deepEqual(await list(path, { system_id: 'other' }), []);
    const page = await app.get(path, { query: { pagination: 'keyset', per_page: 2, order_by: 'id' } });
    assert.deepEqual(
      expectStatus<Shown[]>(page, 200).map((each) => each.id),
      [third, second],
    );
    const next = new URL(/<([^>]+)>/.exec(String(page.headers.link))![1]!);
    assert.deepEqual(await list(path, Object.fromEntries(next.searchParams)), [first]);
    const [shown] = expectStatus<Shown[]>(await app.get(path), 200);
    assert.equal((shown!.project as { id: number }).id, other.id);
    assert.equal((shown!.runner as { id: number }).id, id);
    assert.equal((shown!.runner_manager as { system_id: string }).system_id, 's_test');
    assert.equal((await get(id!)).job_execution_status, 'active');
    assert.equal(await refusal(app.get(path, { query: { cursor: 'x' } }), 400), 'cursor is invalid');
  });
});

test('machines that were not heard of for a week are forgotten', async () => {
  const place = await app.make.project();
  const json = { runner_type: 'project_type', project_id: place.id };
  const runner = await FakeRunner.make(app, json);
  await runner.request();
  const [id] = await list(`/projects/${place.id}/runners`, { type: 'project_type' });
  const machines = () => list(`/runners/${id}/managers`);
  await app.deps.jobs.maintain();
  clock.advance(6 * 86_400_000);
  await app.drain();
  assert.equal((await machines()).length, 1);
  clock.advance(3 * 86_400_000);
  await app.drain();
  assert.deepEqual(await machines(), []);
  assert.equal((await runner.ask()).statusCode, 204);
  assert.equal((await machines()).length, 1);
});
