import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../support/api-client.ts';
import { type ServerProcess, startServer, whileServing } from '../support/server-process.ts';

const TOKEN = 'glpat-process-test-token-0000';
/** More bytes than the buffers between server and client hold. */
const LARGE = 24 * 1024 * 1024;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-shutdown-'));
});
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Runs a server for one test. */
const withServer = (name: string, settings: Record<string, string>, use: (server: ServerProcess) => Promise<void>) =>
  whileServing({ dataDir: join(folder, name), settings }, use);

/** Waits for something that becomes true. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries === 600) assert.fail('it did not come about');
    await sleep(50);
  }
}

const get = (agent: Agent, url: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent }, (answer) => answer.resume().on('end', () => resolve(answer)))
      .on('error', reject)
      .end();
  });

/** A project with a file that does not fit into the buffers between server and client. */
async function largeProject(url: string): Promise<number> {
  const call = apiClient(url, TOKEN);
  const { body } = await call<{ id: number }>('POST', '/projects', { path: 'large' });
  const noise = randomBytes(LARGE);
  const action = { action: 'create', file_path: 'noise.bin', encoding: 'base64', content: noise.toString('base64') };
  const json = { branch: 'main', commit_message: 'noise', actions: [action] };
  const commit = await call('POST', `/projects/${body.id}/repository/commits`, json);
  assert.equal(commit.status, 201, commit.text);
  return body.id;
}

/** A file of a package that is as large, and costs no compression. @returns the path of its download */
async function largePackage(url: string): Promise<string> {
  const { body } = await apiClient(url, TOKEN)<{ id: number }>('POST', '/projects', { path: 'large' });
  const path = `/api/v4/projects/${body.id}/packages/generic/large/1.0/noise.bin`;
  const headers = { 'private-token': TOKEN };
  const made = await fetch(`${url}${path}`, { method: 'PUT', headers, body: randomBytes(LARGE) });
  assert.equal(made.status, 201, await made.text());
  return path;
}

/** Asks over a socket and takes nothing but the beginning of the answer, until `finish` is called. */
async function slowRequest(url: string, path: string): Promise<{ socket: Socket; finish(): Promise<Buffer> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nPRIVATE-TOKEN: ${TOKEN}\r\nConnection: close\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return {
    socket,
    finish: async () => {
      const chunks = [first];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const closed = once(socket, 'close');
      socket.resume();
      await closed;
      return Buffer.concat(chunks);
    },
  };
}

describe('SIGTERM', () => {
  test('turns readiness off first, lets a request under way finish, and ends with code 0', async () => {
    await withServer('stopping', { STITHY_ROOT_TOKEN: TOKEN }, async (server) => {
      const id = await largeProject(server.url);
      assert.equal((await fetch(`${server.url}/-/readiness`)).status, 200);
      const file = '/repository/files/noise.bin/raw?ref=main';
      const slow = await slowRequest(server.url, `/api/v4/projects/${id}${file}`);
      // A connection that is kept from before.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      assert.equal((await get(agent, `${server.url}/-/health`)).headers.connection, 'keep-alive');
      const ended = once(server.child, 'exit');
      server.child.kill('SIGTERM');
      await until(async () => (await fetch(`${server.url}/-/readiness`)).status === 503);
      const response = await get(agent, `${server.url}/api/v4/version`);
      assert.deepEqual([response.statusCode, response.headers.connection], [401, 'close']);
      agent.destroy();
      // It answers as long as a request is under way.
      for (let n = 0; n < 20; n += 1) assert.equal((await fetch(`${server.url}/-/readiness`)).status, 503);
      assert.equal(server.child.exitCode, null, 'it ended with a request under way');
      const bytes = await slow.finish();
      const head = bytes.indexOf('\r\n\r\n');
      assert.match(bytes.toString('latin1', 0, head), /^HTTP\/1\.1 200 /);
      assert.ok(bytes.length - head >= LARGE, `${bytes.length} bytes`);
      assert.deepEqual(await ended, [0, null]);
    });
  });

  test('cuts off what does not end in the time of STITHY_SHUTDOWN_TIMEOUT, and ends with code 0', async () => {
    const settings = { STITHY_ROOT_TOKEN: TOKEN, STITHY_SHUTDOWN_TIMEOUT: '1' };
    await withServer('cut', settings, async (server) => {
      const slow = await slowRequest(server.url, await largePackage(server.url));
      slow.socket.on('error', () => {});
      assert.equal(await server.stop(), 0);
      slow.socket.destroy();
    });
  });

  test('a second one cuts off at once', async () => {
    await withServer('twice', { STITHY_ROOT_TOKEN: TOKEN, STITHY_SHUTDOWN_TIMEOUT: '3600' }, async (server) => {
      const slow = await slowRequest(server.url, await largePackage(server.url));
      slow.socket.on('error', () => {});
      const ended = once(server.child, 'exit');
      server.child.kill('SIGTERM');
      await until(async () => (await fetch(`${server.url}/-/readiness`)).status === 503);
      server.child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      slow.socket.destroy();
    });
  });

  test('during a start ends it with code 0, whenever it comes', async () => {
    // As soon as these are there.
    for (const name of ['.', 'server.lock', 'stithy.db', 'gitconfig', 'instance']) {
      const dataDir = join(folder, `early-${name === '.' ? 'folder' : name}`);
      let ended: Promise<unknown[]> | undefined;
      const starting = startServer({
        dataDir,
        onSpawn: (child) => {
          ended = once(child, 'exit');
          void until(async () => existsSync(join(dataDir, name))).then(() => child.kill('SIGTERM'));
        },
      });
      await starting.catch(() => {});
      assert.deepEqual(await ended, [0, null], `as soon as there was ${name}`);
    }
  });

  test('to `npm start` reaches the server', async () => {
    const env = { ...process.env, STITHY_DATA_DIR: join(folder, 'npm'), STITHY_PORT: '0', STITHY_ROOT_TOKEN: TOKEN };
    const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    npm.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const ended = once(npm, 'exit');
    await until(async () => /ready at (\S+)/.test(text));
    const url = /ready at (\S+)/.exec(text)?.[1] ?? '';
    assert.equal((await apiClient(url, TOKEN)('GET', '/user')).status, 200);
    npm.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    await assert.rejects(fetch(`${url}/-/health`));
  });
});
