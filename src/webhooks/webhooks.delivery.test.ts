import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../test/support/hooks.ts';

type Json = Record<string, unknown>;
const MINUTE = 60_000;
const clock = new TestClock();
let app: TestApp;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
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

/** A project with a hook. */
async function scene(options: Json = {}) {
  const project = await app.make.project();
  const at = `/projects/${project.id}`;
  const hook = await makeHook(app, at, { url: receiver.url, ...options });
  const path = `${at}/hooks/${hook.id}`;
  const push = (branch?: string) => pushTo(app, project.id, branch);
  const shown = async () => expectStatus<Json>(await app.get(path), 200);
  const events = async (query = {}) => expectStatus<Json[]>(await app.get(`${path}/events`, { query }), 200);
  return { project, at, path, hook, push, shown, events };
}

const answer = (status: number) => {
  receiver.answer = (response) => response.writeHead(status).end();
};
const heads = () => receiver.calls.map(({ body }) => body.after);
const waiting = () => app.deps.db.selectFrom('web_hook_deliveries').select('id').execute();

describe('deliveries', () => {
  test('come in the order of the events, once each, to every hook', async () => {
    const { at, push } = await scene({ url: `${receiver.url}/a` });
    await makeHook(app, at, { url: `${receiver.url}/b` });
    const commits: string[] = [];
    for (let count = 0; count < 5; count += 1) commits.push(await push());
    await app.drain();
    for (const path of ['/a', '/b']) {
      const seen = receiver.calls.filter((call) => call.path === path);
      assert.deepEqual(
        seen.map(({ body }) => body.after),
        commits,
      );
    }
    assert.deepEqual(await waiting(), []);
  });

  test('that nobody answers are repeated with the same key, and those behind them wait', async () => {
    const { push, shown, events } = await scene();
    receiver.answer = (response) => response.destroy();
    const commits = [await push(), await push()];
    await app.drain();
    const paused = await shown();
    assert.equal(paused.alert_status, 'temporarily_disabled');
    assert.equal(paused.disabled_until, new Date(clock.now().getTime() + MINUTE).toISOString());
    assert.deepEqual(new Set(heads()), new Set([commits[0]]));
    assert.equal(receiver.calls.length, 4);
    assert.equal(new Set(receiver.calls.map(({ headers }) => headers['idempotency-key'])).size, 1);
    receiver.answer = (response) => response.end();
    commits.push(await push());
    await app.drain();
    assert.equal(receiver.calls.length, 4);
    clock.advance(MINUTE);
    await app.drain();
    assert.deepEqual(heads().slice(4), commits);
    assert.equal((await shown()).alert_status, 'executable');
    const statuses = (await events()).map(({ response_status }) => response_status);
    assert.deepEqual(statuses, ['200', '200', '200', ...Array(4).fill('internal error')]);
  });

  test('that servers in between refuse are repeated, and others are not', async () => {
    const { push } = await scene();
    for (const [status, repeated] of [
      [503, true],
      [429, true],
      [500, false],
      [404, false],
    ] as const) {
      answer(status);
      await push();
      receiver.calls.length = 0;
      await app.drain();
      assert.equal(receiver.calls.length > 1, repeated, String(status));
      receiver.answer = (response) => response.end();
      clock.advance(60 * MINUTE);
      await app.drain();
      assert.deepEqual(await waiting(), []);
    }
  });

  test('are given up after three days', async () => {
    const { push, shown } = await scene();
    receiver.answer = (response) => response.destroy();
    await push();
    await app.drain();
    clock.advance(3 * 24 * 60 * MINUTE + 1);
    receiver.answer = (response) => response.end();
    receiver.calls.length = 0;
    const last = await push();
    await app.drain();
    assert.deepEqual(heads(), [last]);
    assert.equal((await shown()).alert_status, 'executable');
  });

  test('end with their hook, whenever it goes', async () => {
    const { push, path } = await scene();
    await push();
    await push();
    receiver.answer = (response) => {
      void app.delete(path).then(() => response.end());
    };
    await app.drain();
    assert.equal(receiver.calls.length, 1);
    assert.deepEqual(await waiting(), []);
  });

  test('go to the address that a hook has when it is called', async () => {
    const { push, path } = await scene({ url: `${receiver.url}/old` });
    await push();
    expectStatus(await app.put(path, { json: { url: `${receiver.url}/new` } }), 200);
    await app.drain();
    assert.deepEqual(
      receiver.calls.map((call) => call.path),
      ['/new'],
    );
  });
});

