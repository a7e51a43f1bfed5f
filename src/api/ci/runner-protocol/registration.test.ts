import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

interface Registered {
  id: number;
  token: string;
  token_expires_at: string | null;
  message?: string;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const rowOf = (id: number) => app.deps.db.selectFrom('ci_runners').selectAll().where('id', '=', id).executeTakeFirst();
const managers = (id: number) =>
  app.deps.db.selectFrom('ci_runner_managers').selectAll().where('runner_id', '=', id).orderBy('id').execute();
/** A request of a runner, with its own token only. */
const ask = (method: string, path: string, json: object, headers: Record<string, string> = {}) =>
  app.request(method, path, { token: null, json, headers });

async function makeRunner(json: object = { runner_type: 'instance_type' }): Promise<Registered> {
  return expectStatus<Registered>(await app.post('/user/runners', { json }), 201);
}

describe('POST /user/runners', () => {
  test('makes runners of the server for administrators, with all that can be said of them', async () => {
    const json = {
      runner_type: 'instance_type',
      description: 'Strong one',
      maintenance_note: 'In the cellar',
      paused: true,
      locked: true,
      access_level: 'ref_protected',
      run_untagged: false,
      tag_list: 'ruby, docker,ruby',
      maximum_timeout: 600,
    };
    const { id, token, token_expires_at } = await makeRunner(json);
    assert.match(token, /^glrt-[A-Za-z0-9]{20}$/);
    assert.equal(token_expires_at, null);
    const row = (await rowOf(id))!;
    assert.deepEqual(
      [row.runner_type, row.description, row.maintenance_note, row.paused, row.locked, row.access_level],
      ['instance_type', 'Strong one', 'In the cellar', 1, 1, 'ref_protected'],
    );
    assert.deepEqual(
      [row.run_untagged, row.tag_list, row.maximum_timeout, row.registration, row.creator_id, row.requested],
      [0, '["ruby","docker"]', 600, 'user', 1, 0],
    );
    assert.equal(row.short_token, token.slice(5, 13));
    assert.ok(!JSON.stringify(row).includes(token));
  });

  test('makes runners of a group for its owners, and of a project for its maintainers', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const people = await app.make.members(project);
    const owner = await app.make.user();
    await app.make.member({ group }, owner.user, 50);
    const ofGroup = { runner_type: 'group_type', group_id: group.id };
    const ofProject = { runner_type: 'project_type', project_id: project.id };
    const made = expectStatus<Registered>(await app.post('/user/runners', { token: owner.token, json: ofGroup }), 201);
    assert.equal((await rowOf(made.id))!.group_id, group.id);
    for (const { token } of [people.maintainer, people.owner]) {
      const { id } = expectStatus<Registered>(await app.post('/user/runners', { token, json: ofProject }), 201);
      const links = await app.deps.db
        .selectFrom('ci_runner_projects')
        .selectAll()
        .where('runner_id', '=', id)
        .execute();
      assert.deepEqual(
        links.map(({ project_id }) => project_id),
        [project.id],
      );
    }
    for (const name of ['guest', 'planner', 'reporter', 'developer'] as const) {
      const { token } = people[name];
      const refused = expectStatus(await app.post('/user/runners', { token, json: ofProject }), 403);
      assert.equal(refused.message, '403 Forbidden - Insufficient permissions');
    }
    const { token } = people.stranger;
    assert.equal(
      expectStatus(await app.post('/user/runners', { token, json: ofProject }), 404).message,
      '404 Project Not Found',
    );
    assert.equal(
      expectStatus(await app.post('/user/runners', { token, json: ofGroup }), 404).message,
      '404 Group Not Found',
    );
    expectStatus(await app.post('/user/runners', { token, json: { runner_type: 'instance_type' } }), 403);
    expectStatus(await app.post('/user/runners', { token: null, json: ofProject }), 401);
    const open = await app.make.group({ visibility: 'public' });
    expectStatus(await app.post('/user/runners', { token, json: { ...ofGroup, group_id: open.id } }), 403);
  });

  test('takes tokens of the scope create_runner, and no token that only reads', async () => {
    const json = { runner_type: 'instance_type' };
    for (const [scope, status] of [
      ['create_runner', 201],
      ['read_api', 403],
      ['manage_runner', 403],
    ] as const) {
      const token = await app.make.token(1, [scope]);
      expectStatus(await app.post('/user/runners', { token, json }), status);
    }
  });

  test('refuses what does not fit', async () => {
    const refuse = async (json: object, message: string) =>
      assert.equal(expectStatus(await app.post('/user/runners', { json }), 400).message, message);
    const instance = { runner_type: 'instance_type' };
    await refuse({}, 'runner_type is missing');
    await refuse({ runner_type: 'x' }, 'runner_type does not have a valid value');
    await refuse({ runner_type: 'group_type' }, 'group_id is missing');
    await refuse({ runner_type: 'project_type' }, 'project_id is missing');
    await refuse({ ...instance, maximum_timeout: 599 }, 'maximum_timeout needs to be at least 10 minutes');
    await refuse(
      { ...instance, run_untagged: false },
      'tags_list can not be empty when runner is not allowed to pick untagged jobs',
    );
    await refuse(
      { ...instance, tag_list: Array.from({ length: 51 }, (_, index) => `t${index}`) },
      'tags_list Too many tags specified. Please limit the number of tags to 50',
    );
    await refuse({ ...instance, access_level: 'none' }, 'access_level does not have a valid value');
  });

  test('gives tokens an end where the project of the runner says so', async () => {
    const project = await app.make.project();
    expectStatus(await app.put(`/projects/${project.id}`, { json: { runner_token_expiration_interval: 3600 } }), 200);
    const made = await makeRunner({ runner_type: 'project_type', project_id: project.id });
    assert.equal(made.token_expires_at, new Date(clock.now().getTime() + 3_600_000).toISOString());
    expectStatus(await ask('POST', '/runners/verify', { token: made.token }), 200);
    clock.advance(3_600_000);
    expectStatus(await ask('POST', '/runners/verify', { token: made.token }), 403);
  });
});

