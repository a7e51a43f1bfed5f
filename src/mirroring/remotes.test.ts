import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { closedAddress } from '../../test/support/file-server.ts';
import { gitFixture } from '../../test/support/git-fixture.ts';
import { MirrorPair } from '../../test/support/mirrors.ts';
import { storedText } from '../core/stored-secret.ts';
import { gitEnvironment, spawnGit } from '../git/process/index.ts';
import { runRemote } from '../git/remote/git.remote.ts';
import { remoteFailure } from '../git/remote/remote-error.ts';
import { changedAddress } from './changed-address.ts';
import { maskCredentials, withoutCredentials } from './mirroring.address.ts';

let app: TestApp;
let small: TestApp;
before(async () => {
  const STITHY_ALLOW_LOCAL_NETWORK = 'true';
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK } });
  small = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK, STITHY_MAX_PUSH: '65536' } });
});
after(async () => {
  await app.close();
  await small.close();
});

async function withServer(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;

test('what answers show of an address', () => {
  assert.equal(maskCredentials('https://u:p@example.org/x.git'), 'https://*****:*****@example.org/x.git');
  assert.equal(maskCredentials('ssh://git@example.org/x.git'), 'ssh://*****@example.org/x.git');
  assert.equal(maskCredentials('https://example.org/x.git'), 'https://example.org/x.git');
  assert.equal(maskCredentials('no address with secret'), '*****');
  assert.equal(maskCredentials('https://example.org/x.git?private_token=abc#d'), 'https://example.org/x.git?*****');
  assert.equal(withoutCredentials('https://example.org/x.git?private_token=abc'), 'https://example.org/x.git');
  for (const url of ['https://one.org/x?token=abc', 'https://one.org/x#abc', 'ssh://one.org/x?a']) {
    assert.throws(() => changedAddress(null, { url }), /Query and fragment are not allowed/);
  }
  const old = 'https://one.org/x?token=abc';
  assert.equal(changedAddress(old, {}), old, 'one of an earlier version keeps no other change out');
  assert.equal(withoutCredentials('https://u:p@example.org/x.git'), 'https://example.org/x.git');
  assert.equal(
    changedAddress('https://u:p@one.org/x', { url: 'https://u@one.org/x.git' }),
    'https://u:p@one.org/x.git',
  );
  assert.equal(changedAddress('https://u:p@one.org/x', { url: 'https://u@one.org/y' }), 'https://u@one.org/y');
  assert.equal(changedAddress('https://u:p@one.org/x', { url: 'https://v@one.org/y' }), 'https://v@one.org/y');
  assert.equal(changedAddress('https://u:p@one.org/x', { url: 'https://one.org:8443/x' }), 'https://one.org:8443/x');
});

/** Serves the folder of a repository over the protocol of git. @param use gets its address */
async function withDaemon(dir: string, options: string[], use: (url: string) => Promise<void>): Promise<void> {
  const free = createSocketServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const listens = ['--listen=127.0.0.1', `--port=${port}`, '--export-all', '--verbose', `--base-path=${dir}/..`];
  const args = ['daemon', ...listens, ...options];
  // As it is elsewhere: our own settings let nothing move refs but the server.
  const env = { ...gitEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null' };
  const daemon = spawn('git', args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  try {
    await once(daemon.stderr, 'data');
    await use(`git://127.0.0.1:${port}/${dir.split('/').at(-1)}`);
  } finally {
    process.kill(-daemon.pid!, 'SIGKILL');
  }
}

test('over the protocol of git', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  await withDaemon(pair.from.dir, [], async (url) => {
    const done = await pair.follow({ url });
    assert.equal(done.last_error, null);
    assert.deepEqual(pair.refs(pair.to), pair.refs(pair.from));
  });
});

test('is pushed to over the protocol of git', async (t) => {
  const pair = await MirrorPair.make(app);
  const sha = pair.from.commit('main', { a: '1' });
  const there = gitFixture(t);
  await withDaemon(there.dir, ['--enable=receive-pack'], async (url) => {
    const path = `/projects/${pair.source.id}/remote_mirrors`;
    const json = { url, enabled: true };
    const { id } = expectStatus<{ id: number }>(await app.post(path, { json }), 201);
    expectStatus(await app.post(`${path}/${id}/sync`), 204);
    await app.drain();
    const { last_error } = expectStatus<{ last_error: unknown }>(await app.get(`${path}/${id}`), 200);
    assert.equal(last_error, null);
    assert.equal(there.git(['rev-parse', 'refs/heads/main']), sha);
  });
});

test('a redirect is not followed', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  const asked: unknown[] = [];
  const target = `${pair.plain}/info/refs?service=git-upload-pack`;
  const redirect: RequestListener = (request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: target }).end();
  };
  await withServer(redirect, async (url) => {
    assert.match(String((await pair.follow({ url })).last_error), /^The remote server answered with a redirect/);
    assert.equal(asked.length, 1);
  });
});

