import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../support/api-client.ts';
import { type ServerProcess, startServer, whileServing } from '../support/server-process.ts';

const TOKEN = 'glpat-process-test-token-0000';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-e2e-'));
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

describe('a data folder', () => {
  test('of an earlier run opens again, with everything in it, and no token is shown a second time', async () => {
    let token = '';
    await withServer('again', {}, async (server) => {
      token = /token (\S+) +\(shown this once\)/.exec(server.greeting)?.[1] ?? '';
      assert.match(token, /^glpat-/);
      const call = apiClient(server.url, token);
      const made = await call('POST', '/projects', { path: 'kept', initialize_with_readme: true });
      assert.equal(made.status, 201, made.text);
      assert.equal(await server.stop(), 0);
    });
    await withServer('again', {}, async (server) => {
      assert.doesNotMatch(server.greeting, /shown this once|glpat-/);
      const call = apiClient(server.url, token);
      const raw = await call('GET', '/projects/root%2Fkept/repository/files/README.md/raw');
      assert.equal(raw.status, 200);
      assert.match(raw.text, /kept/);
      assert.equal(await server.stop(), 0);
    });
  });

  test('takes one server at a time, and the next one as soon as the first is killed', async () => {
    const settings = { STITHY_ROOT_TOKEN: TOKEN };
    await withServer('single', settings, async (server) => {
      const second = startServer({ dataDir: join(folder, 'single'), settings });
      await assert.rejects(second, /Another server runs on .*single/);
      assert.equal((await apiClient(server.url, TOKEN)('GET', '/user')).status, 200);
      await server.kill();
      await withServer('single', settings, async (next) => {
        assert.equal((await apiClient(next.url, TOKEN)('GET', '/user')).status, 200);
      });
    });
  });

  test('takes one server at a time whatever their databases, and belongs to one database', async () => {
    await withServer('bound', { STITHY_ROOT_TOKEN: TOKEN }, async (server) => {
      const other = { STITHY_ROOT_TOKEN: TOKEN, STITHY_DATABASE_URL: 'sqlite:other.db' };
      const second = startServer({ dataDir: join(folder, 'bound'), settings: other });
      await assert.rejects(second, /Another server, with a different database, uses the folder .*bound/);
      await server.kill();
      const later = startServer({ dataDir: join(folder, 'bound'), settings: other });
      await assert.rejects(later, /folder .*bound belongs to another database/);
    });
  });

  test('is for its owner alone', async () => {
    mkdirSync(join(folder, 'open'), { mode: 0o755 });
    await withServer('open', { STITHY_ROOT_TOKEN: TOKEN }, async (server) => {
      const call = apiClient(server.url, TOKEN);
      assert.equal((await call('POST', '/projects', { path: 'p', initialize_with_readme: true })).status, 201);
      const entries = readdirSync(join(folder, 'open'), { recursive: true, withFileTypes: true });
      const open = entries.filter((entry) => statSync(join(entry.parentPath, entry.name)).mode & 0o077);
      assert.deepEqual(
        open.map((entry) => join(entry.parentPath, entry.name)),
        [],
      );
      assert.ok(entries.some(({ name }) => name === 'stithy.db-wal'));
      assert.equal(statSync(join(folder, 'open')).mode & 0o777, 0o700);
    });
  });

  test('holds no token in readable form', async () => {
    await withServer('secret', { STITHY_ROOT_TOKEN: TOKEN }, async (server) => {
      assert.equal((await apiClient(server.url, TOKEN)('GET', '/user')).status, 200);
      assert.equal(await server.stop(), 0);
    });
    assert.equal(readFileSync(join(folder, 'secret/stithy.db')).includes(TOKEN), false);
  });
});

