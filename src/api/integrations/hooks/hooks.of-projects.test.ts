import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { auditedRequest } from '../../../../test/support/audit-trail.ts';
import { makeHook } from '../../../../test/support/hooks.ts';
import { HOOK_TRIGGERS } from './hooks.flags.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
const url = 'https://hook.example/x';
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

/** A project or a group that somebody manages. */
async function scene(kind: 'project' | 'group') {
  const manager = await app.make.user();
  if (kind === 'group') {
    const group = await app.make.group({ owner: manager.user });
    return { at: `/groups/${group.id}`, id: group.id, manager, place: { group } };
  }
  const project = await app.make.project();
  await app.make.member({ project }, manager.user, 40);
  return { at: `/projects/${project.id}`, id: project.id, manager, place: { project } };
}

for (const kind of ['project', 'group'] as const) {
  describe(`a webhook of a ${kind}`, () => {
    test('is told of pushes alone unless it is said otherwise, and shown without its secrets', async () => {
      const { at, id } = await scene(kind);
      const made = await makeHook(app, at, {
        url: 'https://hook.example/{env}/x',
        token: 'sesame-1',
        signing_token: `whsec_${Buffer.alloc(32, 'k').toString('base64')}`,
        url_variables: [{ key: 'env', value: 'sesame-2' }],
        custom_headers: [{ key: 'X-Key', value: 'sesame-3' }],
      });
      const flags = Object.fromEntries(HOOK_TRIGGERS[kind].map((trigger) => [`${trigger}_events`, trigger === 'push']));
      const whole: Json = {
        id: made.id,
        url: 'https://hook.example/{env}/x',
        name: null,
        description: null,
        created_at: clock.now().toISOString(),
        ...flags,
        repository_update_events: false,
        enable_ssl_verification: true,
        alert_status: 'executable',
        disabled_until: null,
        push_events_branch_filter: null,
        branch_filter_strategy: 'wildcard',
        custom_webhook_template: null,
        token_present: true,
        signing_token_present: true,
        url_variables: [{ key: 'env' }],
        custom_headers: [{ key: 'X-Key' }],
        [`${kind}_id`]: id,
      };
      assert.deepEqual(made, whole);
      assert.deepEqual(expectStatus(await app.get(`${at}/hooks/${made.id}`), 200), whole);
      const { url_variables, custom_headers, ...listed } = whole;
      assert.deepEqual(expectStatus(await app.get(`${at}/hooks`), 200), [listed]);
      const rows = await app.deps.db.selectFrom('web_hooks').selectAll().where('id', '=', made.id).execute();
      assert.doesNotMatch(JSON.stringify(rows), /sesame/);
    });

    test('is changed in what is given alone, and deleted', async () => {
      const { at } = await scene(kind);
      const made = await makeHook(app, at, { url, token: 'sesame' });
      const json = { push_events: false, issues_events: true, name: 'new', enable_ssl_verification: false };
      const changed = expectStatus<Json>(await app.put(`${at}/hooks/${made.id}`, { json }), 200);
      assert.deepEqual(changed, { ...made, ...json });
      const all = { push_events_branch_filter: 'a*', branch_filter_strategy: 'all_branches' };
      const open = expectStatus<Json>(await app.put(`${at}/hooks/${made.id}`, { json: all }), 200);
      assert.equal(open.push_events_branch_filter, null);
      assert.match(
        String(expectStatus<Json>(await app.put(`${at}/hooks/${made.id}`, { json: {} }), 400).message),
        /at least one parameter/,
      );
      expectStatus(await app.delete(`${at}/hooks/${made.id}`), 204);
      const gone = [
        await app.get(`${at}/hooks/${made.id}`),
        await app.put(`${at}/hooks/${made.id}`, { json }),
        await app.delete(`${at}/hooks/${made.id}`),
        await app.get(`${at}/hooks/${made.id}/events`),
        await app.post(`${at}/hooks/${made.id}/test/push_events`),
        await app.put(`${at}/hooks/${made.id}/url_variables/a`, { json: { value: 'b' } }),
      ];
      for (const response of gone) assert.equal(expectStatus<Json>(response, 404).message, '404 Not found');
    });

    test('is for those who manage them, and those of another one are not there', async () => {
      const { at, manager, place } = await scene(kind);
      const [below, stranger] = [await app.make.user(), await app.make.user()];
      await app.make.member(place, below.user, kind === 'group' ? 40 : 30);
      const made = expectStatus<Json>(await app.post(`${at}/hooks`, { json: { url }, token: manager.token }), 201);
      const other = (await scene(kind)).at;
      const ask = async (token: string | null, path = at) => {
        const one = `${path}/hooks/${made.id}`;
        const answers = [
          await app.get(`${path}/hooks`, { token }),
          await app.get(one, { token }),
          await app.get(`${one}/events`, { token }),
          await app.put(one, { json: { name: 'x' }, token }),
          await app.put(`${one}/custom_headers/X-A`, { json: { value: 'b' }, token }),
          await app.delete(`${one}/custom_headers/X-A`, { token }),
        ];
        return answers.map(({ statusCode }) => statusCode);
      };
      assert.deepEqual(await ask(manager.token), [200, 200, 200, 200, 204, 204]);
      assert.deepEqual(await ask(below.token), Array(6).fill(403));
      assert.deepEqual(await ask(stranger.token), Array(6).fill(404));
      assert.deepEqual(await ask(null), Array(6).fill(401));
      assert.deepEqual((await ask(undefined as never, other)).slice(1), Array(5).fill(404));
      const readOnly = await app.make.token(manager.user.id, ['read_api']);
      assert.deepEqual((await ask(readOnly)).slice(0, 4), [200, 200, 200, 403]);
    });

    test('is told in audit events', async () => {
      const { at } = await scene(kind);
      const type = kind === 'project' ? 'ProjectHook' : 'GroupHook';
      const { made, gist } = await auditedRequest(app, 'POST', `${at}/hooks`, { url, name: 'mine', token: 'sesame' });
      assert.equal(gist.event, 'webhook_created');
      assert.equal(gist.target, `${type} mine`);
      const path = `${at}/hooks/${made.id}`;
      const set = await auditedRequest(app, 'PUT', `${path}/url_variables/a`, { value: 'sesame' });
      assert.equal(set.gist.message, `Updated ${kind} webhook with id ${made.id}: url_variables`);
      const { event } = await auditedRequest(app, 'PUT', path, { url: 'https://hook.example/sesame' });
      assert.doesNotMatch(JSON.stringify(event), /sesame/);
      assert.equal((await auditedRequest(app, 'DELETE', path)).gist.event, 'webhook_destroyed');
    });

    test('goes with what it belongs to', async () => {
      const { at, id } = await scene(kind);
      const { id: hook } = await makeHook(app, at, { url });
      expectStatus(await app.delete(`/${kind}s/${id}`), 202);
      await app.drain();
      const left = await app.deps.db.selectFrom('web_hooks').select('id').where('id', '=', hook).execute();
      assert.deepEqual(left, []);
    });
  });
}

