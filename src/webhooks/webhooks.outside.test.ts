import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../test/support/hooks.ts';

type Json = Record<string, unknown>;
const KEY = Buffer.alloc(32, 'k');
let app: TestApp;
let guarded: TestApp;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  guarded = await buildTestApp();
  receiver = await receiveHooks();
});
beforeEach(() => {
  receiver.calls.length = 0;
  receiver.answer = (response) => response.end('thanks');
});
after(async () => {
  await app.close();
  await guarded.close();
  await receiver.close();
});

/** Makes a hook of a new project, and pushes to it. */
async function deliveryOf(options: Json) {
  const project = await app.make.project();
  const at = `/projects/${project.id}`;
  const { id } = await makeHook(app, at, { url: receiver.url, ...options });
  await pushTo(app, project.id);
  await app.drain();
  const events = expectStatus<Json[]>(await app.get(`${at}/hooks/${id}/events`), 200);
  return { project, path: `${at}/hooks/${id}`, call: receiver.calls[0], event: events[0]!, events };
}

describe('a call', () => {
  test('carries the names of the server and of the platform, token, signature and headers of its own', async () => {
    const { call, event } = await deliveryOf({
      token: 'sesame-token',
      signing_token: `whsec_${KEY.toString('base64')}`,
      custom_headers: [
        { key: 'X-Own', value: 'sesame-own' },
        { key: 'X-Gitlab-Event', value: 'other' },
        { key: 'Content-Type', value: 'text/plain' },
        { key: 'Host', value: 'evil.example' },
        { key: 'Content-Length', value: '1' },
      ],
    });
    const headers = call!.headers;
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-own'], 'sesame-own');
    assert.equal(headers.host, new URL(receiver.url).host);
    for (const name of ['event', 'token', 'instance', 'webhook-uuid', 'event-uuid']) {
      assert.equal(headers[`x-gitlab-${name}`], headers[`x-svc-${name}`], name);
      assert.ok(headers[`x-gitlab-${name}`], name);
    }
    assert.equal(headers['x-gitlab-event'], 'Push Hook');
    assert.equal(headers['x-gitlab-token'], 'sesame-token');
    const id = headers['webhook-id'];
    assert.equal(id, headers['idempotency-key']);
    const signed = createHmac('sha256', KEY).update(`${id}.${headers['webhook-timestamp']}.${call!.text}`);
    assert.equal(headers['webhook-signature'], `v1,${signed.digest('base64')}`);
    assert.doesNotMatch(JSON.stringify(event), /sesame/);
    const shown = event.request_headers as Json;
    assert.equal(shown['X-Gitlab-Token'], '[REDACTED]');
    assert.equal(shown['X-Own'], '[REDACTED]');
    assert.equal(shown['webhook-signature'], headers['webhook-signature']);
    assert.equal(event.trigger, 'push_hooks');
    assert.equal((event.request_data as Json).object_kind, 'push');
    assert.equal(event.response_body, 'thanks');
    assert.equal(event.response_status, '200');
  });

  test('signs in with user and password of its address, and logs neither', async () => {
    const url = receiver.url.replace('//', '//ann:sesame%20word@');
    const { call, event } = await deliveryOf({ url });
    assert.equal(call!.headers.authorization, `Basic ${Buffer.from('ann:sesame word').toString('base64')}`);
    assert.match(String(event.url), /\/\/\*{5}:\*{5}@/);
    assert.doesNotMatch(JSON.stringify(event), /sesame/);
  });

  test('has the variables of its address filled in, and logs their names', async () => {
    const { call, event } = await deliveryOf({
      url: `${receiver.url}/{one}/x?key={two}`,
      url_variables: [
        { key: 'one', value: 'sesame-a' },
        { key: 'two', value: 'sesame-b' },
      ],
    });
    assert.equal(call!.path, '/sesame-a/x?key=sesame-b');
    assert.doesNotMatch(JSON.stringify(event), /sesame/);
  });

  test('has what its template makes of the payload', async () => {
    const custom_webhook_template =
      '{"text": "{{user_name}} pushed {{ref}}", "project": {{project}}, "none": {{a.b}}, "count": {{total_commits_count}}}';
    const { call, event } = await deliveryOf({ custom_webhook_template });
    assert.deepEqual(call!.body.none, null);
    assert.equal(call!.body.text, 'Administrator pushed refs/heads/main');
    assert.equal(call!.body.count, 1);
    assert.equal(typeof (call!.body.project as Json).id, 'number');
    assert.deepEqual(event.request_data, call!.body);
  });

  test('is not made where the template makes no JSON or asks for a list, which the log says', async () => {
    for (const [template, reason] of [
      ['{"a": {{ref}}}', /not valid JSON/],
      ['{"a": {{commits.id}}}', /array value, which is not supported/],
    ] as const) {
      const { event } = await deliveryOf({ custom_webhook_template: template });
      assert.equal(receiver.calls.length, 0);
      assert.equal(event.response_status, 'internal error');
      assert.match(String(event.response_body), reason);
      assert.deepEqual(event.request_data, {});
    }
  });
});

