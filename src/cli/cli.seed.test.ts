import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { freshDatabase } from '../../test/support/databases.ts';
import { outputOf } from '../../test/support/fork-server.ts';
import { runCommand } from '../../test/support/stithy-command.ts';

let folder: string;
let app: TestApp;
let url: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  app = await buildTestApp({ settings: { STITHY_BENCH: '1' } });
  url = await app.listen();
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const remote = (file: string) => runCommand(['seed', file, '--url', url, '--token', ROOT_TOKEN], {});

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

test('what init writes works as it is, on a server that does not run', async () => {
  const file = join(folder, 'sample.yml');
  assert.equal((await runCommand(['init', file], {})).code, 0);
  const again = await runCommand(['init', file], {});
  assert.deepEqual([again.code, /it was kept/.test(again.stderr)], [2, true]);
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const database = await freshDatabase(dataDir);
  const settings: Record<string, string> = { STITHY_DATA_DIR: dataDir, STITHY_SYNC: 'off' };
  if (database.url !== null) settings.STITHY_DATABASE_URL = database.url;
  try {
    const first = await runCommand(['seed', file], settings);
    assert.match(first.stdout + first.stderr, /^Made 2 users, .*4 issues.* in [\d.]+ s\.\n$/);
    assert.equal(first.code, 0);
    assert.match((await runCommand(['seed', file], settings)).stdout, /^Nothing to do/);
  } finally {
    await database.drop();
  }
});

test('mistakes are printed with file and line, and the exit code is 1', async () => {
  const file = await fileOf('bad.yml', 'users:\n  - usrname: ada\n');
  for (const result of [
    await remote(file),
    await runCommand(['seed', file], { STITHY_DATA_DIR: join(folder, 'none') }),
  ]) {
    assert.equal(result.code, 1);
    assert.match(result.stderr, new RegExp(`^${file}:2: users\\[0\\]: username is missing\n`));
  }
  assert.match((await remote(join(folder, 'nothing.yml'))).stderr, /nothing\.yml:1: does not exist/);
});

test('a seed goes to a server that runs, with the repositories that it imports', async () => {
  const git = (...args: string[]) =>
    outputOf('git', ['-C', join(folder, 'origin'), ...args])
      .toString()
      .trim();
  outputOf('git', ['init', '-q', '-b', 'main', join(folder, 'origin')]);
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'First');
  git('tag', 'v1');
  const file = await fileOf('import.yml', 'projects:\n  - {path: taken, import: origin, issues: [One]}\n');
  const result = await remote(file);
  assert.match(result.stdout + result.stderr, /Made 1 projects, 1 issues/);
  const [commit] = expectStatus<{ id: string }[]>(await app.get('/projects/root%2Ftaken/repository/commits'), 200);
  assert.equal(commit!.id, git('rev-parse', 'HEAD'));
  assert.equal(expectStatus<unknown[]>(await app.get('/projects/root%2Ftaken/repository/tags'), 200).length, 1);
  const missing = await remote(await fileOf('missing.yml', 'projects:\n  - {path: gone, import: nowhere}\n'));
  assert.match(missing.stderr, /missing\.yml:2: projects\[0\]: import: there is no repository nowhere/);
});

test('a server without a test bench, a wrong token and no server are told apart', async () => {
  const file = await fileOf('empty.yml', 'users: []\n');
  const plain = await buildTestApp();
  try {
    const there = await plain.listen();
    assert.match((await runCommand(['seed', file, '--url', there, '--token', ROOT_TOKEN], {})).stderr, /no test bench/);
  } finally {
    await plain.close();
  }
  assert.match((await runCommand(['seed', file, '--url', url, '--token', 'x'], {})).stderr, /401/);
  assert.match(
    (await runCommand(['seed', file, '--url', 'http://127.0.0.1:1', '--token', 'x'], {})).stderr,
    /no server answers/,
  );
  assert.equal((await runCommand(['seed', file, '--url', url], {})).code, 2);
  assert.equal((await runCommand(['seed'], {})).code, 2);
});
