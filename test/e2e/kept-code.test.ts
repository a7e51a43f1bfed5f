import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient } from '../support/api-client.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const TOKEN = 'glpat-kept-code-test-token-00';
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-kept-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Starts a server, makes calls that have to succeed, and stops it. */
async function serve(...calls: readonly (readonly [method: string, path: string, body?: unknown])[]): Promise<void> {
  const server: ServerProcess = await startServer({
    dataDir: join(folder, 'data'),
    settings: { STITHY_ROOT_TOKEN: TOKEN, NODE_COMPILE_CACHE: join(folder, 'cache') },
  });
  try {
    const call = apiClient(server.url, TOKEN);
    for (const [method, path, body] of calls) {
      const answer = await call(method, path, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    }
    assert.equal(await server.stop(), 0);
  } finally {
    await server.kill();
  }
}

/** The files of kept code, that of the bundle's first file at first. */
async function cacheFiles(): Promise<string[]> {
  const names = await readdir(join(folder, 'cache'), { recursive: true });
  const paths = names.filter((name) => /\bstithy-/.test(name)).map((name) => join(folder, 'cache', name));
  paths.sort((a, b) => Number(b.includes('stithy-main')) - Number(a.includes('stithy-main')));
  assert.match(paths[0] ?? '', /stithy-main\.cjs-[0-9a-f]+$/);
  assert.ok(paths.length > 3, names.join(', '));
  return paths;
}

const bytesOf = async (paths: readonly string[]): Promise<number> => {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};

test('code that was compiled is kept for the next start, and more of it once more was called', async () => {
  await serve(['GET', '/version']);
  const [main = ''] = await cacheFiles();
  for (const path of await cacheFiles()) assert.equal((await stat(path)).mode & 0o777, 0o600);
  let cached = await stat(main);
  // A run that lasts longer may come to more of its background work.
  for (let before = 0, tries = 0; cached.mtimeMs !== before; tries += 1) {
    assert.ok(tries < 10, 'it is kept anew after every run');
    before = cached.mtimeMs;
    await serve(['GET', '/version']);
    cached = await stat(main);
  }
  const size = await bytesOf(await cacheFiles());
  const made = { branch: 'main', commit_message: 'Add', content: 'x' };
  await serve(
    ['POST', '/projects', { path: 'tool', initialize_with_readme: true }],
    ['POST', '/projects/root%2Ftool/repository/files/a.txt', made],
    ['GET', '/projects/root%2Ftool/repository/commits?with_stats=true'],
    ['POST', '/projects/root%2Ftool/issues', { title: 'One' }],
    ['GET', '/projects/root%2Ftool/issues?labels=None&search=one'],
    ['GET', '/projects/root%2Ftool/merge_requests'],
    ['GET', '/groups'],
  );
  assert.ok((await bytesOf(await cacheFiles())) > size);
});

async function spoil(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.fill(0xff, Math.floor(bytes.length / 2));
  await writeFile(path, bytes);
}

test('kept code that is damaged, or that others can write, is not run but replaced', async () => {
  await serve(['GET', '/version']);
  for (const damage of [
    spoil,
    (path: string) => writeFile(path, ''),
    (path: string) => writeFile(path, 'four'),
    (path: string) => chmod(path, 0o622),
  ]) {
    const paths = await cacheFiles();
    for (const path of paths) await damage(path);
    const { ino } = await stat(paths[0]!);
    await serve(['GET', '/version']);
    const replaced = await stat(paths[0]!);
    assert.notEqual(replaced.ino, ino);
    assert.equal(replaced.mode & 0o777, 0o600);
  }
});
