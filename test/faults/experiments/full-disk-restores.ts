import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../src/config/config.ts';
import { apiClient } from '../../support/api-client.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { must } from '../projects.ts';
import { assertSame, type Kept, lookAtAll } from '../rewinding/picture.ts';
import { fill, onSmallDisk } from '../small-disk.ts';
import { until } from '../until.ts';

const SIZE = '96m';
/** Bytes of a file in a project, which cannot be packed. */
const FILE_BYTES = 1_000_000;

const asked = (server: ServerProcess, method: string, path: string, body?: unknown) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function bench(server: ServerProcess, method: string, path: string, body?: unknown): Promise<number> {
  const answer = await asked(server, method, `/-/bench/${path}`, body);
  await answer.arrayBuffer();
  return answer.status;
}

async function makeProject(server: ServerProcess, path: string): Promise<number> {
  const call = apiClient(server.url, ROOT_TOKEN);
  const { id } = await must<{ id: number }>(call, 'POST', '/projects', { path, initialize_with_readme: true });
  const content = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
  for (let file = 0; file * content.length < FILE_BYTES; file += 1)
    await must(call, 'POST', `/projects/${id}/repository/files/${file}`, {
      branch: 'main',
      content,
      commit_message: 'x',
    });
  assert.equal(await bench(server, 'POST', 'clock/advance', { seconds: 0 }), 200);
  return id;
}

const withoutJobs = ({ rows, files, refs }: Kept): Kept => ({
  files,
  refs,
  rows: rows.filter((row) => !/^(?:sequence )?jobs /.test(row)),
});

/** The data folder on a full disk: nothing is taken, nothing is restored, and nothing changes. */
async function onFullData(lab: Lab, disk: string): Promise<void> {
  const dataDir = join(disk, 'data');
  const settings = { ...(await lab.newDatabase()), STITHY_BENCH: '1' };
  const server = await lab.start(dataDir, settings);
  const { config } = loadConfig({ ...settings, STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: ROOT_TOKEN });
  assert.equal(await bench(server, 'PUT', 'clock', { now: '2030-01-01T12:00:00Z', frozen: true }), 200);
  await makeProject(server, 'kept');
  const kept = await lookAtAll(config);
  assert.equal(await bench(server, 'POST', 'snapshots', { name: 'good' }), 201);
  await makeProject(server, 'later');
  const before = await lookAtAll(config);
  fill(disk);
  const taken = await bench(server, 'POST', 'snapshots', { name: 'none' });
  assertSame(await lookAtAll(config), before, 'after a snapshot that failed');
  const folder = join(dataDir, 'test-bench/snapshots');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== '.start' && name !== 'good'),
    [],
  );
  const restored = await bench(server, 'POST', 'snapshots/good/restore');
  lab.say(`on the full disk: a snapshot ${taken}, a restore ${restored}`);
  assert.equal(taken, 507);
  // On PostgreSQL, of which the disk is another one, a restore may need no room.
  assert.ok(restored === 507 || (restored === 200 && config.database.kind === 'postgres'), String(restored));
  assertSame(await lookAtAll(config), restored === 200 ? kept : before, 'after a restore that failed');
  rmSync(join(disk, 'filler'));
  assert.equal(await bench(server, 'POST', 'snapshots/good/restore'), 200);
  assertSame(await lookAtAll(config), kept, 'with room again');
  await makeProject(server, 'again');
  assert.equal(await server.stop(), 0);
}

/** A storage on a full disk, whose files are copied: a restore fails half-way. */
async function onFullStorage(lab: Lab, disk: string): Promise<void> {
  const dataDir = join(lab.folder, 'half-way');
  const settings: Record<string, string> = { ...(await lab.newDatabase()), STITHY_BENCH: '1' };
  settings.STITHY_STORAGES = `default=${join(disk, 'storage')}`;
  let server = await lab.start(dataDir, settings);
  const { config } = loadConfig({ ...settings, STITHY_DATA_DIR: dataDir, STITHY_ROOT_TOKEN: ROOT_TOKEN });
  assert.equal(await bench(server, 'PUT', 'clock', { now: '2030-01-01T12:00:00Z', frozen: true }), 200);
  const id = await makeProject(server, 'kept');
  const kept = withoutJobs(await lookAtAll(config));
  assert.equal(await bench(server, 'POST', 'snapshots', { name: 'good' }), 201);
  const failHalfWay = async () => {
    await must(apiClient(server.url, ROOT_TOKEN), 'DELETE', `/projects/${id}`);
    await bench(server, 'POST', 'clock/advance', { seconds: 0 });
    fill(disk);
    assert.equal(await bench(server, 'POST', 'snapshots/good/restore'), 507);
    const refused = await asked(server, 'GET', '/api/v4/projects');
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /restore a snapshot, or reset/);
  };
  await failHalfWay();
  assert.equal(await bench(server, 'POST', 'snapshots/good/restore'), 507);
  rmSync(join(disk, 'filler'));
  assert.equal(await bench(server, 'POST', 'snapshots/good/restore'), 200);
  assertSame(withoutJobs(await lookAtAll(config)), kept, 'restored after it had failed half-way');
  await failHalfWay();
  await server.kill();
  await assert.rejects(lab.start(dataDir, settings), /snapshot good, which cannot be completed: ENOSPC/);
  rmSync(join(disk, 'filler'));
  server = await lab.start(dataDir, settings);
  await until('no job is due', async () => (await bench(server, 'GET', 'idle?timeout=10')) === 200);
  await sleep(100);
  assertSame(withoutJobs(await lookAtAll(config)), kept, 'completed by the next start');
  await makeProject(server, 'again');
  lab.say('a restore that failed half-way refuses requests, also after a restart, until there is room');
}

export default {
  title: 'the disk of the data folder full while snapshots are taken and restored, then that of a storage',
  run: (lab) =>
    onSmallDisk(lab, SIZE, async (disk) => {
      await onFullData(lab, disk);
      rmSync(join(disk, 'data'), { recursive: true });
      await onFullStorage(lab, disk);
    }),
} satisfies Experiment;
