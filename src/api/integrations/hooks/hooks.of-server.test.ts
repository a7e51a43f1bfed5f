import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { auditedRequest, gist } from '../../../../test/support/audit-trail.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { type HookReceiver, receiveHooks } from '../../../../test/support/hook-receiver.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  receiver = await receiveHooks();
});
beforeEach(async () => {
  await app.deps.db.deleteFrom('web_hooks').execute();
  app.deps.recent.invalidate();
  receiver.calls.length = 0;
  receiver.answer = (response) => response.end('thanks');
});
after(async () => {
  await app.close();
  await receiver.close();
});

const make = async (json: Json) => expectStatus<Json>(await app.post('/hooks', { json }), 201);

describe('a system hook', () => {
  test('is made with what it is not said otherwise, shown and listed without its secrets', async () => {
    const made = await make({ url: 'https://hook.example/x', token: 'sesame', name: 'mine', description: 'of all' });
    assert.deepEqual(made, {
      id: made.id,
      url: 'https://hook.example/x',
      name: 'mine',
      description: 'of all',
      created_at: clock.now().toISOString(),
      push_events: false,
      tag_push_events: false,
      merge_requests_events: false,
      repository_update_events: true,
      enable_ssl_verification: true,
      alert_status: 'executable',
      disabled_until: null,
      url_variables: [],
      custom_headers: [],
      push_events_branch_filter: null,
      branch_filter_strategy: 'wildcard',
      custom_webhook_template: null,
      token_present: true,
      signing_token_present: false,
      organization_id: 1,
    });
    assert.deepEqual(expectStatus(await app.get(`/hooks/${made.id}`), 200), made);
    assert.deepEqual(expectStatus(await app.get('/hooks'), 200), [made]);
    const rows = await app.deps.db.selectFrom('web_hooks').selectAll().execute();
    assert.doesNotMatch(JSON.stringify(rows), /sesame|hook\.example/);
  });

  test('is changed in what is given alone, and deleted', async () => {
    const made = await make({ url: 'https://hook.example/x', token: 'sesame' });
    const path = `/hooks/${made.id}`;
    const json = { push_events: true, repository_update_events: false, name: 'new' };
    const changed = expectStatus<Json>(await app.put(path, { json }), 200);
    assert.deepEqual(changed, { ...made, ...json });
    assert.match(String(expectStatus<Json>(await app.put(path, { json: {} }), 400).message), /at least one parameter/);
    expectStatus(await app.delete(path), 204);
    for (const response of [await app.get(path), await app.put(path, { json }), await app.delete(path)]) {
      assert.equal(expectStatus<Json>(response, 404).message, '404 Not found');
    }
  });

  test('is told in audit events when it is made, changed and deleted', async () => {
    const { made, gist: first } = await auditedRequest(app, 'POST', '/hooks', { url: 'https://hook.example/secret' });
    assert.deepEqual(first, {
      event: 'webhook_created',
      on: 'Gitlab::Audit::InstanceScope 1',
      target: `SystemHook Hook ${made.id}`,
      message: `Created system webhook with id ${made.id}`,
    });
    const path = `/hooks/${made.id}`;
    const { event } = await auditedRequest(app, 'PUT', path, { token: 'sesame', push_events: true });
    assert.equal(gist(event).message, `Updated system webhook with id ${made.id}: token, triggers`);
    assert.doesNotMatch(JSON.stringify(event), /sesame|secret/);
    assert.equal((await auditedRequest(app, 'DELETE', path)).gist.event, 'webhook_destroyed');
  });

  test('is for administrators', async () => {
    const made = await make({ url: 'https://hook.example/x' });
    const { token } = await app.make.user();
    const json = { url: 'https://hook.example/y' };
    for (const [caller, status] of [
      [token, 403],
      [null, 401],
    ] as const) {
      expectStatus(await app.get('/hooks', { token: caller }), status);
      expectStatus(await app.get(`/hooks/${made.id}`, { token: caller }), status);
      expectStatus(await app.post('/hooks', { token: caller, json }), status);
      expectStatus(await app.put(`/hooks/${made.id}`, { token: caller, json }), status);
      expectStatus(await app.delete(`/hooks/${made.id}`, { token: caller }), status);
    }
  });

  test('that does not fit is refused', async () => {
    const refuse = async (json: Json, status: number, message: string | RegExp) => {
      const response = expectStatus<Json>(await app.post('/hooks', { json }), status);
      assert.match(String(response.message), message instanceof RegExp ? message : new RegExp(`^${message}`));
    };
    const url = 'https://hook.example/x';
    await refuse({}, 400, 'url is missing');
    await refuse({ url: 'ftp://hook.example' }, 422, 'Invalid url given');
    await refuse({ url: 'nothing' }, 422, 'Invalid url given');
    await refuse(
      { url, branch_filter_strategy: 'regex', push_events_branch_filter: '(' },
      422,
      'Invalid branch filter',
    );
    await refuse({ url, push_events_branch_filter: 'a b' }, 422, 'Invalid branch filter given');
    await refuse({ url, branch_filter_strategy: 'some' }, 400, 'branch_filter_strategy does not have a valid value');
    for (const token of ['a\nb', 'a\x01b', 'a\x7f']) await refuse({ url, token }, 422, 'token is invalid');
    await refuse({ url, signing_token: 'whsec_short' }, 422, 'signing_token must be');
    await refuse({ url, name: 'n'.repeat(256) }, 422, 'name is too long');
  });

  test('hears of a push once for each branch and once for all, after the answer', async () => {
    const project = await app.make.project();
    await make({ url: `${receiver.url}/system`, push_events: true, token: 'sesame' });
    await commitFiles(app, project.id, { a: 'x' });
    assert.equal(receiver.calls.length, 0);
    await app.drain();
    assert.deepEqual(
      receiver.calls.map(({ body }) => body.event_name),
      ['push', 'repository_update'],
    );
    const [call] = receiver.calls;
    assert.equal(call?.path, '/system');
    for (const prefix of ['x-svc', 'x-gitlab']) {
      assert.equal(call?.headers[`${prefix}-event`], 'System Hook');
      assert.equal(call?.headers[`${prefix}-token`], 'sesame');
      assert.equal(call?.headers[`${prefix}-instance`], app.deps.externalUrl());
    }
    assert.equal(new Set(receiver.calls.map(({ headers }) => headers['idempotency-key'])).size, 2);
    assert.equal(new Set(receiver.calls.map(({ headers }) => headers['x-gitlab-event-uuid'])).size, 1);
    assert.equal((await app.deps.db.selectFrom('web_hook_deliveries').selectAll().execute()).length, 0);
    assert.equal((await app.deps.db.selectFrom('web_hook_logs').selectAll().execute()).length, 2);
  });

  test('is not told of branches that its filter leaves out', async () => {
    const project = await app.make.project();
    await make({
      url: receiver.url,
      push_events: true,
      repository_update_events: false,
      push_events_branch_filter: 'release-*',
    });
    const git = new ProjectGit(app, project);
    const first = git.commit('main', { a: '1' });
    const at = `/projects/${project.id}/repository/branches`;
    for (const branch of ['other', 'release-1']) {
      expectStatus(await app.post(at, { json: { branch, ref: first } }), 201);
    }
    await app.drain();
    assert.deepEqual(
      receiver.calls.map(({ body }) => body.ref),
      ['refs/heads/release-1'],
    );
  });
});