describe('an answer', () => {
  test('that leads elsewhere is not followed, and counts as taken', async () => {
    const other = await receiveHooks();
    receiver.answer = (response) => response.writeHead(307, { location: other.url }).end();
    const { events, path } = await deliveryOf({ token: 'sesame' });
    assert.equal(other.calls.length, 0);
    assert.equal(events.length, 1);
    assert.equal(events[0]!.response_status, '307');
    assert.equal(expectStatus<Json>(await app.get(path), 200).alert_status, 'executable');
    await other.close();
  });

  test('is kept to its bounds, however large, compressed or full of headers it is', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    for (const answer of [
      () => ({ headers: {}, body: Buffer.alloc(30 * 1024 * 1024, 'x') }),
      () => ({ headers: { 'content-encoding': 'gzip' }, body: bomb }),
      () => ({ headers: {}, body: Buffer.from('a\0b') }),
      () => {
        const many = Array.from({ length: 60 }, (_, index) => [`x-${index}`, 'y'.repeat(200)]);
        return { headers: Object.fromEntries(many), body: Buffer.from('') };
      },
    ]) {
      receiver.answer = (response) => {
        const { headers, body } = answer();
        response.on('error', () => {});
        response.writeHead(200, headers).end(body);
      };
      const { event } = await deliveryOf({});
      assert.equal(event.response_status, '200');
      assert.ok(String(event.response_body).length <= 8 * 1024);
      assert.ok(!String(event.response_body).includes('\0'));
      assert.ok(Object.keys(event.response_headers as Json).length <= 50);
    }
  });

  test('that drips for ever ends after ten seconds', async () => {
    const timers: NodeJS.Timeout[] = [];
    receiver.answer = (response) => {
      response.writeHead(200);
      timers.push(setInterval(() => response.write('.'), 500));
    };
    const { event } = await deliveryOf({});
    for (const timer of timers) clearInterval(timer);
    assert.equal(event.response_status, '200');
    assert.ok(Number(event.execution_duration) < 15);
  });
});

describe('a server that nobody vouches for', () => {
  let untrusted: HookReceiver;
  before(async () => {
    untrusted = await receiveHooks({ keepAlive: true, tls: true });
  });
  after(() => untrusted.close());
  beforeEach(() => {
    untrusted.calls.length = 0;
  });

  test('is told nothing, not even over a connection that another hook has opened to it', async () => {
    await deliveryOf({ url: untrusted.url, token: 'sesame', enable_ssl_verification: false });
    assert.equal(untrusted.calls.length, 1);
    for (const asked of [{}, { enable_ssl_verification: true }]) {
      const { event } = await deliveryOf({ url: untrusted.url, token: 'sesame', ...asked });
      assert.equal(event.response_status, 'internal error');
      assert.equal(event.response_body, 'Failed to open or keep the connection (DEPTH_ZERO_SELF_SIGNED_CERT)');
    }
    assert.equal(untrusted.calls.length, 1);
  });

  test('is told where the hook does without verification, and no more once it asks for it again', async () => {
    const { path, project, event } = await deliveryOf({ url: untrusted.url, enable_ssl_verification: false });
    assert.equal(event.response_status, '200');
    expectStatus(await app.put(path, { json: { enable_ssl_verification: true } }), 200);
    await pushTo(app, project.id);
    await app.drain();
    const refused = expectStatus<Json>(await app.post(`${path}/test/push_events`), 422);
    assert.match(String(refused.message), /SELF_SIGNED_CERT/);
    assert.equal(untrusted.calls.length, 1);
    expectStatus(await app.put(path, { json: { enable_ssl_verification: false } }), 200);
    expectStatus(await app.post(`${path}/test/push_events`), 201);
    assert.equal(untrusted.calls.length, 2);
  });
});

