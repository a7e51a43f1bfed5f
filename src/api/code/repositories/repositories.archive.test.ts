import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { gitChildren } from '../../../../test/support/git-fixture.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let head: string;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ path: 'garden', visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('feature/ä', { only: '1' });
  head = git.commit('main', { 'README.md': '# hi\n', 'docs/a.md': 'a', 'docs/deep/b.md': 'b' });
});
after(() => app.close());

const at = (suffix = '', of: Project = project) => `/projects/${of.id}/repository/archive${suffix}`;
const names = (data: Buffer, flag: string) =>
  outputOf('tar', [`-t${flag}`], { input: data })
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('/'));

test('GET archive gives tar.gz with the files below a folder named after project, ref and commit', async () => {
  const response = await app.get(at());
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/gzip');
  const folder = `garden-main-${head}`;
  assert.match(String(response.headers['content-disposition']), new RegExp(`^attachment; filename="${folder}.tar.gz"`));
  assert.deepEqual(names(response.rawPayload, 'z'), [
    `${folder}/README.md`,
    `${folder}/docs/a.md`,
    `${folder}/docs/deep/b.md`,
  ]);
});

test('GET archive.:format gives every documented form, twice the same bytes', async () => {
  const flags = {
    zip: '',
    tar: '',
    'tar.gz': 'z',
    tgz: 'z',
    gz: 'z',
    'tar.bz2': 'j',
    tbz: 'j',
    tbz2: 'j',
    tb2: 'j',
    bz2: 'j',
  };
  for (const [format, flag] of Object.entries(flags)) {
    const response = await app.get(at(`.${format}`));
    assert.equal(response.statusCode, 200, format);
    assert.ok(response.rawPayload.equals((await app.get(at(), { query: { format } })).rawPayload), format);
    if (format === 'zip') assert.equal(response.rawPayload.toString('latin1', 0, 2), 'PK');
    else assert.equal(names(response.rawPayload, flag).length, 3, format);
  }
});

test('GET archive takes sha, path and exclude_paths', async () => {
  const ref = await app.get(at('.tar'), { query: { sha: 'feature/ä' } });
  const folder = `garden-feature-ä-${git.run(['rev-parse', 'feature/ä'])}`;
  assert.deepEqual(
    outputOf('tar', ['-t', '--quoting-style=literal'], { input: ref.rawPayload }).toString(),
    `${folder}/\n${folder}/only\n`,
  );
  const path = await app.get(at('.tar'), { query: { path: 'docs/deep/' } });
  assert.deepEqual(names(path.rawPayload, ''), [`garden-main-${head}-docs-deep/docs/deep/b.md`]);
  const rest = await app.get(at('.tar'), { query: { exclude_paths: 'docs/deep,README.md' } });
  assert.deepEqual(names(rest.rawPayload, ''), [`garden-main-${head}/docs/a.md`]);
});

test('GET archive answers its tag with 304, which differs by content', async () => {
  const first = await app.get(at('.zip'));
  const etag = String(first.headers.etag);
  const again = await app.get(at('.zip'), { headers: { 'if-none-match': etag } });
  assert.equal(again.statusCode, 304);
  assert.equal(again.rawPayload.length, 0);
  for (const query of ['path=docs', 'exclude_paths=docs', 'sha=feature%2F%C3%A4']) {
    assert.notEqual((await app.get(at(`.zip?${query}`))).headers.etag, etag);
  }
});

test('HEAD archive answers headers alone', async () => {
  const response = await app.head(at('.zip'));
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/zip');
  assert.equal(response.headers['content-length'], undefined);
  assert.equal(response.rawPayload.length, 0);
});

test('GET archive refuses unknown formats, commits and paths', async () => {
  for (const suffix of ['.rar', '.tar.xz', '.', '?format=exe']) {
    assert.equal(expectStatus(await app.get(at(suffix)), 406).message, '406 Not Acceptable', suffix);
  }
  for (const sha of ['nope', '--output=/tmp/stithy-archive', '--remote=x', 'f'.repeat(40), 'main:docs', 'a\nb']) {
    assert.equal(expectStatus(await app.get(at(), { query: { sha } }), 404).message, '404 File Not Found', sha);
  }
  for (const path of ['nope', '../..', '-x', '--output=/tmp/stithy-archive', ':(glob)**', 'docs/../docs', 'd*']) {
    assert.equal(expectStatus(await app.get(at(), { query: { path } }), 404).message, '404 File Not Found', path);
  }
  assert.equal(existsSync('/tmp/stithy-archive'), false);
  expectStatus(await app.get(at('', await app.make.project())), 404);
});

test('GET archive follows visibility and roles', async () => {
  assert.equal((await app.get(at(), { token: null })).statusCode, 200);
  const closed = await app.make.project({ path: 'closed' });
  new ProjectGit(app, closed).commit('main', { a: '1' });
  const users = await app.make.members(closed);
  expectStatus(await app.get(at('', closed), { token: null }), 404);
  expectStatus(await app.get(at('.zip', closed), { token: users.stranger.token }), 404);
  expectStatus(await app.get(at('.zip', closed), { token: users.guest.token }), 403);
  for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
    assert.equal((await app.get(at('.zip', closed), { token: users[name].token })).statusCode, 200, name);
  }
});

test('a client that goes away in the middle of an archive leaves no git process behind', async () => {
  const large = await app.make.project({ visibility: 'public' });
  const largeGit = new ProjectGit(app, large);
  const blob = largeGit.run(['hash-object', '-w', '--stdin'], Buffer.alloc(64 * 1024 * 1024));
  const tree = largeGit.run(['mktree'], Array.from({ length: 40 }, (_, n) => `100644 blob ${blob}\tf${n}`).join('\n'));
  largeGit.run(['update-ref', 'refs/heads/main', largeGit.run(['commit-tree', tree, '-m', 'large'])]);
  const url = await app.listen();
  const abort = new AbortController();
  const response = await fetch(`${url}/api/v4${at('.tar', large)}`, { signal: abort.signal });
  assert.equal(response.status, 200);
  await response.body!.getReader().read();
  const archiving = () => gitChildren(largeGit.dir).length;
  const before = archiving();
  assert.ok(before > 0);
  abort.abort();
  while (archiving() >= before) await new Promise((resolve) => setTimeout(resolve, 20));
});
