import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import { commitToWiki, page } from '../../../../test/support/wikis.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function unpack(t: TestContext, tar: Buffer): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'stithy-snapshot-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  outputOf('tar', ['-xf', '-', '-C', dir], { input: tar });
  return dir;
}

const git = (dir: string, ...args: string[]) => outputOf('git', [`--git-dir=${dir}`, ...args]).toString();

test('a snapshot is a bare repository with every ref and object, loose or packed', async (t) => {
  const { project, git: source, side } = await seededProject(app, t);
  source.git(['update-ref', 'refs/keep-around/x', side]);
  source.git(['tag', '-a', '-m', 'v1', 'v1', 'main']);
  source.git(['repack', '-d']);
  const later = source.commit({ 'later.txt': 'x'.repeat(5_000) }, [side], 'later\n');
  source.git(['update-ref', 'refs/heads/größe', later]);
  source.git(['config', 'remote.origin.url', 'https://user:secret@example.com/x.git']);
  const response = await app.get(`/projects/${project.id}/snapshot`);
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/x-tar');
  const dir = await unpack(t, response.rawPayload);
  assert.equal(git(dir, 'for-each-ref').trim(), source.git(['for-each-ref']));
  assert.equal(git(dir, 'rev-parse', 'HEAD').trim(), source.git(['rev-parse', 'main']));
  git(dir, 'fsck', '--strict');
  assert.deepEqual((await readdir(dir)).toSorted(), ['HEAD', 'config', 'objects', 'packed-refs', 'refs']);
  assert.doesNotMatch(await readFile(join(dir, 'config'), 'utf8'), /secret|remote/);
});

test('an empty repository has a snapshot, too; a wiki without a repository has none', async (t) => {
  const project = await app.make.project();
  const dir = await unpack(t, (await app.get(`/projects/${project.id}/snapshot`)).rawPayload);
  assert.equal(git(dir, 'for-each-ref'), '');
  assert.equal(git(dir, 'rev-parse', '--is-bare-repository').trim(), 'true');
  const query = { wiki: true };
  expectStatus(await app.get(`/projects/${project.id}/snapshot`, { query }), 404);
  const { oid } = await commitToWiki(app, { type: 'project', id: project.id }, [page('home.md')]);
  const ofWiki = await unpack(t, (await app.get(`/projects/${project.id}/snapshot`, { query })).rawPayload);
  assert.match(git(ofWiki, 'show-ref'), new RegExp(`^${oid} refs/heads/main`));
});

test('administrators alone have snapshots', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const users = await app.make.members(project);
  const path = `/projects/${project.id}/snapshot`;
  expectStatus(await app.get(path, { token: null }), 401);
  for (const { token } of Object.values(users)) expectStatus(await app.get(path, { token }), 403);
  expectStatus(await app.get('/projects/999999/snapshot'), 404);
});

test('a client that leaves closes the files of its snapshot', async (t) => {
  const { project, git: source, head } = await seededProject(app, t);
  const blob = source.git(['hash-object', '-w', '--stdin'], randomText(8_000_000));
  const tree = source.git(['mktree'], `100644 blob ${blob}\tbig\n`);
  source.git(['update-ref', 'refs/heads/big', source.git(['commit-tree', tree, '-p', head, '-m', 'big'])]);
  const url = await app.listen();
  const openFiles = async () => {
    const names = await readdir('/proc/self/fd');
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return targets.filter((target) => target.includes(blob.slice(2)));
  };
  const controller = new AbortController();
  const response = await fetch(`${url}/api/v4/projects/${project.id}/snapshot`, {
    headers: { 'private-token': ROOT_TOKEN },
    signal: controller.signal,
  });
  await response.body!.getReader().read();
  controller.abort();
  for (let tries = 0; (await openFiles()).length > 0 && tries < 600; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(await openFiles(), []);
});

/** A text that hardly compresses. */
function randomText(length: number): string {
  let state = 1;
  return Array.from({ length: length / 8 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state.toString(36).padStart(8, '0').slice(0, 8);
  }).join('');
}