test('a project has at most a hundred webhooks, a group fifty', async () => {
  for (const [kind, limit] of [
    ['project', 100],
    ['group', 50],
  ] as const) {
    const { at, id } = await scene(kind);
    const { id: first } = await makeHook(app, at, { url });
    const row = await app.deps.db.selectFrom('web_hooks').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    const { id: _, ...columns } = row;
    await app.deps.db
      .insertInto('web_hooks')
      .values(Array(limit - 1).fill(columns))
      .execute();
    const refused = expectStatus<Json>(await app.post(`/${kind}s/${id}/hooks`, { json: { url } }), 422);
    assert.equal(refused.message, `Maximum number of ${kind} hooks (${limit}) exceeded`);
    assert.equal(refused.error, refused.message);
  }
});

test('group webhooks belong to Premium', async () => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  try {
    const group = await free.make.group();
    expectStatus(await free.get(`/groups/${group.id}/hooks`), 403);
    expectStatus(await free.post(`/groups/${group.id}/hooks`, { json: { url } }), 403);
    const project = await free.make.project();
    expectStatus(await free.post(`/projects/${project.id}/hooks`, { json: { url } }), 201);
  } finally {
    await free.close();
  }
});

describe('variables and headers', () => {
  test('are set and deleted one by one, and never shown', async () => {
    const { at } = await scene('project');
    const { id } = await makeHook(app, at, { url });
    const path = `${at}/hooks/${id}`;
    for (const [segment, what] of [
      ['url_variables', 'URL variable'],
      ['custom_headers', 'Custom header'],
    ] as const) {
      const one = `${path}/${segment}/some-key`;
      assert.equal(expectStatus<Json>(await app.delete(one), 404).message, `404 ${what} Not Found`);
      expectStatus(await app.put(one, { json: { value: 'sesame' } }), 204);
      const shown = expectStatus<Json>(await app.get(path), 200);
      assert.deepEqual(shown[segment], [{ key: 'some-key' }]);
      assert.match(String(expectStatus<Json>(await app.put(one, { json: {} }), 400).message), /value is missing/);
      const bad = await app.put(`${path}/${segment}/bad%20key`, { json: { value: 'x' } });
      assert.equal(expectStatus<Json>(bad, 422).message, 'Illegal key or value');
      expectStatus(await app.put(one, { json: { value: 'x'.repeat(2_049) } }), 422);
      expectStatus(await app.delete(one), 204);
    }
    for (const value of ['a\r\nX-B: c', 'a%0d%0aX-B: c', ' a']) {
      expectStatus(await app.put(`${path}/custom_headers/X-A`, { json: { value } }), 422);
    }
  });

  test('are twenty of each at most', async () => {
    const { at } = await scene('project');
    const named = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: 'v' }));
    const { id } = await makeHook(app, at, { url, custom_headers: named(20), url_variables: named(20) });
    expectStatus(await app.put(`${at}/hooks/${id}/custom_headers/more`, { json: { value: 'v' } }), 422);
    expectStatus(await app.put(`${at}/hooks/${id}/url_variables/more`, { json: { value: 'v' } }), 422);
    const many = await app.post(`${at}/hooks`, { json: { url, custom_headers: named(21) } });
    assert.equal(expectStatus<Json>(many, 422).message, 'Custom headers must be a valid json schema');
  });

  test('that the address names have to be given, and cannot be taken away', async () => {
    const { at } = await scene('project');
    const json = { url: 'https://hook.example/{x}/{y}', url_variables: [{ key: 'y', value: 'v' }] };
    const missing = expectStatus<Json>(await app.post(`${at}/hooks`, { json }), 422);
    assert.equal(missing.message, 'Invalid URL template. Missing keys: ["x"]');
    const { id } = await makeHook(app, at, { ...json, url: 'https://hook.example/{y}' });
    expectStatus(await app.delete(`${at}/hooks/${id}/url_variables/y`), 422);
  });
});
