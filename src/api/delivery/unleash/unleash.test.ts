import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { DEFAULT, flagProject, rollout } from '../../../../test/support/feature-flags.ts';

interface Features {
  version: number;
  features: { name: string; enabled: boolean; description?: string; strategies: object[] }[];
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function setting() {
  const made = await flagProject(app);
  const { instance_id: secret, url } = await made.client();
  const base = `/feature_flags/unleash/${made.project.id}`;
  const ask = (headers: Record<string, string>, path = `${base}/client/features`) =>
    app.get(path, { token: null, headers });
  const features = async (environment: string) => {
    const response = await ask({ 'unleash-instanceid': secret, 'unleash-appname': environment });
    return expectStatus<Features>(response, 200).features;
  };
  const names = async (environment: string) => (await features(environment)).map(({ name }) => name);
  return { ...made, secret, url, base, ask, features, names };
}

const scoped = (...environments: string[]) => ({
  ...DEFAULT,
  scopes: environments.map((environment_scope) => ({ environment_scope })),
});

describe('an Unleash client is told', () => {
  test('all strategies that count in its environment, a user list as the ids in it', async () => {
    const { create, list, features, base, ask, secret } = await setting();
    const { id } = await list('ada,bo');
    await create({
      name: 'zz-first',
      description: 'Says something',
      strategies: [
        { ...scoped('production', '*'), name: 'default' },
        { name: 'svcUserList', user_list_id: id },
        { ...rollout(), scopes: [{ environment_scope: 'production' }] },
        scoped('staging'),
      ],
    });
    await create({ name: 'off', active: false, strategies: [{ name: 'userWithId', parameters: { userIds: '1' } }] });
    await create({ name: 'without', strategies: [] });
    const expected = [
      {
        name: 'zz-first',
        description: 'Says something',
        enabled: true,
        strategies: [DEFAULT, { name: 'userWithId', parameters: { userIds: 'ada,bo' } }, rollout()],
      },
      { name: 'off', enabled: false, strategies: [{ name: 'userWithId', parameters: { userIds: '1' } }] },
    ];
    assert.deepEqual(await features('production'), expected);
    const headers = { 'unleash-instanceid': secret, 'unleash-appname': 'production' };
    for (const path of [`${base}/features`, `${base}/client/features`, `${base}/client/features/`]) {
      const response = await ask(headers, path);
      assert.match(String(response.headers['content-type']), /^application\/json/);
      assert.deepEqual(expectStatus(response, 200), { version: 1, features: expected });
    }
    assert.equal((await features('staging'))[0]!.strategies.length, 3);
  });

  test('of flags by the names and patterns of environments', async () => {
    const { create, names } = await setting();
    for (const [name, ...environments] of [
      ['everywhere', '*'],
      ['production', 'production'],
      ['review', 'review/*'],
      ['ends', '*-eu'],
      ['middle', 'a*c'],
      ['two', 'production', 'review/1'],
    ] as const) {
      await create({ name, strategies: [scoped(...environments)] });
    }
    for (const [environment, ...expected] of [
      ['production', 'everywhere', 'production', 'two'],
      ['Production', 'everywhere'],
      ['productions', 'everywhere'],
      ['review/1', 'everywhere', 'review', 'two'],
      ['review/', 'everywhere', 'review'],
      ['review', 'everywhere'],
      ['production-eu', 'everywhere', 'ends'],
      ['abc', 'everywhere', 'middle'],
      [`review/${'x'.repeat(300)}`, 'everywhere'],
    ] as const) {
      assert.deepEqual(await names(environment), expected, environment);
    }
  });

  test('of nothing when it has no name', async () => {
    const { create, base, secret, ask } = await setting();
    await create({ name: 'flag', strategies: [DEFAULT] });
    for (const headers of [{}, { 'unleash-appname': '' }] as Record<string, string>[]) {
      const response = await ask({ 'unleash-instanceid': secret, ...headers });
      assert.deepEqual(expectStatus(response, 200), { version: 1, features: [] });
    }
    const query = { instance_id: secret, app_name: 'production' };
    const byQuery = await app.get(`${base}/client/features`, { token: null, query });
    assert.equal(expectStatus<Features>(byQuery, 200).features.length, 1);
  });

  test('of every change by its next question', async () => {
    const { path, create, change, list, names, features, project } = await setting();
    assert.deepEqual(await names('production'), []);
    const flag = await create({ name: 'one', strategies: [DEFAULT] });
    assert.deepEqual(await names('production'), ['one']);
    await change('one', { active: false });
    assert.equal((await features('production'))[0]!.enabled, false);
    await change('one', { name: 'renamed', active: true });
    assert.deepEqual(await names('production'), ['renamed']);
    const { id, iid } = await list('a');
    await change('renamed', {
      strategies: [
        { id: flag.strategies[0]!.id, _destroy: true },
        { name: 'svcUserList', user_list_id: id },
      ],
    });
    const users = async () => (await features('production'))[0]!.strategies;
    assert.deepEqual(await users(), [{ name: 'userWithId', parameters: { userIds: 'a' } }]);
    const lists = `/projects/${project.id}/feature_flags_user_lists`;
    expectStatus(await app.put(`${lists}/${iid}`, { json: { user_xids: 'a,b' } }), 200);
    assert.deepEqual(await users(), [{ name: 'userWithId', parameters: { userIds: 'a,b' } }]);
    expectStatus(await app.delete(`${path}/renamed`), 200);
    assert.deepEqual(await names('production'), []);
  });

  test('that it has the newest already', async () => {
    const { create, change, secret, ask } = await setting();
    await create({ name: 'flag', strategies: [DEFAULT, scoped('staging')] });
    const headers = { 'unleash-instanceid': secret, 'unleash-appname': 'production' };
    const first = await ask(headers);
    const etag = String(first.headers.etag);
    assert.match(etag, /^W\/"/);
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`]) {
      const again = await ask({ ...headers, 'if-none-match': tag });
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag]);
    }
    const other = await ask({ ...headers, 'unleash-appname': 'staging', 'if-none-match': etag });
    assert.equal(other.statusCode, 200);
    const head = await app.head(`/feature_flags/unleash/${(await setting()).project.id}`, { token: null });
    assert.equal(head.statusCode, 401);
    await change('flag', { active: false });
    assert.equal((await ask({ ...headers, 'if-none-match': etag })).statusCode, 200);
  });

  test('without a body where it asks by HEAD', async () => {
    const { create, base, secret } = await setting();
    await create({ name: 'flag', strategies: [DEFAULT] });
    const headers = { 'UNLEASH-INSTANCEID': secret, 'UNLEASH-APPNAME': 'production' };
    for (const path of [base, `${base}/client/features`, `${base}/features`]) {
      const response = await app.head(path, { token: null, headers });
      assert.deepEqual([response.statusCode, response.body], [200, ''], path);
    }
  });
});

test('an Unleash client registers and reports, and what it says is not kept', async () => {
  const { base, secret } = await setting();
  const headers = { 'Unleash-InstanceId': secret };
  const root = await app.get(base, { token: null, headers });
  assert.deepEqual([root.statusCode, root.body], [200, '']);
  const register = { appName: 'production', instanceId: 'made-up', strategies: ['default'], interval: 15_000 };
  const toggles = { flag: { yes: 1, no: 2, variants: { a: 1 } } };
  const metrics = {
    appName: 'production',
    bucket: { start: '2026-01-01T00:00:00Z', stop: '2026-01-01T00:01:00Z', toggles },
  };
  for (const [path, json] of [
    ['register', register],
    ['metrics', metrics],
  ] as const) {
    const response = await app.post(`${base}/client/${path}`, { token: null, headers, json });
    assert.deepEqual([response.statusCode, response.body], [200, ''], path);
    const deep = `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
    const type = { ...headers, 'content-type': 'application/json' };
    expectStatus(await app.post(`${base}/client/${path}`, { token: null, headers: type, body: deep }), 400);
    expectStatus(await app.post(`${base}/client/${path}`, { token: null, headers: {}, json }), 401);
  }
  for (const path of ['client/other', 'client', 'features/x']) {
    expectStatus(await app.get(`${base}/${path}`, { token: null, headers }), 404);
  }
});

describe('the instance id', () => {
  test('is taken in every place in which SDKs send it', async () => {
    const { base, secret, create } = await setting();
    await create({ name: 'flag', strategies: [DEFAULT] });
    const path = `${base}/client/features`;
    const appName = { 'unleash-appname': 'production' };
    const made = { 'unleash-instanceid': 'generated-0d4c-xyz' };
    for (const headers of [
      { 'UNLEASH-INSTANCEID': secret },
      { 'unleash-instanceid': secret },
      { 'Unleash-InstanceId': ` ${secret} ` },
      { authorization: secret },
      { authorization: `Bearer ${secret}` },
      // An SDK that makes up an id of its own has been told to send ours beside it.
      { 'unleash-instanceid': `generated-0d4c-xyz, ${secret}` },
      { ...made, authorization: secret },
      // Some need an authorization, which says nothing here.
      { 'unleash-instanceid': secret, authorization: 'ignored' },
    ] as Record<string, string>[]) {
      const response = await app.get(path, { token: null, headers: { ...appName, ...headers } });
      assert.equal(expectStatus<Features>(response, 200).features.length, 1, JSON.stringify(headers));
    }
    expectStatus(await app.get(path, { token: null, query: { instance_id: secret } }), 200);
    expectStatus(await app.get(path, { token: null, headers: made, query: { instance_id: secret } }), 200);
    for (const json of [{ instance_id: secret }, { instanceId: secret }]) {
      expectStatus(await app.post(`${base}/client/register`, { token: null, json }), 200);
      expectStatus(await app.post(`${base}/client/metrics`, { token: null, json }), 200);
    }
  });

  test('of nobody, of another project or of no project is refused', async () => {
    const { base, secret, project } = await setting();
    const other = await setting();
    const none = await app.make.project();
    const refusal = async (at: string, headers: Record<string, string>, token: string | null = null) => {
      for (const path of [at, `${at}/features`, `${at}/client/features`]) {
        const { message } = expectStatus<{ message: string }>(await app.get(path, { token, headers }), 401);
        assert.equal(message, '401 Unauthorized');
      }
      for (const path of ['register', 'metrics']) {
        expectStatus(await app.post(`${at}/client/${path}`, { token, headers, json: {} }), 401);
      }
    };
    await refusal(base, {});
    await refusal(base, { 'unleash-instanceid': '' });
    await refusal(base, { 'unleash-instanceid': `${secret}x` });
    await refusal(base, { 'unleash-instanceid': secret.slice(0, -1) });
    await refusal(base, { 'unleash-instanceid': other.secret });
    await refusal(base, { authorization: 'x' });
    const headers = { 'unleash-instanceid': secret };
    await refusal(`/feature_flags/unleash/${none.id}`, headers);
    await refusal('/feature_flags/unleash/999999', headers);
    await refusal('/feature_flags/unleash/999999999999999999999', headers);
    await refusal(`/feature_flags/unleash/${encodeURIComponent(project.full_path)}`, headers);
    await refusal(`/feature_flags/unleash/${none.id}`, { 'unleash-instanceid': 'x' });
    const { token } = await app.make.user({ admin: true });
    await refusal(base, {}, token);
    expectStatus(await app.get(`/projects/${project.id}/feature_flags`, { token: secret }), 401);
  });

  test('opens a private project, one whose repository is closed, and none whose flags are switched off', async () => {
    const { ask, secret, project, create } = await setting();
    await create({ name: 'flag', strategies: [DEFAULT] });
    const headers = { 'unleash-instanceid': secret, 'unleash-appname': 'production' };
    for (const [columns, status] of [
      [{ repository_access_level: 'disabled' }, 200],
      [{ feature_flags_access_level: 'private' }, 200],
      [{ archived: 1 }, 200],
      [{ feature_flags_access_level: 'disabled' }, 403],
    ] as const) {
      await app.deps.db.updateTable('projects').set(columns).where('id', '=', project.id).execute();
      assert.equal((await ask(headers)).statusCode, status, JSON.stringify(columns));
    }
  });

  test('is shown to Developers, stays, and is refused once it was reset', async () => {
    const { project, secret, url, ask, base } = await setting();
    const path = `/projects/${project.id}/feature_flags_client`;
    assert.match(secret, /^glffct-[A-Za-z0-9]{20}$/);
    assert.equal(url, `${app.deps.externalUrl()}/api/v4${base}`);
    const people = Object.entries(await app.make.members(project));
    const statuses: Record<string, number[]> = {};
    for (const [role, { token }] of people) {
      const shown = await app.get(path, { token });
      if (shown.statusCode === 200)
        assert.equal(shown.json<{ instance_id: string }>().instance_id.length, secret.length);
      statuses[role] = [shown.statusCode, (await app.post(`${path}/reset_token`, { token })).statusCode];
    }
    assert.deepEqual(statuses, {
      guest: [403, 403],
      planner: [403, 403],
      reporter: [403, 403],
      developer: [200, 201],
      maintainer: [200, 201],
      owner: [200, 201],
      stranger: [404, 404],
    });
    expectStatus(await app.get(path, { token: null }), 401);
    expectStatus(await app.post(`${path}/reset_token`, { token: null }), 401);
    expectStatus(await ask({ 'unleash-instanceid': secret }), 401);
    const { instance_id } = expectStatus<{ instance_id: string }>(await app.get(path), 200);
    assert.notEqual(instance_id, secret);
    expectStatus(await ask({ 'unleash-instanceid': instance_id }), 200);
    const reset = expectStatus<{ instance_id: string }>(await app.post(`${path}/reset_token`), 201);
    assert.equal(expectStatus<{ instance_id: string }>(await app.get(path), 200).instance_id, reset.instance_id);
    expectStatus(await ask({ 'unleash-instanceid': instance_id }), 401);
  });

  test('is one, however many ask for the first at once', async () => {
    const { id } = await app.make.project();
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.get(`/projects/${id}/feature_flags_client`)));
    const ids = new Set(answers.map((response) => expectStatus<{ instance_id: string }>(response, 200).instance_id));
    assert.equal(ids.size, 1);
  });

  test('is not in the log, wherever it was sent', async () => {
    const { base, secret } = await setting();
    await app.get(`${base}/client/features`, { token: null, query: { instance_id: secret } });
    await app.post(`${base}/client/register`, { token: null, json: { instance_id: secret } });
    assert.equal(app.logLines.join('').includes(secret), false);
  });
});