describe('registration tokens', () => {
  const register = (token: string, json: object = {}) => ask('POST', '/runners', { token, ...json });

  test('of the server, a group and a project let runners in there', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const reset = async (path: string) =>
      expectStatus<Registered>(await app.post(`${path}/runners/reset_registration_token`), 201).token;
    const places = { instance_type: await reset(''), group_type: '', project_type: '' };
    places.group_type = expectStatus<{ runners_token: string }>(
      await app.get(`/groups/${group.id}`),
      200,
    ).runners_token;
    places.project_type = expectStatus<{ runners_token: string }>(
      await app.get(`/projects/${project.id}`),
      200,
    ).runners_token;
    for (const [type, token] of Object.entries(places)) {
      const info = { name: 'gitlab-runner', version: '19.4.0', features: { cancelable: true } };
      const json = { description: type, tag_list: 'a,b', run_untagged: false, locked: true, active: false, info };
      const made = expectStatus<Registered>(await register(token, json), 201);
      assert.match(made.token, /^glrtr-[A-Za-z0-9]{20}$/);
      assert.equal(made.token_expires_at, null);
      const row = (await rowOf(made.id))!;
      assert.deepEqual(
        [row.runner_type, row.description, row.tag_list, row.run_untagged, row.locked, row.paused, row.registration],
        [type, type, '["a","b"]', 0, 1, 1, 'registration_token'],
      );
      assert.equal(row.group_id, type === 'group_type' ? group.id : null);
    }
    assert.match(places.group_type, /^GR1348941[A-Za-z0-9]{20}$/);
    assert.match(places.project_type, /^GR1348941[A-Za-z0-9]{20}$/);
    assert.match(places.instance_type, /^[A-Za-z0-9]{20}$/);
    const again = await reset(`/projects/${project.id}`);
    assert.notEqual(again, places.project_type);
    expectStatus(await register(places.project_type), 403);
    expectStatus(await register(again), 201);
    assert.equal(
      expectStatus<{ runners_token: string }>(await app.get(`/projects/${project.id}`), 200).runners_token,
      again,
    );
  });

  test('are shown to maintainers of the project and owners of the group alone', async () => {
    const group = await app.make.group({ visibility: 'public' });
    const project = await app.make.project({ namespace: group, visibility: 'public' });
    const people = await app.make.members(project);
    for (const [name, shown] of [
      ['developer', false],
      ['maintainer', true],
      ['owner', true],
    ] as const) {
      const body = expectStatus(await app.get(`/projects/${project.id}`, { token: people[name].token }), 200);
      assert.equal(typeof body.runners_token === 'string', shown, name);
    }
    const maintainer = await app.make.user();
    await app.make.member({ group }, maintainer.user, 40);
    assert.ok(
      !('runners_token' in expectStatus(await app.get(`/groups/${group.id}`, { token: maintainer.token }), 200)),
    );
  });

  test('are reset by administrators, owners of the group and maintainers of the project', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const people = await app.make.members(project);
    const path = `/projects/${project.id}/runners/reset_registration_token`;
    for (const name of ['guest', 'reporter', 'developer'] as const) {
      expectStatus(await app.post(path, { token: people[name].token }), 403);
    }
    expectStatus(await app.post(path, { token: people.stranger.token }), 404);
    expectStatus(await app.post(path, { token: null }), 401);
    expectStatus(await app.post(path, { token: people.maintainer.token }), 201);
    const maintainer = await app.make.user();
    await app.make.member({ group }, maintainer.user, 40);
    const ofGroup = `/groups/${group.id}/runners/reset_registration_token`;
    expectStatus(await app.post(ofGroup, { token: maintainer.token }), 403);
    expectStatus(await app.post(ofGroup), 201);
    expectStatus(await app.post('/runners/reset_registration_token', { token: people.owner.token }), 403);
    expectStatus(await app.post('/runners/reset_registration_token'), 201);
  });

  test('that are none are refused', async () => {
    const refused = expectStatus(await register('guess'), 403);
    assert.equal(refused.message, '403 Forbidden - invalid token supplied');
    assert.equal(expectStatus(await ask('POST', '/runners', {}), 400).message, 'token is missing, token is empty');
    const { token } = expectStatus<Registered>(await app.post('/runners/reset_registration_token'), 201);
    const short = expectStatus(await register(token, { maximum_timeout: 5 }), 400);
    assert.deepEqual(short.errors, { maximum_timeout: ['needs to be at least 10 minutes'] });
  });

  test('of a group of an earlier version, which kept it among its settings, stays what it was', async () => {
    const group = await app.make.group();
    const settings = '{"runners_token":"GR1348941old"}';
    await app.deps.db.updateTable('namespaces').set({ settings }).where('id', '=', group.id).execute();
    assert.equal(expectStatus(await app.get(`/groups/${group.id}`), 200).runners_token, 'GR1348941old');
    expectStatus(await register('GR1348941old'), 201);
  });
});

