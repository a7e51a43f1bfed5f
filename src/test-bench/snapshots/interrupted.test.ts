import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ROOT_TOKEN } from '../../../test/support/app.ts';
import { emptyPlace } from '../../../test/support/backups.ts';
import { runCommand } from '../../../test/support/stithy-command.ts';
import { type WholeState, wholeState } from '../../../test/support/whole-state.ts';
import type { Config } from '../../config/config.ts';
import { silentLogger } from '../../core/logger.ts';
import { StartupError } from '../../core/startup-error.ts';
import { type Running, serve } from '../../start.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
let config: Config;
let server: Running;
beforeEach(async () => {
  config = { ...(await emptyPlace('same', cleanUps)), bench: { outbound: 'capture' }, rootToken: ROOT_TOKEN };
  server = await serve(config, silentLogger);
  await call('PUT', '/-/bench/clock', { now: '2030-01-01T00:00:00Z', frozen: true });
  await idle();
});
afterEach(() => server.stop());
after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const fetched = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetched(method, path, body);
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? (undefined as T) : JSON.parse(text);
}

const idle = () => call('POST', '/-/bench/clock/advance', { seconds: 0 });
const state = () => wholeState(server.deps);
/** Each start writes jobs. */
const withoutJobs = ({ rows, files }: WholeState) => [rows.filter((row) => !/^(?:sequence )?jobs /.test(row)), files];
const project = async (name: string) => {
  await call('POST', '/api/v4/projects', { name, initialize_with_readme: true });
  await idle();
};

test('a restore that a process did not end is completed by the next start, and refused by one without a test bench', async () => {
  await project('kept');
  await call('POST', '/-/bench/snapshots', { name: 'kept' });
  const before = await state();
  await project('later');
  const own = join(config.dataDir, 'test-bench');
  writeFileSync(join(own, 'restoring'), 'kept');
  await server.stop();
  await assert.rejects(serve({ ...config, bench: null, port: 0 }, silentLogger), StartupError);
  server = await serve({ ...config, port: 0 }, silentLogger);
  assert.deepEqual(withoutJobs(await state()), withoutJobs(before));
  await project('later');
});

test('a restore that fails before it has begun leaves everything as it was', async () => {
  await call('POST', '/-/bench/snapshots', { name: 'damaged' });
  await project('later');
  const before = await state();
  const folder = join(config.dataDir, 'test-bench/snapshots/damaged');
  rmSync(join(folder, config.database.kind === 'sqlite' ? 'database' : 'schema'));
  assert.equal((await fetched('POST', '/-/bench/snapshots/damaged/restore')).status, 500);
  assert.deepEqual(await state(), before);
  await project('even-later');
});

test('a restore that fails half-way says that the instance must be reset', async () => {
  await project('kept');
  const start = await (async () => {
    await call('POST', '/-/bench/snapshots', { name: 'good' });
    return state();
  })();
  await call('POST', '/-/bench/snapshots', { name: 'damaged' });
  const [kept] = await call<{ id: number }[]>('GET', '/api/v4/projects');
  await call('DELETE', `/api/v4/projects/${kept!.id}`);
  await call('POST', '/-/bench/clock/advance', { seconds: 0 });
  const files = join(config.dataDir, 'test-bench/snapshots/damaged/files');
  for (const name of readdirSync(files)) rmSync(join(files, name));
  assert.equal((await fetched('POST', '/-/bench/snapshots/damaged/restore')).status, 500);
  const refusal = await fetched('GET', '/api/v4/projects');
  assert.equal(refusal.status, 503);
  assert.equal(refusal.headers.get('retry-after'), '1');
  assert.match(await refusal.text(), /restore a snapshot, or reset/);
  assert.equal((await fetched('POST', '/-/bench/snapshots', { name: 'another' })).status, 409);
  // The next start would look for it.
  assert.equal((await fetched('DELETE', '/-/bench/snapshots/damaged')).status, 409);
  assert.equal((await fetched('POST', '/-/bench/snapshots/damaged/restore')).status, 500);
  await call('POST', '/-/bench/snapshots/good/restore');
  assert.deepEqual(await state(), start);
  await call('DELETE', '/-/bench/snapshots/damaged');
  await project('later');
});

test('a copy of the database that is damaged is not taken for one', async () => {
  await project('kept');
  await call('POST', '/-/bench/snapshots', { name: 'good' });
  const start = await state();
  const folder = join(config.dataDir, 'test-bench/snapshots/damaged');
  const damages: readonly (() => unknown)[] =
    config.database.kind === 'sqlite'
      ? [
          () => writeFileSync(join(folder, 'database'), 'no database'.repeat(1_000)),
          () => truncateSync(join(folder, 'database'), statSync(join(folder, 'database')).size - 4_096),
          () => truncateSync(join(folder, 'database'), 0),
        ]
      : [
          () =>
            sql.raw(`drop table "${readFileSync(join(folder, 'schema'), 'utf8')}".projects`).execute(server.deps.db),
        ];
  for (const [nth, damage] of damages.entries()) {
    await call('POST', '/-/bench/snapshots', { name: 'damaged' });
    await damage();
    // To go back to the last one takes no copy.
    await call('POST', '/-/bench/snapshots', { name: 'last' });
    await project(`later-${nth}`);
    const before = await state();
    assert.equal((await fetched('POST', '/-/bench/snapshots/damaged/restore')).status, 500);
    assert.deepEqual(await state(), before);
    assert.equal((await fetched('GET', '/api/v4/projects')).status, 200);
    await call('DELETE', '/-/bench/snapshots/damaged');
    await call('DELETE', '/-/bench/snapshots/last');
  }
  await call('POST', '/-/bench/snapshots/good/restore');
  assert.deepEqual(await state(), start);
  assert.deepEqual(
    readdirSync(config.dataDir).filter((name) => name.includes('restoring')),
    [],
  );
});

