import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../test/support/hooks.ts';
import { rescheduleStuckDeliveries } from './stuck-deliveries.ts';
import { prune } from './webhooks.prune.ts';

type Json = Record<string, unknown>;
const DAY = 86_400_000;
const clock = new TestClock();
const never = new AbortController().signal;
let app: TestApp;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  await app.listen();
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

const eventsOf = async (path: string, query = {}) =>
  expectStatus<Json[]>(await app.get(`${path}/events`, { query }), 200);

describe('the limit web_hook_calls', () => {
  const limit = async (web_hook_calls: number) =>
    expectStatus(await app.put('/application/plan_limits', { json: { plan_name: 'default', web_hook_calls } }), 200);
  after(() => limit(0));

  test('holds for all hooks below a top-level group in a minute, and what it forbids can be sent again', async () => {
    await limit(2);
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    const at = `/projects/${project.id}`;
    const first = await makeHook(app, at, { url: `${receiver.url}/a` });
    await makeHook(app, `/groups/${group.id}`, { url: `${receiver.url}/b` });
    await pushTo(app, project.id);
    await pushTo(app, project.id);
    await app.drain();
    assert.equal(receiver.calls.length, 2);
    const path = `${at}/hooks/${first.id}`;
    const shown = expectStatus<Json>(await app.get(path), 200);
    assert.equal(shown.alert_status, 'executable');
    const logs = await app.deps.db.selectFrom('web_hook_logs').select('response_body').execute();
    assert.equal(logs.filter(({ response_body }) => response_body === 'Webhook rate limit exceeded').length, 2);
    assert.equal(app.logLines.join('\n').match(/Webhook rate limit exceeded/g)?.length, 1);
    const [event] = await eventsOf(path);
    expectStatus(await app.post(`${path}/events/${event!.id}/resend`), 201);
    assert.equal(receiver.calls.length, 3);
    clock.advance(60_000);
    const other = await app.make.project();
    await makeHook(app, `/projects/${other.id}`, { url: receiver.url });
    await pushTo(app, other.id);
    await pushTo(app, project.id);
    await app.drain();
    assert.equal(receiver.calls.length, 6);
  });
});

