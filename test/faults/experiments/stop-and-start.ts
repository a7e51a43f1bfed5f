import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { apiClient } from '../../support/api-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { readiness, until } from '../until.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../bin/stithy.js');

function stithy(settings: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
  const env = { PATH: process.env.PATH ?? '', STITHY_PORT: '0', ...settings };
  return new Promise((done) => {
    execFile(process.execPath, [PROGRAM, 'serve'], { env, timeout: 120_000 }, (error, _stdout, stderr) => {
      done({ code: error?.code ?? 0, stderr });
    });
  });
}

/** A body that never ends holds a request under way. */
async function hangingRequest(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  const head = `POST /api/v4/projects HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${ROOT_TOKEN}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: 1000\r\n\r\n{`);
}

async function stops(lab: Lab): Promise<void> {
  const settings = { ...(await lab.newDatabase()), STITHY_SHUTDOWN_TIMEOUT: '3' };
  const server = await lab.start(join(lab.folder, 'stop'), settings);
  await hangingRequest(server.url);
  await until('the request is under way', async () => (await readiness(server.url)) === 200);
  const begun = Date.now();
  const ended = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await until('readiness is false on the open listener', async () => (await readiness(server.url)) === 503);
  const answer = await apiClient(server.url, ROOT_TOKEN)('GET', '/user');
  assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close']);
  assert.deepEqual(await ended, [0, null]);
  lab.say(
    `SIGTERM with a request that never ends: readiness 503 meanwhile, ended after ${Date.now() - begun} ms with code 0`,
  );
}

async function refuses(lab: Lab): Promise<void> {
  const file = join(lab.folder, 'file');
  writeFileSync(file, '');
  const broken = join(lab.folder, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'stithy.db'), 'no database '.repeat(1_000));
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const dataDir = join(lab.folder, 'refused');
  const cases: Record<string, string>[] = [
    { STITHY_PORT: String(port) },
    { STITHY_HOST: 'no-such-host.invalid' },
    { STITHY_HOST: '203.0.113.1' },
    { STITHY_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' },
    { STITHY_DATABASE_URL: 'sqlite:' },
    { STITHY_DATABASE_URL: 'sqlite:../x.db' },
    { STITHY_STORAGES: `default=${file}` },
    { STITHY_TRUSTED_PROXIES: '10.0.0.0/99' },
    { STITHY_DATA_DIR: file },
    { STITHY_DATA_DIR: '/proc/x' },
    { STITHY_DATA_DIR: broken },
  ];
  try {
    for (const settings of cases) {
      const { code, stderr } = await stithy({ STITHY_DATA_DIR: dataDir, ...settings });
      assert.equal(code, 2, `${JSON.stringify(settings)}: ${stderr}`);
      assert.match(stderr, /^stithy: [^\n]+\n$/);
    }
  } finally {
    taken.close();
  }
  lab.say(`${cases.length} bad settings and surroundings: one line and exit code 2 each`);
}

/** A server that is told to stop ends in time; one that cannot start says why in one line. */
export default {
  title: 'SIGTERM under a request that never ends; bad settings and surroundings; two servers on one folder',
  run: async (lab) => {
    await stops(lab);
    await refuses(lab);
    const dataDir = join(lab.folder, 'shared');
    const first = await lab.start(dataDir, await lab.newDatabase());
    const second = await stithy({ STITHY_DATA_DIR: dataDir, STITHY_DATABASE_URL: 'sqlite:second.db' });
    assert.equal(second.code, 2, second.stderr);
    assert.match(second.stderr, /^stithy: Another server works on .*shared/);
    assert.equal((await apiClient(first.url, ROOT_TOKEN)('GET', '/user')).status, 200);
    lab.say(`a second server on the folder: ${second.stderr.trim()}`);
  },
} satisfies Experiment;