test('the server bounds its memory unless operators set the limits, and its children do not inherit them', async () => {
  const settingsOf = (pid: number | string) =>
    readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .filter((line) => line.startsWith('MALLOC_'))
      .sort();
  const optionsOf = (pid: number) =>
    readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      .split('\0')
      .filter((word) => word.startsWith('--max-semi'));
  const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  for (const arenas of ['1', '2']) {
    const isSet = arenas === '2';
    const settings: Record<string, string> = isSet
      ? { MALLOC_ARENA_MAX: arenas, NODE_OPTIONS: '--max-semi-space-size=6' }
      : {};
    await withServer(`pool-${arenas}`, settings, async ({ child }) => {
      assert.deepEqual(settingsOf(child.pid!), [`MALLOC_ARENA_MAX=${arenas}`, 'MALLOC_TRIM_THRESHOLD_=4194304']);
      assert.deepEqual(optionsOf(child.pid!), isSet ? [] : ['--max-semi-space-size=4']);
      await until(async () => childrenOf(child.pid!) !== '');
      const [first] = childrenOf(child.pid!).split(' ');
      assert.deepEqual(settingsOf(first!), []);
    });
  }
});

test('a failure that reaches nobody is logged, and ends the server for nobody', async () => {
  const fails = `if (process.argv.includes('serve')) process.on('SIGUSR2', () => {
    Promise.reject(new Error('nobody waits for this'));
    Promise.reject(undefined);
  });`;
  const logFile = join(folder, 'stray.log');
  const server = await startServer({
    dataDir: join(folder, 'stray'),
    settings: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fails)}` },
    logFile,
  });
  try {
    server.child.kill('SIGUSR2');
    const lines = () => readFileSync(logFile, 'utf8').match(/.*unhandled rejection.*\n/g) ?? [];
    await until(async () => lines().length === 2 || server.child.exitCode !== null);
    assert.equal(server.child.exitCode, null);
    assert.match(lines()[0]!, /"error":"nobody waits for this"/);
    assert.equal((await fetch(`${server.url}/-/health`)).status, 200);
  } finally {
    await server.kill();
  }
});

test('what a git process of a killed server still writes while the next one starts is removed, too', {
  skip: !existsSync('/proc/self/environ'),
}, async () => {
  let project = 0;
  const commit = async ({ url }: ServerProcess, path: string) => {
    const action = { action: 'create', file_path: path, content: path };
    const json = { branch: 'main', commit_message: path, actions: [action] };
    return apiClient(url, TOKEN)('POST', `/projects/${project}/repository/commits`, json);
  };
  await withServer('orphans', { STITHY_ROOT_TOKEN: TOKEN }, async (server) => {
    const made = await apiClient(server.url, TOKEN)<{ id: number }>('POST', '/projects', { path: 'orphans' });
    project = made.body.id;
    assert.equal((await commit(server, 'a')).status, 201);
  });
  const hashed = join(folder, 'orphans', 'repositories');
  const inside = readdirSync(hashed, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.git'))!;
  const dir = join(hashed, inside);
  // It holds the branch, and writes on for half a second after it was told to end.
  const script = `
    const { mkdirSync, writeFileSync } = require('node:fs');
    mkdirSync('objects/tmp_objdir-incoming-x', { recursive: true });
    const write = () => { writeFileSync('refs/heads/main.lock', ''); writeFileSync('objects/tmp_objdir-incoming-x/' + Date.now(), ''); };
    setInterval(write, 5);
    process.on('SIGTERM', () => setTimeout(() => process.exit(), 500));
    write();
    process.stdout.write('writes');`;
  const env = { PATH: process.env.PATH!, HOME: '/nonexistent', GIT_NO_REPLACE_OBJECTS: '1' };
  const orphan = spawn(process.execPath, ['-e', script], { cwd: dir, env, detached: true });
  const ended = once(orphan, 'exit');
  try {
    await once(orphan.stdout, 'data');
    await withServer('orphans', {}, async (server) => {
      await ended;
      assert.equal((await commit(server, 'b')).status, 201);
      await until(async () => !readdirSync(join(dir, 'objects')).some((name) => name.startsWith('tmp_')));
    });
  } finally {
    orphan.kill('SIGKILL');
  }
});
