import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../test/support/api-client.ts';
import { freshDatabase } from '../test/support/databases.ts';
import { temporaryFolder } from '../test/support/git-fixture.ts';
import { loadConfig } from './config/config.ts';
import { JsonLogger } from './core/logger.ts';
import { serve } from './start.ts';
import { StartBarrier } from './start-barrier.ts';

const TOKEN = 'glpat-known-beforehand';
const SEED = {
  users: [{ username: 'ada' }],
  projects: [
    {
      path: 'web',
      namespace: 'ada',
      merge_commit_template: 'Merge %{source_branch}\n\n%{url}',
      commits: [{ files: { 'README.md': 'Web' } }],
      merge_requests: [{ source_branch: 'greet', author: 'ada', state: 'merged' }],
      issues: [{ title: 'Issue {n}', count: 50 }],
    },
  ],
};

async function settingsFor(t: Parameters<typeof temporaryFolder>[0]) {
  const dataDir = temporaryFolder(t);
  const database = await freshDatabase(dataDir);
  t.after(() => database.drop());
  const { config } = loadConfig({
    STITHY_DATA_DIR: dataDir,
    STITHY_SYNC: 'off',
    STITHY_PORT: '0',
    STITHY_SSH_PORT: '0',
    STITHY_BENCH: '1',
    STITHY_ROOT_TOKEN: TOKEN,
    ...(database.url === null ? {} : { STITHY_DATABASE_URL: database.url }),
  });
  return config;
}

test('what a seed makes holds the port that was free, and requests get 503 until it is there', async (t) => {
  const config = await settingsFor(t);
  config.seed = SEED;
  const starting = serve(config, new JsonLogger('silent', () => {}));
  let isReady = false;
  void starting.then(() => (isReady = true));
  while (config.port === 0) await sleep(1);
  const early = await fetch(`http://127.0.0.1:${config.port}/api/v4/projects`);
  assert.equal(isReady, false, 'asked too late');
  assert.deepEqual(
    [early.status, early.headers.get('retry-after'), await early.json()],
    [503, '1', { message: '503 Service Unavailable - the server is starting' }],
  );
  const running = await starting;
  t.after(() => running.stop());
  assert.equal(running.url, `http://127.0.0.1:${config.port}`);
  const api = apiClient(running.url, TOKEN);
  const { body } = await api<{ message: string }[]>('GET', '/projects/ada%2Fweb/repository/commits');
  assert.ok(
    body.some(({ message }) => message === `Merge greet\n\n${running.url}/ada/web/-/merge_requests/1`),
    JSON.stringify(body),
  );
});

test('a seed that is refused ends the start, and the port is free again', async (t) => {
  const config = await settingsFor(t);
  config.seed = { projects: [{ path: 'web', namespace: 'nobody' }] };
  await assert.rejects(serve(config, new JsonLogger('silent', () => {})), /nobody/);
  await assert.rejects(fetch(`http://127.0.0.1:${config.port}/-/readiness`));
});

test('commands over SSH wait for the seed, and are then admitted as without one', async () => {
  const events: string[] = [];
  const gate = async () => {
    events.push('entered');
    return () => void events.push('left');
  };
  const open = new StartBarrier(createServer(), false);
  assert.equal(open.admit(gate), gate);
  const closed = new StartBarrier(createServer(), true);
  const admitted = closed.admit(gate)!();
  await sleep(5);
  assert.deepEqual(events, []);
  closed.open();
  (await admitted)();
  assert.deepEqual(events, ['entered', 'left']);
});