describe('a hook that fails', () => {
  test('pauses after the fourth failure in a row, longer each time, and is well again after a success', async () => {
    const { push, shown } = await scene();
    answer(500);
    for (let count = 0; count < 4; count += 1) {
      assert.equal((await shown()).alert_status, 'executable');
      await push();
      await app.drain();
    }
    assert.equal((await shown()).disabled_until, new Date(clock.now().getTime() + MINUTE).toISOString());
    clock.advance(MINUTE);
    assert.equal((await shown()).alert_status, 'executable');
    await push();
    await app.drain();
    assert.equal((await shown()).disabled_until, new Date(clock.now().getTime() + 2 * MINUTE).toISOString());
    clock.advance(2 * MINUTE);
    answer(204);
    await push();
    await app.drain();
    answer(500);
    for (let count = 0; count < 3; count += 1) {
      await push();
      await app.drain();
    }
    assert.equal((await shown()).alert_status, 'executable');
  });

  test('is switched off after forty, hears of nothing, and is on again after a test that succeeds', async () => {
    const { push, path, shown } = await scene();
    answer(500);
    await push();
    for (let count = 0; count < 40; count += 1) {
      await app.drain();
      await push();
      clock.advance(24 * 60 * MINUTE);
    }
    await app.drain();
    const off = await shown();
    assert.equal(off.alert_status, 'disabled');
    assert.equal(off.disabled_until, null);
    assert.deepEqual(await waiting(), []);
    receiver.calls.length = 0;
    await push();
    await app.drain();
    assert.equal(receiver.calls.length, 0);
    expectStatus(await app.post(`${path}/test/push_events`), 422);
    assert.equal((await shown()).alert_status, 'disabled');
    answer(200);
    expectStatus(await app.post(`${path}/test/push_events`), 201);
    assert.equal((await shown()).alert_status, 'executable');
    await push();
    await app.drain();
    assert.equal(receiver.calls.length, 3);
  });

  test('is told what waits for it as soon as a test succeeds', async () => {
    const { push, path } = await scene();
    receiver.answer = (response) => response.destroy();
    const commit = await push();
    await app.drain();
    answer(200);
    receiver.calls.length = 0;
    expectStatus(await app.post(`${path}/test/push_events`), 201);
    await app.drain();
    assert.deepEqual(heads(), [commit, commit]);
  });

  for (const [what, change, below, status] of [
    ['address', () => ({ url: `${receiver.url}/corrected` }), '', 200],
    ['token', () => ({ token: 'another' }), '', 200],
    ['check of certificates', () => ({ enable_ssl_verification: false }), '', 200],
    ['custom header', () => ({ value: 'another' }), '/custom_headers/X-Key', 204],
    ['URL variable', () => ({ value: 'another' }), '/url_variables/path', 204],
  ] as const) {
    test(`is told what waits for it as soon as its ${what} is changed`, async () => {
      const { push, path, shown } = await scene();
      receiver.answer = (response) => response.destroy();
      const commits = [await push(), await push()];
      for (let count = 0; count < 5; count += 1) {
        await app.drain();
        clock.advance(16 * MINUTE);
      }
      await app.drain();
      assert.equal((await shown()).alert_status, 'temporarily_disabled');
      answer(200);
      receiver.calls.length = 0;
      expectStatus(await app.put(path, { json: { name: 'not what matters' } }), 200);
      await app.drain();
      assert.deepEqual(heads(), []);
      expectStatus(await app.put(`${path}${below}`, { json: change() }), status);
      assert.equal((await shown()).alert_status, 'executable');
      await app.drain();
      assert.deepEqual(heads(), commits);
    });
  }

  test('is told at once when its address is corrected while the old one is called', async () => {
    const { push, path, shown } = await scene({ url: `${receiver.url}/wrong` });
    await app.deps.db.updateTable('web_hooks').set({ failures: 12 }).execute();
    const commit = await push();
    receiver.answer = (response, { path: called }) => {
      if (called !== '/wrong') response.end();
      else void app.put(path, { json: { url: `${receiver.url}/right` } }).then(() => response.destroy());
    };
    await app.drain();
    assert.deepEqual(
      receiver.calls.map(({ path, body }) => [path, body.after]),
      [
        ['/wrong', commit],
        ['/right', commit],
      ],
    );
    assert.equal((await shown()).alert_status, 'executable');
  });

  test('and was switched off is called again when its address is changed', async () => {
    const { push, path, shown } = await scene();
    await app.deps.db.updateTable('web_hooks').set({ failures: 40 }).execute();
    assert.equal((await shown()).alert_status, 'disabled');
    expectStatus(await app.put(path, { json: { url: `${receiver.url}/corrected` } }), 200);
    const commit = await push();
    await app.drain();
    assert.deepEqual(heads(), [commit]);
  });

  test('of the server pauses where it is not reached, and is never switched off', async () => {
    const project = await app.make.project();
    const { id } = await makeHook(app, '', { url: receiver.url });
    await app.deps.db.updateTable('web_hooks').set({ failures: 39 }).where('id', '=', id).execute();
    receiver.answer = (response) => response.destroy();
    await pushTo(app, project.id);
    await app.drain();
    assert.equal(expectStatus<Json>(await app.get(`/hooks/${id}`), 200).alert_status, 'executable');
    assert.equal(receiver.calls.length, 1);
    receiver.answer = (response) => response.end();
    clock.advance(24 * 60 * MINUTE);
    await app.drain();
    assert.equal(receiver.calls.length, 2);
  });
});
