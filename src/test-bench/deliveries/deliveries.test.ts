import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../../test/support/hooks.ts';
import { projectWith } from '../../../test/support/programs.ts';
import { benchOf } from '../test-bench.ts';

interface Delivery {
  id: number;
  at: string;
  kind: string;
  hook_id: number | null;
  url: string;
  event: string | null;
  headers: Record<string, string>;
  body: string;
}

const DELIVERIES = '/-/bench/deliveries';
const clock = new TestClock();
let app: TestApp;
let captured: TestApp;
let receiver: HookReceiver;
let token: string;
before(async () => {
  const settings = { STITHY_BENCH: '1', STITHY_ALLOW_LOCAL_NETWORK: 'true' };
  app = await buildTestApp({ settings, clock });
  captured = await buildTestApp({ settings: { STITHY_BENCH: '1', STITHY_BENCH_OUTBOUND: 'capture' }, clock });
  receiver = await receiveHooks();
  ({ token } = await app.make.user());
});
after(async () => {
  await app.close();
  await captured.close();
  await receiver.close();
});
beforeEach(async () => {
  for (const each of [app, captured]) expectStatus(await each.delete(DELIVERIES), 204);
  benchOf(app.deps).faults.clear();
});

const deliveries = async (of = app, query = {}) => expectStatus<Delivery[]>(await of.get(DELIVERIES, { query }), 200);

test('what a hook is told is there as the receiver gets it, each try', async () => {
  const { id } = await app.make.project();
  const at = `/projects/${id}`;
  const url = `${receiver.url.replace('//', '//ann:pw@')}/hook`;
  const hook = await makeHook(app, at, { url, token: 'the-token' });
  benchOf(app.deps).faults.add({ match: { outgoing: 'hook', count: 1 }, act: { status: 503 } });
  const sha = await pushTo(app, id);
  await app.deps.jobs.drain();
  clock.advance(60_000);
  await app.drain();
  const [first, second, ...others] = await deliveries();
  assert.deepEqual(others, []);
  assert.equal(receiver.calls.length, 1);
  assert.deepEqual(
    [second!.kind, second!.hook_id, second!.url, second!.event],
    ['hook', hook.id, `${receiver.url}/hook`, 'Push Hook'],
  );
  assert.equal(second!.body, receiver.calls[0]!.text);
  assert.equal(second!.headers['X-Gitlab-Token'], 'the-token');
  assert.equal(first!.body, second!.body);
  assert.equal((JSON.parse(first!.body) as { after: string }).after, sha);
  assert.ok(first!.at < second!.at);
});

test('captured, hooks and integrations anywhere count as answered, and nothing leaves', async () => {
  const { id } = await captured.make.project();
  const hook = await makeHook(captured, `/projects/${id}`, {
    url: 'https://hooks.nowhere.invalid/a',
    issues_events: true,
  });
  await makeHook(captured, `/projects/${id}`, { url: 'https://93.184.216.34/b' });
  await pushTo(captured, id);
  expectStatus(await captured.post(`/projects/${id}/issues`, { json: { title: 'One' } }), 201);
  const { issue } = await projectWith(captured, 'slack', { webhook: 'https://slack.nowhere.invalid/s' });
  await issue({ title: 'Two' });
  await captured.drain();
  const all = await deliveries(captured);
  assert.deepEqual(all.map(({ kind, url, event }) => `${kind} ${url} ${event}`).sort(), [
    'hook https://93.184.216.34/b Push Hook',
    'hook https://hooks.nowhere.invalid/a Issue Hook',
    'hook https://hooks.nowhere.invalid/a Push Hook',
    'integration https://slack.nowhere.invalid/s Issue Hook',
  ]);
  const log = expectStatus<Record<string, unknown>[]>(
    await captured.get(`/projects/${id}/hooks/${hook.id}/events`),
    200,
  );
  assert.deepEqual(
    log.map(({ response_status }) => response_status),
    ['200', '200'],
  );
  const only = async (query: object) => (await deliveries(captured, query)).length;
  assert.deepEqual([await only({ event: 'Issue Hook' }), await only({ url: '*/a' })], [2, 2]);
  assert.equal(await only({ event: 'Push*', url: '*invalid*' }), 1);
  assert.equal(await only({ after: all[0]!.id }), 3);
});

test('captured, mirrors of other machines are set up, and fail', async () => {
  const { id } = await captured.make.project();
  const mirror = expectStatus<{ id: number }>(
    await captured.post(`/projects/${id}/remote_mirrors`, {
      json: { url: 'https://nowhere.invalid/x.git', enabled: true },
    }),
    201,
  );
  expectStatus(await captured.post(`/projects/${id}/remote_mirrors/${mirror.id}/sync`), 204);
  await captured.drain();
  const shown = expectStatus<{ last_error: string }>(
    await captured.get(`/projects/${id}/remote_mirrors/${mirror.id}`),
    200,
  );
  assert.match(shown.last_error, /Nothing leaves the machine/);
});

test('a wait ends with the delivery, or with 408', async () => {
  const { id } = await captured.make.project();
  await makeHook(captured, `/projects/${id}`, { url: 'https://hooks.nowhere.invalid/w' });
  const waiting = deliveries(captured, { wait: 1, url: '*/w', timeout: 20 });
  await pushTo(captured, id);
  await captured.drain();
  assert.equal((await waiting).length, 1);
  assert.equal((await captured.get(DELIVERIES, { query: { wait: 1, count: 2, timeout: 0.05 } })).statusCode, 408);
});

test('what makes no sense is refused, and only the administrator reads deliveries', async () => {
  for (const query of ['uri=a', 'after=now', 'timeout=-1'])
    assert.equal((await app.get(`${DELIVERIES}?${query}`)).statusCode, 400, query);
  for (const method of ['GET', 'DELETE']) {
    expectStatus(await app.request(method, DELIVERIES, { token: null }), 401);
    expectStatus(await app.request(method, DELIVERIES, { token }), 403);
  }
});
