import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { closedAddress } from '../../../test/support/file-server.ts';
import { type ProgramReceiver, receiveRequests } from '../../../test/support/program-receiver.ts';
import { projectWith, slackBodies } from '../../../test/support/programs.ts';
import { changeSettings, resetSettings } from '../../../test/support/settings.ts';

const clock = new TestClock();
let app: TestApp;
let receiver: ProgramReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  receiver = await receiveRequests();
});
beforeEach(async () => {
  await app.deps.db.deleteFrom('integrations').execute();
  await app.deps.db.deleteFrom('jobs').execute();
  app.deps.recent.invalidate();
  receiver.reset();
});
after(async () => {
  await app.close();
  await receiver.close();
});

const hook = () => ({ webhook: `${receiver.url}/hook` });
const jobs = async () => {
  const rows = await app.deps.db.selectFrom('jobs').select(['kind', 'state', 'order_key']).execute();
  return rows.filter(({ kind }) => kind === 'event:integrations');
};

test('what a group has set up is told of its projects, and of none that has its own', async () => {
  const group = await app.make.group();
  const [first, second] = [await app.make.project({ namespace: group }), await app.make.project({ namespace: group })];
  const other = await app.make.project();
  const put = (place: string, channel: string) =>
    app.put(`${place}/integrations/slack`, { json: { ...hook(), channel } });
  expectStatus(await put(`/groups/${group.id}`, '#group'), 200);
  expectStatus(await put(`/projects/${second.id}`, '#own'), 200);
  for (const { id } of [first, second, other]) {
    expectStatus(await app.post(`/projects/${id}/issues`, { json: { title: 'x' } }), 201);
  }
  await app.drain();
  assert.deepEqual(
    slackBodies(receiver)
      .map(({ channel }) => channel)
      .sort(),
    ['#group', '#own'],
  );
});

test('what was not reached is told later, in the order in which it happened, and holds up nobody else', async () => {
  const dead = await projectWith(app, 'slack', hook());
  const living = await projectWith(app, 'mattermost', { webhook: `${receiver.url}/living` });
  receiver.answer = (response, { path }) => response.writeHead(path === '/hook' ? 503 : 200).end();
  for (const title of ['one', 'two', 'three']) await dead.issue({ title });
  await living.issue();
  await app.deps.jobs.drain(0);
  assert.deepEqual(receiver.got.map(({ path }) => path).sort(), ['/hook', '/living']);
  assert.equal((await jobs()).length, 3);
  receiver.reset();
  clock.advance(10_000);
  await app.drain();
  assert.deepEqual(
    slackBodies(receiver).map(({ attachments }) => (attachments as { title: string }[])[0]?.title),
    ['#1 one', '#2 two', '#3 three'],
  );
  assert.deepEqual(await jobs(), []);
  const { failures } = await app.deps.db
    .selectFrom('integrations')
    .select('failures')
    .where('slug', '=', 'slack')
    .executeTakeFirstOrThrow();
  assert.equal(failures, 0);
});

test('what waits is told at once when the address is corrected, also while the old one is called', async () => {
  const { issue, at } = await projectWith(app, 'slack', hook());
  await app.deps.db.updateTable('integrations').set({ failures: 11 }).execute();
  receiver.answer = (response, { path }) => response.writeHead(path === '/hook' ? 503 : 200).end();
  for (const title of ['one', 'two']) await issue({ title });
  await app.deps.jobs.drain(0);
  receiver.reset();
  await app.drain();
  assert.equal(receiver.got.length, 0);
  const correct = () => app.put(`${at}/integrations/slack`, { json: { webhook: `${receiver.url}/corrected` } });
  expectStatus(await correct(), 200);
  await app.drain();
  assert.deepEqual(
    receiver.got.map(({ path }) => path),
    ['/corrected', '/corrected'],
  );
  expectStatus(await app.put(`${at}/integrations/slack`, { json: hook() }), 200);
  receiver.reset();
  receiver.answer = (response, { path }) => {
    if (path === '/hook') void correct().then(() => response.writeHead(503).end());
    else response.end();
  };
  await app.deps.db.updateTable('integrations').set({ failures: 11 }).execute();
  await issue({ title: 'three' });
  await app.drain();
  assert.deepEqual(
    receiver.got.map(({ path }) => path),
    ['/hook', '/corrected'],
  );
});

test('what waits is told at once when a secret is corrected', async () => {
  const settings = { jenkins_url: receiver.url, project_name: 'p', username: 'ann', password: 'wrong' };
  const { push, set } = await projectWith(app, 'jenkins', settings);
  await app.deps.db.updateTable('integrations').set({ failures: 11 }).execute();
  receiver.answer = (response) => response.writeHead(503).end();
  await push();
  await app.deps.jobs.drain(0);
  receiver.reset();
  await app.drain();
  assert.equal(receiver.got.length, 0);
  await set({ password: 'right' });
  await app.drain();
  const basic = (password: string) => `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
  assert.deepEqual(
    receiver.got.map(({ headers }) => headers.authorization),
    [basic('right')],
  );
});

test('what could not be told within a day is not told any more', async () => {
  const { issue } = await projectWith(app, 'slack', { webhook: await closedAddress() });
  await issue();
  await app.deps.jobs.drain(0);
  assert.equal((await jobs()).length, 1);
  clock.advance(86_400_000 + 1);
  await app.drain();
  assert.deepEqual(await jobs(), []);
});

test('what is refused is not told again', async () => {
  const { issue } = await projectWith(app, 'slack', hook());
  receiver.answer = (response) => response.writeHead(404).end();
  await issue();
  await app.drain();
  assert.equal(receiver.got.length, 1);
  assert.deepEqual(await jobs(), []);
});

test('an integration that is switched off, or not allowed, is told nothing more', async () => {
  const { issue, at } = await projectWith(app, 'slack', hook());
  await issue();
  expectStatus(await app.delete(`${at}/integrations/slack`), 204);
  await app.drain();
  assert.equal(receiver.got.length, 0);
  expectStatus(await app.put(`${at}/integrations/slack`, { json: hook() }), 200);
  await changeSettings(app, { allow_all_integrations: false, allowed_integrations: ['asana'] });
  try {
    await issue();
    await app.drain();
    assert.equal(receiver.got.length, 0);
  } finally {
    await resetSettings(app);
  }
});

test('an address in the local network is not called when that is not allowed any more', async () => {
  const { issue } = await projectWith(app, 'slack', hook());
  await changeSettings(app, { allow_local_requests_from_web_hooks_and_services: false });
  try {
    await issue();
    await app.deps.jobs.drain(0);
    assert.equal(receiver.got.length, 0);
  } finally {
    await resetSettings(app);
  }
});

test('where nobody has an integration, nothing is written for one', async () => {
  const project = await app.make.project();
  expectStatus(await app.post(`/projects/${project.id}/issues`, { json: { title: 'x' } }), 201);
  assert.deepEqual(await jobs(), []);
});
