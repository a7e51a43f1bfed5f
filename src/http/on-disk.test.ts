import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { flagProject } from '../../test/support/feature-flags.ts';
import { GitUser } from '../../test/support/git-user.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('nobody is answered before all that was committed is on disk', async () => {
  const { project, client } = await flagProject(app);
  const poll = `/feature_flags/unleash/${project.id}/client/features`;
  const headers = { 'unleash-instanceid': (await client()).instance_id, 'unleash-appname': 'production' };
  const ask = {
    json: () => app.get('/user'),
    refusal: () => app.get('/projects/0'),
    poll: () => app.get(poll, { token: null, headers }),
    'poll again': () => app.get(poll, { token: null, headers }),
  };
  for (const [what, question] of Object.entries(ask)) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onDisk = mock.method(app.deps.database, 'onDisk', () => promise);
    let answered = false;
    const result = question().then((response) => {
      answered = true;
      return response;
    });
    while (onDisk.mock.callCount() === 0) await new Promise((again) => setImmediate(again));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((again) => setImmediate(again));
    assert.equal(answered, false, what);
    resolve();
    assert.ok([200, 404].includes((await result).statusCode), what);
    onDisk.mock.restore();
    await question();
  }
});

test('what comes in pieces is not held up', async () => {
  const project = await app.make.project();
  const user = await GitUser.of(app);
  const onDisk = mock.method(app.deps.database, 'onDisk', () => sleep(20));
  try {
    const dir = await user.tree();
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  } finally {
    onDisk.mock.restore();
  }
});

test('what cannot be put on disk is told to nobody', async () => {
  const project = await app.make.project();
  const onDisk = mock.method(app.deps.database, 'onDisk', () => Promise.reject(new Error('EIO')));
  try {
    for (const path of ['/user', `/projects/${project.id}`, '/projects/0']) {
      const response = await app.get(path);
      assert.equal(response.statusCode, 503, path);
      assert.match(response.json().message, /can no longer be written to disk/);
      assert.equal(response.headers.etag, undefined);
    }
    await assert.rejects(app.deps.database.check(), { message: 'EIO' });
  } finally {
    onDisk.mock.restore();
  }
  assert.equal((await app.get('/user')).statusCode, 200);
});
