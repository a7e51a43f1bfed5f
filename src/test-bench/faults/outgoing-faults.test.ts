import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../../test/support/hooks.ts';
import { MirrorPair } from '../../../test/support/mirrors.ts';
import { type ProgramReceiver, receiveRequests } from '../../../test/support/program-receiver.ts';
import { projectWith } from '../../../test/support/programs.ts';
import { benchOf, type TestBench } from '../test-bench.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let bench: TestBench;
let receiver: HookReceiver;
let program: ProgramReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_BENCH: '1', STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  bench = benchOf(app.deps);
  receiver = await receiveHooks();
  program = await receiveRequests();
});
after(async () => {
  await app.close();
  await receiver.close();
  await program.close();
});
afterEach(() => {
  bench.faults.clear();
  receiver.calls.length = 0;
  program.reset();
});

/** A project with a hook; the last call of it as its log shows it. */
async function hooked() {
  const { id } = await app.make.project();
  const hook = await makeHook(app, `/projects/${id}`, { url: `${receiver.url}/hook` });
  const path = `/projects/${id}/hooks/${hook.id}/events`;
  const statuses = async () =>
    expectStatus<Json[]>(await app.get(path), 200)
      .map(({ response_status }) => String(response_status))
      .reverse();
  return { push: () => pushTo(app, id), statuses };
}

test('a hook that is answered by a rule is told again later, and each try is counted', async () => {
  const { push, statuses } = await hooked();
  const fault = bench.faults.add({ match: { outgoing: 'hook', url: '*/hook', count: 2 }, act: { status: 503 } });
  bench.faults.add({ match: {}, act: { status: 500 } });
  await push();
  for (let again = 0; again < 3; again += 1) {
    await app.drain();
    clock.advance(60_000);
  }
  assert.deepEqual(await statuses(), ['503', '503', '200']);
  assert.equal(receiver.calls.length, 1);
  assert.equal(bench.faults.get(fault.id)?.hits, 2);
});

test('drop: before never reaches the receiver, drop: after does', async () => {
  const { push, statuses } = await hooked();
  bench.faults.add({ match: { outgoing: 'hook', method: 'POST', count: 1 }, act: { drop: 'before' } });
  await push();
  await app.deps.jobs.drain();
  assert.deepEqual([await statuses(), receiver.calls.length], [['internal error'], 0]);
  bench.faults.add({ match: { outgoing: 'hook', count: 1 }, act: { drop: 'after' } });
  clock.advance(60_000);
  await app.deps.jobs.drain();
  assert.equal(receiver.calls.length, 1);
  clock.advance(60_000);
  await app.deps.jobs.drain();
  assert.deepEqual(await statuses(), ['internal error', 'internal error', '200']);
  assert.equal(receiver.calls.length, 2);
});

test('answers to hooks are delayed, cut and given other headers', async () => {
  const { id } = await app.make.project();
  const hook = await makeHook(app, `/projects/${id}`, { url: `${receiver.url}/other` });
  bench.faults.add({
    match: { outgoing: 'hook', url: `${receiver.url}/other` },
    act: { delay_ms: 80, drop: 'mid-body', headers: { 'X-Made-Up': 'yes' }, bytes_per_second: 100 },
  });
  const started = performance.now();
  await pushTo(app, id);
  await app.drain();
  assert.ok(performance.now() - started >= 100);
  const [log] = expectStatus<Json[]>(await app.get(`/projects/${id}/hooks/${hook.id}/events`), 200);
  assert.deepEqual([log!.response_status, log!.response_body], ['200', 'tha']);
  assert.equal((log!.response_headers as Json)['x-made-up'], 'yes');
});

test('integrations are hit by their own kind only', async () => {
  const { issue } = await projectWith(app, 'slack', { webhook: `${program.url}/slack` });
  bench.faults.add({ match: { outgoing: 'hook' }, act: { status: 500 } });
  const fault = bench.faults.add({ match: { outgoing: 'integration', count: 1 }, act: { status: 429 } });
  await issue({ title: 'one' });
  await app.deps.jobs.drain();
  assert.deepEqual([program.got.length, bench.faults.get(fault.id)?.hits], [0, 1]);
  clock.advance(60_000);
  await app.deps.jobs.drain();
  assert.equal(program.got.length, 1);
});

test('mirrors fail before they start, or after they have ended', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { 'a.txt': 'one' });
  for (const [act, text] of [
    [{ status: 401 }, /refused the credentials/],
    [{ status: 404 }, /was not found/],
    [{ status: 503 }, /could not be reached/],
    [{ status: 200 }, /could not be read/],
    [{ drop: 'before', delay_ms: 5 }, /could not be reached/],
    [{ drop: 'mid-body' }, /could not be reached/],
  ] as const) {
    const { id } = bench.faults.add({ match: { outgoing: 'mirror', url: pair.plain }, act });
    const state = pair.names().length === 0 ? await pair.follow() : await pair.update();
    assert.match(String(state.last_error), text);
    assert.equal(bench.faults.get(id)!.hits > 0, true);
    bench.faults.remove(id);
  }
  assert.deepEqual(pair.names(), []);
  bench.faults.add({ match: { outgoing: 'mirror' }, act: { drop: 'after' } });
  assert.match(String((await pair.update()).last_error), /could not be reached/);
  assert.deepEqual(pair.names(), ['main']);
  bench.faults.clear();
  assert.equal((await pair.update()).last_error, null);
});

test('push mirrors are hit too', async () => {
  const pair = await MirrorPair.make(app);
  pair.to.commit('main', { 'b.txt': 'two' });
  const path = `/projects/${pair.copy.id}/remote_mirrors`;
  const mirror = expectStatus<{ id: number }>(
    await app.post(path, { json: { url: pair.address, enabled: true } }),
    201,
  );
  bench.faults.add({ match: { outgoing: 'mirror', count: 1 }, act: { drop: 'before' } });
  const sync = async () => {
    expectStatus(await app.post(`${path}/${mirror.id}/sync`), 204);
    await app.drain();
    return expectStatus<Json>(await app.get(`${path}/${mirror.id}`), 200).last_error;
  };
  assert.match(String(await sync()), /could not be reached/);
  clock.advance(600_000);
  assert.equal(await sync(), null);
});