describe('an address inside', () => {
  const inside = [
    'http://127.0.0.1',
    'http://0.0.0.0',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[0:0:0:0:0:ffff:7f00:1]',
    'http://0177.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://127.1',
    'http://localhost.',
    'http://169.254.169.254/latest',
    'http://100.64.0.5',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[2002:7f00:1::]',
    'http://[fe80::1]',
  ];

  test('is refused when it is saved, by projects and groups', async () => {
    const [project, group] = [await guarded.make.project(), await guarded.make.group()];
    const { id } = await makeHook(guarded, `/projects/${project.id}`, { url: 'https://hook.example/x' });
    for (const url of [...inside, guarded.deps.externalUrl(), 'gopher://hook.example', 'http://a@b@127.0.0.1/']) {
      for (const answer of [
        await guarded.post(`/projects/${project.id}/hooks`, { json: { url } }),
        await guarded.put(`/projects/${project.id}/hooks/${id}`, { json: { url } }),
        await guarded.post(`/groups/${group.id}/hooks`, { json: { url } }),
      ]) {
        const { message, error } = expectStatus<Json>(answer, 422);
        assert.equal(message, 'Invalid url given', url);
        assert.equal(error, message);
      }
    }
    const variables = { url: 'http://{host}/', url_variables: [{ key: 'host', value: '127.0.0.1' }] };
    expectStatus(await guarded.post(`/projects/${project.id}/hooks`, { json: variables }), 422);
  });

  test('that a name leads to later is not connected to', async () => {
    const project = await guarded.make.project();
    const url = 'https://not-yet.invalid/x';
    const { id } = await makeHook(guarded, `/projects/${project.id}`, { url, token: 'sesame' });
    const { port } = new URL(receiver.url);
    const { secrets, db } = guarded.deps;
    // As if the name of its host led elsewhere by now.
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]']) {
      const now = { url: `http://${host}:${port}/`, token: null, signingToken: null, variables: [], headers: [] };
      const sealed = secrets.seal(JSON.stringify(now), 'web_hooks.secrets');
      await db.updateTable('web_hooks').set({ secrets: sealed, failures: 0 }).where('id', '=', id).execute();
      const answer = await guarded.post(`/projects/${project.id}/hooks/${id}/test/push_events`);
      assert.match(String(expectStatus<Json>(answer, 422).message), /commit|is blocked: Requests to localhost/);
      await pushTo(guarded, project.id);
      await guarded.drain();
      assert.equal(receiver.calls.length, 0);
    }
    const [event] = expectStatus<Json[]>(await guarded.get(`/projects/${project.id}/hooks/${id}/events`), 200);
    assert.equal(event!.response_body, 'URL is blocked: Requests to localhost are not allowed');
  });
});

test('whoever changes where a hook calls gets none of its secrets', async () => {
  const { path } = await deliveryOf({
    url: `${receiver.url}/{key}`,
    token: 'sesame-token',
    url_variables: [{ key: 'key', value: 'sesame-variable' }],
    custom_headers: [{ key: 'X-Key', value: 'sesame-header' }],
  });
  const put = (json: Json) => app.put(path, { json });
  const renamedHook = expectStatus<Json>(await put({ name: 'renamed' }), 200);
  assert.equal(renamedHook.token_present, true);
  const same = expectStatus<Json>(await put({ url: `${receiver.url}/other/{key}` }), 200);
  assert.deepEqual([same.token_present, same.custom_headers, same.url_variables], [false, [], [{ key: 'key' }]]);
  const other = await receiveHooks();
  const refused = expectStatus<Json>(await put({ url: `${other.url}/{key}` }), 422);
  assert.equal(refused.message, 'Invalid URL template. Missing keys: ["key"]');
  const moved = expectStatus<Json>(await put({ url: other.url }), 200);
  assert.deepEqual([moved.token_present, moved.custom_headers, moved.url_variables], [false, [], []]);
  await other.close();
});

test('a variable that leads to another server takes neither token nor headers along', async () => {
  const { path } = await deliveryOf({
    url: 'http://127.0.0.1:{port}/',
    url_variables: [{ key: 'port', value: new URL(receiver.url).port }],
    token: 'sesame-token',
    custom_headers: [{ key: 'X-Key', value: 'sesame-header' }],
  });
  const other = await receiveHooks();
  const json = { value: new URL(other.url).port };
  expectStatus(await app.put(`${path}/url_variables/port`, { json }), 204);
  const shown = expectStatus<Json>(await app.get(path), 200);
  assert.deepEqual([shown.token_present, shown.custom_headers], [false, []]);
  await other.close();
});
