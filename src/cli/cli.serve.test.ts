import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../../test/support/api-client.ts';
import { temporaryFolder } from '../../test/support/git-fixture.ts';
import { runProgram } from '../../test/support/stithy-command.ts';

const PROGRAM = resolve(import.meta.dirname, '../../bin/stithy.js');
const TOKEN = 'glpat-known-beforehand';

interface Ready {
  url: string;
  token: string;
  ssh: string | null;
  pid: number;
}

/** Starts `stithy serve` as a script does. */
function serve(t: TestContext, tmp: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      TMPDIR: tmp,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  return { child, output };
}

async function until(good: () => boolean, child: ChildProcess): Promise<void> {
  while (!good()) {
    assert.equal(child.exitCode, null, 'the server ended');
    await sleep(10);
  }
}

const dataFolders = async (tmp: string) => (await readdir(tmp)).filter((name) => name.startsWith('stithy-ephemeral-'));

test('a script reads one line, and an ephemeral server leaves nothing', async (t) => {
  const tmp = temporaryFolder(t);
  const file = join(tmp, 'ready.json');
  const args = ['--port', '0', '--ssh-port', '0', '--ephemeral', '--bench', '--plan', 'free', '--token', TOKEN];
  const { child, output } = serve(t, tmp, [...args, '--json', '--ready-file', file], { STITHY_PLAN: 'ultimate' });
  await until(() => output.stdout.endsWith('\n'), child);
  const ready = JSON.parse(output.stdout) as Ready;
  assert.deepEqual(Object.keys(ready), ['url', 'token', 'ssh', 'pid']);
  assert.deepEqual([ready.token, ready.pid], [TOKEN, child.pid]);
  assert.match(ready.ssh!, /^ssh:\/\/git@127\.0\.0\.1:\d+$/);
  assert.equal(readFileSync(file, 'utf8'), output.stdout);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const api = apiClient(ready.url, TOKEN);
  assert.equal((await api('GET', '/license')).status, 200);
  const bench = await fetch(`${ready.url}/-/bench/clock`, { headers: { 'private-token': TOKEN } });
  assert.equal(bench.status, 200);
  assert.equal((await api('POST', '/projects', { name: 'x', initialize_with_readme: true })).status, 201);
  const [folder] = await dataFolders(tmp);
  assert.match(readFileSync(join(tmp, folder!, 'gitconfig'), 'utf8'), /fsync = none/);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.deepEqual([await dataFolders(tmp), existsSync(file)], [[], false]);
  assert.equal(output.stdout.split('\n').length, 2);
  assert.match(output.stderr, /"message":"request"/);
});

test('what a killed ephemeral server left goes at the next start', async (t) => {
  const tmp = temporaryFolder(t);
  const args = ['--port', '0', '--ephemeral', '--json'];
  const first = serve(t, tmp, args);
  await until(() => first.output.stdout.endsWith('\n'), first.child);
  assert.match((JSON.parse(first.output.stdout) as Ready).token, /^glpat-/);
  const left = await dataFolders(tmp);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  assert.deepEqual(await dataFolders(tmp), left);
  const second = serve(t, tmp, args);
  await until(() => second.output.stdout.endsWith('\n'), second.child);
  const now = await dataFolders(tmp);
  assert.equal(now.length, 1);
  assert.notDeepEqual(now, left);
});

test('a ready file that cannot be written, and values that cannot be used, end the start and name the option', async (t) => {
  const tmp = temporaryFolder(t);
  const env = { TMPDIR: tmp };
  const unwritable = await runProgram(['serve', '--port', '0', '--ephemeral', '--ready-file', '/proc/none/x'], env);
  assert.equal(unwritable.code, 2);
  assert.match(unwritable.stderr, /^stithy: The file \/proc\/none\/x of --ready-file cannot be written/m);
  assert.deepEqual(await dataFolders(tmp), []);
  const gold = await runProgram(['serve', '--ephemeral', '--plan', 'gold'], env);
  assert.match(gold.stderr, /^stithy: --plan \(STITHY_PLAN\) must be one of free, premium, ultimate, not "gold"\.\n$/);
});
