import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { after, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp, TestClock } from '../../test/support/app.ts';
import { runCommand } from '../../test/support/stithy-command.ts';

const WIDE = resolve(import.meta.dirname, '../../test/fixtures/wide.seed.yml');

const open: TestApp[] = [];
after(async () => {
  for (const app of open) await app.close();
});

async function seeded(file: string): Promise<{ app: TestApp; url: string }> {
  const app = await buildTestApp({ clock: new TestClock(), settings: { STITHY_BENCH: '1' } });
  open.push(app);
  const url = await app.listen();
  const result = await runCommand(['seed', file, '--url', url, '--token', ROOT_TOKEN], {});
  assert.match(result.stdout + result.stderr, /^Made .*merge requests/);
  return { app, url };
}

async function exported(url: string, file: string): Promise<string> {
  const result = await runCommand(['export-seed', file, '--url', url, '--token', ROOT_TOKEN], {});
  assert.equal(result.stdout + result.stderr, `Wrote ${file}.\n`);
  return readFile(file, 'utf8');
}

test('what a seed has made, export-seed writes, and a server made of that is the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
  const file = join(folder, 'a.yml');
  try {
    const first = await seeded(WIDE);
    // As people name files: from where they are.
    const text = await exported(first.url, relative(process.cwd(), file));
    const second = await seeded(file);
    assert.equal(await exported(second.url, file), text);
    for (const path of ['/projects/1/repository/commits?all=true', '/projects/1/repository/branches'])
      assert.equal(
        (await second.app.get(path)).body,
        (await first.app.get(path)).body.replaceAll(first.url, second.url),
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('only an administrator exports, and the server must be there', async () => {
  const app = await buildTestApp();
  try {
    const url = await app.listen();
    const { token } = await app.make.user();
    const run = (...args: string[]) => runCommand(['export-seed', join(tmpdir(), 'none.yml'), ...args], {});
    assert.match((await run('--url', url, '--token', token)).stderr, /must be that of an administrator/);
    assert.match((await run('--url', url, '--token', 'x')).stderr, /refuses the token/);
    assert.equal((await run('--token', token)).code, 2);
    assert.match((await run('--url', 'http://127.0.0.1:1', '--token', token)).stderr, /no server answers/);
  } finally {
    await app.close();
  }
});
