import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../../test/support/app.ts';
import { type ProgramReceiver, receiveRequests } from '../../../test/support/program-receiver.ts';
import { projectWith } from '../../../test/support/programs.ts';

const clock = new TestClock();
let app: TestApp;
let receiver: ProgramReceiver;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' }, clock });
  receiver = await receiveRequests();
});
beforeEach(() => receiver.reset());
after(async () => {
  await app.close();
  await receiver.close();
});

const left = async () => {
  const rows = await app.deps.db.selectFrom('jobs').select(['kind', 'state']).execute();
  return rows.filter(({ kind }) => kind === 'event:integrations');
};
const paths = () => receiver.got.map(({ method, path }) => `${method} ${path.split('?')[0]}`);

test('a redirect is not followed: what it carries goes nowhere else', async () => {
  const { push } = await projectWith(app, 'jenkins', {
    jenkins_url: receiver.url,
    project_name: 'app',
    username: 'ann',
    password: 'sesame',
  });
  for (const status of [301, 302, 307]) {
    receiver.reset();
    receiver.answer = (response) => response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
    await push();
    await app.drain();
    assert.deepEqual(paths(), ['POST /project/app'], String(status));
    assert.deepEqual(await left(), []);
  }
});

test('an answer without end, or one that unpacks to much, holds nobody up', async () => {
  const { push } = await projectWith(app, 'drone-ci', { drone_url: receiver.url, token: 'sesame' });
  const other = await projectWith(app, 'slack', { webhook: `${receiver.url}/chat` });
  receiver.answer = (response, { path }) => {
    if (path === '/chat') return response.end('ok');
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
    };
    response.on('drain', more);
    response.on('error', () => {});
    response.writeHead(200, { 'content-encoding': 'gzip' });
    return more();
  };
  await push();
  await other.issue();
  await app.deps.jobs.drain(0);
  assert.ok(paths().includes('POST /chat'));
});

test('what would break a header is sent nowhere, and is tried no more', async () => {
  const { push, set } = await projectWith(app, 'jira', {
    url: receiver.url,
    jira_auth_type: 1,
    password: 'a\r\nX-Evil: 1',
  });
  await push('main', 'AB-1');
  await app.deps.jobs.drain(0);
  assert.deepEqual(paths(), []);
  assert.deepEqual(await left(), []);
  await set({ password: 'sesame' });
  await push('main', 'AB-2');
  await app.drain();
  assert.equal(receiver.got[0]?.headers.authorization, 'Bearer sesame');
});

test('secrets of an address are in no log', async () => {
  const lines: string[] = [];
  const log = app.deps.log.log.bind(app.deps.log);
  app.deps.log.log = (level, message, more) => {
    lines.push(JSON.stringify({ level, message, more }));
    log(level, message, more);
  };
  try {
    const { push } = await projectWith(app, 'drone-ci', { drone_url: receiver.url, token: 'very-secret' });
    receiver.answer = (response) => response.writeHead(404).end();
    await push();
    await app.drain();
    receiver.answer = (response) => response.destroy();
    await push();
    await app.deps.jobs.drain(0);
  } finally {
    app.deps.log.log = log;
  }
  assert.ok(lines.some((line) => line.includes('refused')));
  assert.ok(lines.some((line) => line.includes('not reached')));
  assert.doesNotMatch(lines.join('\n'), /very-secret/);
});