test('a host that stands for an address inside by the time it is used is not connected to', async () => {
  const guarded = await buildTestApp();
  const asked: unknown[] = [];
  try {
    const project = await guarded.make.project();
    const path = `/projects/${project.id}/mirror/pull`;
    await withServer(
      (request, response) => {
        asked.push(request.url);
        response.end();
      },
      async (url) => {
        expectStatus(await guarded.put(path, { json: { enabled: true, url: 'https://1.1.1.1:4433/x.git' } }), 200);
        await guarded.deps.db
          .updateTable('projects')
          .set({ import_url: storedText(url) })
          .where('id', '=', project.id)
          .execute();
        await guarded.drain();
        const { last_error } = expectStatus(await guarded.get(path), 200);
        assert.equal(last_error, 'The address is blocked: Requests to localhost are not allowed');
        assert.deepEqual(asked, []);
      },
    );
  } finally {
    await guarded.close();
  }
});

test('more branches than any repository has are refused', async () => {
  const pair = await MirrorPair.make(app);
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write(`${packet('# service=git-upload-pack\n')}0000`);
    const capabilities = '\0side-band-64k ofs-delta agent=test';
    for (let block = 0; block < 110; block += 1) {
      const lines = Array.from({ length: 1_000 }, (_, index) => {
        const name = `refs/heads/b${block}-${index}`;
        return packet(`${'1'.repeat(40)} ${name}${block + index === 0 ? capabilities : ''}\n`);
      });
      response.write(lines.join(''));
    }
    response.end('0000');
  };
  await withServer(endless, async (url) => {
    assert.match(
      String((await pair.follow({ url })).last_error),
      /has more branches and tags than this server accepts/,
    );
  });
});

test('a pack that is larger than a push may be is refused, and leaves nothing', async () => {
  const pair = await MirrorPair.make(small);
  const noise = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('\n');
  pair.from.commit('main', { noise });
  assert.match(String((await pair.follow()).last_error), /is larger than this server accepts/);
  assert.deepEqual(pair.refs(pair.to), ['']);
  const left = await readdir(join(pair.to.dir, 'objects'), { recursive: true });
  assert.deepEqual(
    left.filter((name) => name.includes('tmp_') || name.includes('pack-')),
    [],
  );
});

test('a server that is not there is told from one that does not know the repository', async () => {
  const pair = await MirrorPair.make(app);
  const missing = await pair.follow({ url: pair.plain.replace(/[^/]+$/, 'none.git') });
  assert.match(String(missing.last_error), /refused the credentials|was not found/);
  const closed = await pair.follow({ url: `${await closedAddress()}/x.git` });
  assert.match(String(closed.last_error), /could not be reached/);
});

test('a server that takes a connection and says nothing is not waited for', async () => {
  const sockets = new Set<Socket>();
  const silent = createSocketServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    // As much as shows that somebody is there.
    if (sockets.size === 2) socket.write('004');
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  try {
    const { port } = silent.address() as AddressInfo;
    const source = { url: `git://127.0.0.1:${port}/x.git`, addresses: ['127.0.0.1'] };
    for (let round = 0; round < 2; round += 1) {
      const { failure } = await runRemote(source, (url) => ['ls-remote', url], { stallMs: 300 });
      assert.equal(failure, 'stalled');
    }
    assert.equal(sockets.size, 2);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('progress keeps a fetch alive, and hides no reason', async () => {
  assert.equal(
    remoteFailure('remote: Counting objects: 5, done.\nReceiving objects: 100% (5/5), done.\n', 1),
    'failed',
  );
  const cut =
    'remote: Total 3 (delta 0), reused 0\nReceiving objects:  33% (1/3)\nfatal: fetch-pack: invalid index-pack output\n';
  assert.equal(remoteFailure(cut, 128), 'too_large');
  const child = await spawnGit(
    ['-c', 'alias.x=!for i in 1 2 3 4 5; do sleep 0.2; printf "%s\\r" "$i" >&2; done; echo end >&2', 'x'],
    {
      stallMs: 700,
    },
  );
  child.stdin.end();
  assert.deepEqual(await child.done, { code: 0, stderr: 'end\n', killed: null });
});