describe('upkeep', () => {
  test('removes logs after seven days, and what nobody needs with them', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}`;
    const { id } = await makeHook(app, at, { url: receiver.url });
    await pushTo(app, project.id);
    await app.drain();
    const path = `${at}/hooks/${id}`;
    clock.advance(7 * DAY - 1);
    await pushTo(app, project.id);
    await app.drain();
    await prune(app.deps, never);
    assert.equal((await eventsOf(path)).length, 2);
    clock.advance(2);
    const payloads = () => app.deps.db.selectFrom('web_hook_payloads').select('id').execute();
    const before = (await payloads()).length;
    await prune(app.deps, never);
    assert.equal((await eventsOf(path)).length, 1);
    assert.ok((await payloads()).length < before);
    expectStatus(await app.delete(path), 204);
    clock.advance(14 * DAY);
    await prune(app.deps, never);
    assert.deepEqual(await payloads(), []);
  });

  test('wakes a hook whose job was lost, and drops what cannot be made', async () => {
    const project = await app.make.project();
    await makeHook(app, `/projects/${project.id}`, { url: receiver.url });
    await pushTo(app, project.id);
    const { db } = app.deps;
    await db.deleteFrom('jobs').where('kind', 'like', 'event:webhooks').execute();
    await app.drain();
    await pushTo(app, project.id);
    await app.drain();
    assert.equal(receiver.calls.length, 0, 'the first one is not made yet');
    clock.advance(2 * 3_600_000);
    await rescheduleStuckDeliveries(app.deps, never);
    await app.drain();
    assert.equal(receiver.calls.length, 1);
    await db.deleteFrom('jobs').where('kind', '=', 'webhook.deliver').execute();
    await pushTo(app, project.id);
    await app.deps.jobs.drain(0);
    await rescheduleStuckDeliveries(app.deps, never);
    await app.drain();
    assert.equal(receiver.calls.length, 2);
    assert.match(app.logLines.join('\n'), /webhook deliveries dropped: their events failed/);
  });

  test('goes on after an event whose payload cannot be made', async () => {
    const project = await app.make.project();
    await makeHook(app, `/projects/${project.id}`, { url: receiver.url });
    await pushTo(app, project.id);
    const broken = await app.deps.db
      .selectFrom('web_hook_deliveries')
      .select('event_id')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    await app.deps.db
      .updateTable('domain_events')
      .set({ payload: JSON.stringify({ project_id: project.id, updates: 5 }) })
      .where('id', '=', broken.event_id)
      .execute();
    const last = await pushTo(app, project.id);
    for (let round = 0; round < 8; round += 1) {
      await app.drain();
      clock.advance(120_000);
    }
    assert.deepEqual(
      receiver.calls.map(({ body }) => body.after),
      [last],
    );
    assert.match(app.logLines.join('\n'), /webhook payloads could not be built; the event is not delivered"/);
  });
});

describe('hooks of a group', () => {
  test('are told of all projects below it, and of no others', async () => {
    const top = await app.make.group();
    const below = await app.make.group({ parent: top });
    const project = await app.make.project({ namespace: below });
    await makeHook(app, `/groups/${top.id}`, { url: `${receiver.url}/top` });
    await makeHook(app, `/groups/${below.id}`, { url: `${receiver.url}/below` });
    const other = await app.make.group();
    await makeHook(app, `/groups/${other.id}`, { url: `${receiver.url}/other` });
    await pushTo(app, project.id);
    await app.drain();
    assert.deepEqual(receiver.calls.map(({ path }) => path).sort(), ['/below', '/top']);
  });
});

describe('the log', () => {
  test('is filtered by status and paged, and its calls are sent again five times a minute at most', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}`;
    const { id } = await makeHook(app, at, { url: receiver.url });
    const path = `${at}/hooks/${id}`;
    for (const status of [200, 404, 500]) {
      receiver.answer = (response) => response.writeHead(status).end('said');
      await pushTo(app, project.id);
      await app.drain();
    }
    const statuses = async (query: Json) => (await eventsOf(path, query)).map(({ response_status }) => response_status);
    assert.deepEqual(await statuses({}), ['500', '404', '200']);
    assert.deepEqual(await statuses({ status: 'successful' }), ['200']);
    assert.deepEqual(await statuses({ status: 'client_failure,server_failure' }), ['500', '404']);
    assert.deepEqual(await statuses({ status: '404' }), ['404']);
    assert.deepEqual(await statuses({ per_page: 1, page: 2 }), ['404']);
    expectStatus(await app.get(`${path}/events`, { query: { status: 'bad' } }), 400);
    expectStatus(await app.get(`${path}/events`, { query: { per_page: 21 } }), 400);
    const [event] = await eventsOf(path, { status: '404' });
    const again = `${path}/events/${event!.id}/resend`;
    receiver.answer = (response) => response.writeHead(202).end();
    const sent = receiver.calls[1]!;
    assert.deepEqual(expectStatus(await app.post(again), 201), { response_status: 202 });
    const resent = receiver.calls.at(-1)!;
    assert.equal(resent.text, sent.text);
    assert.equal(resent.headers['idempotency-key'], sent.headers['idempotency-key']);
    expectStatus(await app.post(`${path}/events/0/resend`), 404);
    expectStatus(await app.put(path, { json: { url: `${receiver.url}/moved` } }), 200);
    const refused = expectStatus<Json>(await app.post(again), 422);
    assert.equal(refused.message, 'The hook URL has changed. This log entry cannot be retried.');
    const answers = [await app.post(again), await app.post(again), await app.post(again)];
    assert.equal(
      expectStatus<Json>(answers[2]!, 429).message,
      'This endpoint has been requested too many times. Try again later.',
    );
  });

  test('has what a test sends, which tells what the receiver said', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}`;
    const { id } = await makeHook(app, at, { url: receiver.url, push_events: false });
    const path = `${at}/hooks/${id}`;
    const empty = expectStatus<Json>(await app.post(`${path}/test/push_events`), 422);
    assert.match(String(empty.message), /^Ensure the project has/);
    await pushTo(app, project.id);
    assert.deepEqual(expectStatus(await app.post(`${path}/test/push_events`), 201), { message: '201 Created' });
    assert.equal(receiver.calls[0]!.body.object_kind, 'push');
    receiver.answer = (response) => response.writeHead(418).end('I am a teapot');
    const refused = expectStatus<Json>(await app.post(`${path}/test/push_events`), 422);
    assert.equal(refused.message, 'I am a teapot');
    expectStatus(await app.post(`${path}/test/nothing_events`), 400);
    assert.equal((await eventsOf(path)).length, 2);
  });
});