describe('a runner', () => {
  test('verifies its token by header or body, and is known by its machines', async () => {
    const { id, token } = await makeRunner();
    const info = {
      name: 'gitlab-runner',
      version: '19.4.0',
      revision: 'abc',
      platform: 'linux',
      architecture: 'amd64',
      executor: 'shell',
      shell: 'bash',
      features: { cancelable: true, refspecs: true },
      config: { gpus: '' },
      labels: { zone: 'cellar', 'x y': 'dropped' },
    };
    const known = expectStatus(await ask('POST', '/runners/verify', { token, system_id: 's_1', info }), 200);
    assert.deepEqual(known, { id, token, token_expires_at: null });
    const byHeader = await ask('POST', '/runners/verify', {}, { 'runner-token': token });
    assert.deepEqual(expectStatus(byHeader, 200), known);
    const [first, second] = await managers(id);
    assert.deepEqual([first?.system_id, first?.version, first?.executor], ['s_1', '19.4.0', 'shell']);
    assert.deepEqual([first?.labels, first?.features], ['{"zone":"cellar"}', '{"cancelable":true,"refspecs":true}']);
    assert.equal(second?.system_id, '<legacy>');
    assert.equal((await rowOf(id))!.contacted_at, clock.now().toISOString());
    assert.equal((await rowOf(id))!.requested, 0);
  });

  test('is written down at most every forty minutes, and at once when it says something new', async () => {
    const { id, token } = await makeRunner();
    const verify = (version: string) => ask('POST', '/runners/verify', { token, system_id: 's', info: { version } });
    const from = clock.now().toISOString();
    await verify('1');
    clock.advance(39 * 60_000);
    await verify('1');
    assert.equal((await rowOf(id))!.contacted_at, from);
    await verify('2');
    assert.equal((await managers(id))[0]!.version, '2');
    assert.equal((await rowOf(id))!.contacted_at, clock.now().toISOString());
    clock.advance(56 * 60_000);
    await verify('2');
    assert.equal((await rowOf(id))!.contacted_at, clock.now().toISOString());
  });

  test('without a token is 400, with a wrong one 403, never 401', async () => {
    for (const [method, path, more] of [
      ['POST', '/runners/verify', {}],
      ['POST', '/jobs/request', {}],
      ['DELETE', '/runners', {}],
      ['DELETE', '/runners/managers', { system_id: 's' }],
      ['POST', '/runners/reset_authentication_token', {}],
    ] as const) {
      const missing = expectStatus<{ error?: string }>(await ask(method, path, more), 400);
      assert.equal(missing.error, 'token is missing', path);
      const wrong = [
        await ask(method, path, { ...more, token: 'guess' }),
        await ask(method, `${path}?token=guess`, more),
        await ask(method, path, more, { 'runner-token': 'guess' }),
      ];
      for (const response of wrong) assert.equal(expectStatus(response, 403).message, '403 Forbidden', path);
    }
    expectStatus(await app.get('/runners/router/discovery', { token: null }), 400);
    expectStatus(await app.get('/runners/router/discovery?token=guess', { token: null }), 403);
    expectStatus(await ask('POST', '/runners', { description: 'x' }), 400);
    expectStatus(await ask('POST', '/runners?token=guess', {}), 403);
    const personal = await app.make.token(1, ['api']);
    expectStatus(await ask('POST', '/runners/verify', { token: personal }), 403);
  });

  test('is known by its token in the query string, too', async () => {
    const { id, token } = await makeRunner();
    const query = (of: string) => `token=${encodeURIComponent(of)}`;
    const bare = (method: string, path: string) => app.request(method, path, { token: null });
    assert.equal(
      expectStatus<Registered>(await bare('POST', `/runners/verify?${query(token)}&system_id=s1`), 200).token,
      token,
    );
    assert.deepEqual(
      (await managers(id)).map(({ system_id }) => system_id),
      ['s1'],
    );
    expectStatus(await bare('POST', `/jobs/request?${query(token)}`), 204);
    const renewed = expectStatus<Registered>(
      await bare('POST', `/runners/reset_authentication_token?${query(token)}`),
      201,
    );
    expectStatus(await bare('POST', `/runners/verify?${query(token)}`), 403);
    expectStatus(await bare('DELETE', `/runners/managers?${query(renewed.token)}&system_id=s1`), 204);
    expectStatus(await bare('DELETE', `/runners?${query(renewed.token)}`), 204);
    assert.equal(await rowOf(id), undefined);
    assert.ok(!app.logLines.join('').includes(token));
  });

  test('of a project that is gone has nothing to do', async () => {
    const project = await app.make.project();
    const { token, id } = await makeRunner({ runner_type: 'project_type', project_id: project.id });
    await app.deps.db.deleteFrom('ci_runner_projects').where('runner_id', '=', id).execute();
    assert.equal(expectStatus(await ask('POST', '/runners/verify', { token }), 422).message, 'Runner is orphaned');
  });

  test('gets another token, and the one before ends', async () => {
    const { token, id } = await makeRunner();
    const fresh = expectStatus<Registered>(await ask('POST', '/runners/reset_authentication_token', { token }), 201);
    assert.match(fresh.token, /^glrt-/);
    assert.equal(fresh.token_expires_at, null);
    expectStatus(await ask('POST', '/runners/verify', { token }), 403);
    assert.equal(expectStatus(await ask('POST', '/runners/verify', { token: fresh.token }), 200).id, id);
  });

  test('removes one of its machines, and itself', async () => {
    const { token, id } = await makeRunner();
    await ask('POST', '/runners/verify', { token, system_id: 's_1' });
    await ask('POST', '/runners/verify', { token, system_id: 's_2' });
    const remove = (json: object) => ask('DELETE', '/runners/managers', { token, ...json });
    assert.equal(expectStatus(await remove({}), 400).message, 'system_id is missing, system_id is empty');
    assert.equal(
      expectStatus(await remove({ system_id: 's_3' }), 404).message,
      '404 Runner manager not found Not Found',
    );
    expectStatus(await remove({ system_id: 's_1' }), 204);
    expectStatus(await remove({ system_id: 's_1' }), 404);
    assert.deepEqual(
      (await managers(id)).map(({ system_id }) => system_id),
      ['s_2'],
    );
    await ask('POST', '/runners/verify', { token, system_id: 's_1' });
    assert.equal((await managers(id)).length, 2);
    expectStatus(await ask('DELETE', '/runners', { token }), 204);
    expectStatus(await ask('DELETE', '/runners', { token }), 403);
    assert.equal(await rowOf(id), undefined);
    assert.deepEqual(await managers(id), []);
  });

  test('is told that there is no router', async () => {
    const { token } = await makeRunner();
    const headers = { 'runner-token': token };
    expectStatus(await app.get('/runners/router/discovery', { token: null, headers }), 501);
  });
});
