// All of a server that `start` gives, by `node --test` (24 or later, which reads TypeScript). Vitest and others do the same.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Fault, RequestFailed, type Snapshot, type Stithy, start } from 'stithy';

const WEB = '/projects/acme%2Fweb';

let stithy: Stithy;
before(async () => {
  // Calls to other servers are recorded, and do not leave the machine.
  const settings = { STITHY_BENCH_OUTBOUND: 'capture' };
  stithy = await start({ bench: true, ephemeral: true, seed: 'stithy.seed.yml', settings });
});
// Rules for faults and the record of requests are no part of what is reset.
beforeEach(async () => {
  await stithy.reset();
  await stithy.faults.clear();
  await stithy.api('DELETE', '/-/bench/requests');
});
after(() => stithy?.stop());

const openIssue = (title: string, more: object = {}) =>
  stithy.api<{ iid: number; created_at: string }>('POST', `${WEB}/issues`, { title, ...more });
const countIssues = async (): Promise<number> => (await stithy.api<unknown[]>('GET', `${WEB}/issues`)).length;

test('what a test changed is taken back', async () => {
  await openIssue('Broken');
  const taken: Snapshot = await stithy.snapshot('one-more');
  assert.equal(taken.name, 'one-more');
  await openIssue('Broken again');
  await stithy.restore('one-more');
  assert.equal(await countIssues(), 5);
  await stithy.reset();
  assert.equal(await countIssues(), 4);
});

test("the clock is the test's", async () => {
  await stithy.clock.set('2030-01-01T00:00:00Z');
  const { frozen } = await stithy.clock.freeze();
  assert.equal(frozen, true);
  assert.equal((await openIssue('In the year 2030')).created_at.slice(0, 4), '2030');
  const { now } = await stithy.clock.advance(86_400);
  assert.equal(now.slice(0, 10), '2030-01-02');
  await stithy.clock.set({ offset: 0, frozen: false });
  assert.ok(Math.abs((await stithy.clock.get()).offset) < 60);
});

test('requests fail when they are told to', async () => {
  const fault: Fault = await stithy.faults.add({
    match: { method: 'POST', path: '/api/v4/projects/*/issues', count: 1 },
    act: { status: 503, retry_after: 1 },
  });
  await assert.rejects(openIssue('Too early'), (error) => error instanceof RequestFailed && error.status === 503);
  assert.equal((await openIssue('Later')).iid, 5);
  assert.deepEqual(
    (await stithy.faults.list()).map(({ id, hits }) => ({ id, hits })),
    [{ id: fault.id, hits: 1 }],
  );
  await stithy.faults.remove(fault.id);
  await stithy.faults.add({ match: {}, act: { drop: 'before' } });
  await assert.rejects(countIssues(), TypeError);
  await stithy.faults.clear();
  assert.equal(await countIssues(), 5);
});

test('what a client asked for is recorded', async () => {
  await openIssue('Broken');
  const [post, ...others] = await stithy.requests({ method: 'POST', path: '/api/v4/*' });
  assert.ok(post !== undefined);
  assert.equal(others.length, 0);
  assert.deepEqual([post.caller, post.status], ['root', 201]);
  assert.match(post.request_body ?? '', /Broken/);
  // Waits for the next one, for five seconds.
  const next = stithy.requests({ after: post.id, method: 'GET', path: '/api/v4/version', count: 1, timeout: 5 });
  await stithy.api('GET', '/version');
  assert.equal((await next).length, 1);
});

test('mails are read, and hooks are called, without a receiver', async () => {
  await stithy.api('POST', `${WEB}/hooks`, {
    url: 'https://bot.example.com/told',
    issues_events: true,
    token: 'sesame',
  });
  const [ada] = await stithy.api<{ id: number }[]>('GET', '/users', undefined, { query: { username: 'ada' } });
  await openIssue('Broken', { assignee_ids: [ada?.id] });
  await stithy.idle({ timeout: 20 });
  const [mail] = await stithy.mails({ to: 'ada@example.com' });
  assert.match(mail?.subject ?? '', /Broken/);
  assert.ok(mail?.links.some((link) => link.includes('/issues/5')));
  const [delivery] = await stithy.deliveries({ event: 'Issue Hook', count: 1 });
  assert.equal(delivery?.headers['X-Gitlab-Token'], 'sesame');
  assert.equal(JSON.parse(delivery?.body ?? '').object_attributes.title, 'Broken');
});

test('a pipeline ends without a runner', async () => {
  const content = 'build: {script: make}\n';
  const file = { branch: 'main', commit_message: 'Build', content };
  await stithy.api('POST', `${WEB}/repository/files/.gitlab-ci.yml`, file);
  await stithy.idle();
  const [job] = await stithy.api<{ id: number; pipeline: { id: number } }[]>('GET', `${WEB}/jobs`, undefined, {
    query: { scope: ['pending'] },
  });
  assert.ok(job !== undefined);
  await stithy.jobs.finish(job.id, { status: 'failed', log: 'no rule to make target\n', exit_code: 2 });
  const { status } = await stithy.api<{ status: string }>('GET', `${WEB}/pipelines/${job.pipeline.id}`);
  assert.equal(status, 'failed');
  assert.match(await stithy.api<string>('GET', `${WEB}/jobs/${job.id}/trace`), /no rule/);
});