test('a start that cannot complete a restore tells what can be done', async () => {
  await project('kept');
  await call('POST', '/-/bench/snapshots', { name: 'good' });
  const before = withoutJobs(await state());
  await project('lost');
  await call('POST', '/-/bench/snapshots', { name: 'damaged' });
  await project('later');
  const own = join(config.dataDir, 'test-bench');
  writeFileSync(join(own, 'restoring'), 'damaged');
  rmSync(join(own, 'snapshots/damaged/files'), { recursive: true });
  await server.stop();
  // They would have to come from the snapshot.
  for (const { path } of config.storages) rmSync(join(path, '@hashed'), { recursive: true, force: true });
  await assert.rejects(serve({ ...config, port: 0 }, silentLogger), (error: Error) => {
    assert.ok(error instanceof StartupError);
    assert.match(
      error.message,
      /snapshot damaged, which cannot be completed: ENOENT.*write the name of another snapshot/s,
    );
    return true;
  });
  writeFileSync(join(own, 'restoring'), 'good');
  server = await serve({ ...config, port: 0 }, silentLogger);
  assert.deepEqual(withoutJobs(await state()), before);
});

test('requests wait for a restore; long polls end', async () => {
  await call('POST', '/-/bench/snapshots', { name: 'kept' });
  const runner = await call<{ token: string }>('POST', '/api/v4/user/runners', { runner_type: 'instance_type' });
  await call('POST', '/-/bench/snapshots', { name: 'with-runner' });
  const poll = fetched('POST', '/api/v4/jobs/request', { token: runner.token, system_id: 's', last_update: 'x' });
  await sleep(50);
  const begun = performance.now();
  const restoring = call('POST', '/-/bench/snapshots/with-runner/restore');
  const meanwhile = await Promise.all(Array.from({ length: 20 }, () => fetched('GET', '/api/v4/user')));
  await restoring;
  assert.ok(performance.now() - begun < 4_000);
  assert.equal((await poll).status, 204);
  for (const answer of meanwhile) assert.ok([200, 503].includes(answer.status), String(answer.status));
  await call('POST', '/-/bench/snapshots/kept/restore');
  const asked = await fetched('POST', '/api/v4/jobs/request', { token: runner.token, system_id: 's' });
  assert.equal(asked.status, 403);
});

test('snapshots outlive the process, and the command line steers them', async () => {
  const stithy = (...args: string[]) => runCommand(['bench', ...args, '--url', server.url, '--token', ROOT_TOKEN], {});
  await project('kept');
  const { code, stdout } = await stithy('snapshot', 'by-hand');
  assert.deepEqual([code, /^by-hand {2}\S+ {2}\d+ bytes\n$/.test(stdout)], [0, true]);
  const before = await state();
  await project('later');
  await server.stop();
  server = await serve({ ...config, port: 0 }, silentLogger);
  assert.equal((await stithy('restore', 'by-hand')).code, 0);
  assert.deepEqual(await state(), before);
  assert.match((await stithy('snapshots')).stdout, /^by-hand /);
  assert.equal((await stithy('reset')).code, 0);
  assert.deepEqual(await call('GET', '/api/v4/projects'), []);
  const refused = await stithy('restore', 'unknown');
  assert.deepEqual([refused.code, refused.stderr], [2, 'stithy: The server refuses it: 404 Snapshot Not Found\n']);
  assert.equal((await stithy('delete', 'by-hand')).code, 0);
  assert.equal((await stithy('restore')).code, 2);
});

test('what does not end is cut off: a clone that nobody reads, and a request that is never complete', async () => {
  await project('kept');
  const [{ id }] = (await call<[{ id: number }]>('GET', '/api/v4/projects')) as [{ id: number }];
  const content = randomBytes(24_000_000).toString('base64');
  const commit = { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: 'large', content }] };
  const { id: sha } = await call<{ id: string }>('POST', `/api/v4/projects/${id}/repository/commits`, commit);
  await call('POST', '/-/bench/snapshots', { name: 'kept' });
  const { port } = new URL(server.url);
  const send = (text: string) => {
    const socket = createConnection(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(text);
    return socket;
  };
  const head = (path: string, type: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${ROOT_TOKEN}\r\nAuthorization: Basic ${btoa(`root:${ROOT_TOKEN}`)}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
  const wants = `0032want ${sha}\n00000009done\n`;
  const clone = send(
    head('/root/kept.git/git-upload-pack', 'application/x-git-upload-pack-request', wants.length) + wants,
  );
  clone.pause();
  const incomplete = send(head('/api/v4/projects', 'application/json', 1_000));
  incomplete.resume();
  await sleep(300);
  const begun = performance.now();
  await call('POST', '/-/bench/snapshots/kept/restore');
  assert.ok(performance.now() - begun > 4_000);
  let bytes = 0;
  clone.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  clone.resume();
  await Promise.all([clone, incomplete].map((socket) => socket.destroyed || once(socket, 'close')));
  assert.ok(bytes < content.length / 2, String(bytes));
  assert.deepEqual((await call<unknown[]>('GET', '/api/v4/projects')).length, 1);
});
