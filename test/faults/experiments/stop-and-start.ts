import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../../support/api-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { readiness, until } from '../until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'bin/stithy.js');
/** Milliseconds after which a start is stopped. */
const MOMENTS = [50, 150, 300, 500, 700, 900];

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

/** `npm start` passes the signal on; one that comes during a start ends it. */
async function stopsEarly(lab: Lab): Promise<void> {
  const settings = { STITHY_DATA_DIR: join(lab.folder, 'npm'), STITHY_PORT: '0', ...(await lab.newDatabase()) };
  const env = { PATH: process.env.PATH ?? '', HOME: lab.folder, ...settings };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(npm, 'exit');
  await until('it is ready', async () => /ready at /.test(output) || npm.exitCode !== null);
  assert.match(output, /ready at /);
  npm.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  for (const moment of MOMENTS) {
    const server = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: 'ignore' });
    const over = once(server, 'exit');
    await sleep(moment);
    server.kill('SIGTERM');
    const [code, signal] = await over;
    // Before the first line of the program only the system is there to be told.
    if (signal === null) assert.equal(code, 0, `after ${moment} ms`);
    else assert.ok(moment < 100, `${signal} after ${moment} ms`);
  }
  lab.say(`SIGTERM to npm start, and ${MOMENTS.length} times during a start: code 0`);
}

/** A server that is told to stop ends in time, whenever that is. */
export default {
  title: 'SIGTERM under a request that never ends, through npm start, and while a server starts',
  run: async (lab) => {
    await stops(lab);
    await stopsEarly(lab);
  },
} satisfies Experiment;
