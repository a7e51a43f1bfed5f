import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp, TestClock } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { cloneUrl } from '../../test/support/git-client.ts';
import { GitUser } from '../../test/support/git-user.ts';
import { type HookReceiver, receiveHooks } from '../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../test/support/hooks.ts';

const clock = new TestClock();
let app: TestApp;
let base: string;
let receiver: HookReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  base = await app.listen();
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

describe('hooks that lead to one another', () => {
  test('are each told once in a chain, and a hook that triggers itself once', async () => {
    const [one, other] = [await app.make.project(), await app.make.project()];
    for (const project of [one, other]) {
      expectStatus(await app.post(`/projects/${project.id}/labels`, { json: { name: 'x', color: '#ff0000' } }), 201);
      await pushTo(app, project.id);
    }
    /** Answers a call by a push to a project, as a receiver that knows the chain would make it. */
    let calls = 0;
    receiver.answer = (response, { path, headers }) => {
      calls += 1;
      const id = path === '/one' ? other.id : path === '/other' ? one.id : one.id;
      const actions = [{ action: 'create', file_path: `f${calls}`, content: 'x' }];
      const body = JSON.stringify({ branch: 'main', commit_message: 'again', actions });
      const sent = { 'content-type': 'application/json', 'private-token': ROOT_TOKEN };
      const chain = { 'x-gitlab-event-uuid': String(headers['x-gitlab-event-uuid']) };
      void fetch(`${base}/api/v4/projects/${id}/repository/commits`, {
        method: 'POST',
        headers: { ...sent, ...chain },
        body,
      })
        .then((answer) => answer.arrayBuffer())
        .then(() => response.end());
    };
    await makeHook(app, `/projects/${one.id}`, { url: `${receiver.url}/one` });
    await makeHook(app, `/projects/${other.id}`, { url: `${receiver.url}/other` });
    await pushTo(app, one.id);
    await app.drain();
    assert.deepEqual(
      receiver.calls.map(({ path }) => path),
      ['/one', '/other'],
    );
    assert.equal(new Set(receiver.calls.map(({ headers }) => headers['x-gitlab-event-uuid'])).size, 1);
    await pushTo(app, one.id);
    await app.drain();
    assert.equal(receiver.calls.length, 4);
  });

  test('a chain of a hundred hooks ends', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}`;
    const { id } = await makeHook(app, at, { url: receiver.url });
    const uuid = '0f0f0f0f-0000-8000-8000-000000000000';
    const row = await app.deps.db.selectFrom('web_hooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const { id: _, ...columns } = row;
    const many = await app.deps.db.insertInto('web_hooks').values(Array(100).fill(columns)).returning('id').execute();
    const log = {
      payload_id: null,
      trigger_name: 'push_hooks',
      url: 'x',
      url_digest: 'x',
      event_uuid: uuid,
      idempotency_key: 'x',
      request_headers: '{}',
      response_status: '200',
      response_headers: '{}',
      response_body: '',
      execution_duration: 0,
      created_at: clock.now().toISOString(),
    };
    await app.deps.db
      .insertInto('web_hook_logs')
      .values(many.map((each) => ({ ...log, hook_id: each.id })))
      .execute();
    await app.deps.db.deleteFrom('web_hooks').where('id', '=', many[0]!.id).execute();
    const push = async (chain: string) => {
      const headers = { 'x-svc-event-uuid': chain };
      await commitFiles(app, project.id, { [`f${Math.random()}`]: 'x' }, { headers });
      await app.drain();
    };
    const { id: last, ...rest } = { ...log, hook_id: many[1]!.id, id: 0 };
    assert.equal(last, 0);
    await push(uuid);
    const callCount = receiver.calls.length;
    assert.ok(callCount > 0, 'ninety-nine are told of the last one');
    await app.deps.db
      .insertInto('web_hook_logs')
      .values({ ...rest, hook_id: id })
      .execute();
    await push(uuid);
    assert.equal(receiver.calls.length, callCount);
    await push('not a chain');
    assert.ok(receiver.calls.length > callCount);
  });

  test('are told once of what is pushed by git with the header of the call, and of what follows in the background', async () => {
    const git = await GitUser.of(app);
    const project = await app.make.project();
    const dir = await git.tree();
    const url = cloneUrl(base, project.full_path, ROOT_TOKEN);
    await git.ok(dir, 'push', url, 'main', 'main:work');
    await git.ok(dir, 'switch', '--quiet', '--create', 'work');
    await git.commit(dir, 'first.txt', 'x');
    await git.ok(dir, 'push', url, 'work');
    const request = { source_branch: 'work', target_branch: 'main', title: 'Work' };
    expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json: request }), 201);
    await app.drain();
    await makeHook(app, `/projects/${project.id}`, { url: `${receiver.url}/push` });
    const requests = { url: `${receiver.url}/requests`, push_events: false, merge_requests_events: true };
    await makeHook(app, `/projects/${project.id}`, requests);
    let pushes = 0;
    receiver.answer = async (response, { headers }) => {
      // A receiver that goes on for ever would make the test fail below.
      if (pushes < 10) {
        pushes += 1;
        const chain = `http.extraHeader=X-Gitlab-Event-UUID: ${headers['x-gitlab-event-uuid']}`;
        await git.commit(dir, `again-${pushes}.txt`, 'x');
        await git.ok(dir, '-c', chain, 'push', url, 'work');
      }
      response.end();
    };
    await git.commit(dir, 'second.txt', 'x');
    await git.ok(dir, 'push', url, 'work');
    for (let round = 0; round < 5; round += 1) await app.drain();
    const deliveries = receiver.calls.map(({ path, headers }) => `${path} ${headers['x-gitlab-event-uuid']}`);
    assert.equal(new Set(deliveries).size, deliveries.length, 'each hook is told once in a chain');
    const chains = new Set(receiver.calls.map(({ headers }) => headers['x-gitlab-event-uuid']));
    assert.ok(deliveries.length <= 2 * chains.size && chains.size <= 2, deliveries.join('\n'));
  });

  test('without the header are held by the limit of calls in a minute', async () => {
    const limit = async (web_hook_calls: number) =>
      expectStatus(await app.put('/application/plan_limits', { json: { plan_name: 'default', web_hook_calls } }), 200);
    await limit(3);
    const project = await app.make.project();
    receiver.answer = async (response) => {
      await pushTo(app, project.id);
      response.end();
    };
    await makeHook(app, `/projects/${project.id}`, { url: receiver.url });
    await pushTo(app, project.id);
    for (let round = 0; round < 10; round += 1) await app.drain();
    assert.equal(receiver.calls.length, 3);
    await limit(0);
  });
});
