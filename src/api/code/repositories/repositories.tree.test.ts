import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Entry = { id: string; name: string; type: string; path: string; mode: string };
let app: TestApp;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { 'README.md': '# hi\n', 'docs/a.md': 'a', 'docs/deep/b.md': 'b', '-h': 'dash', 'src/x.ts': '1' });
  git.commit('other/branch', { only: 'here' });
  git.run(['tag', 'v1', 'other/branch']);
});
after(() => app.close());

const at = (of: Project = project) => `/projects/${of.id}/repository/tree`;
const paths = (entries: readonly Entry[]) => entries.map(({ path }) => path);
const list = async (query: Record<string, string | number | boolean>) =>
  expectStatus<Entry[]>(await app.get(at(), { query }), 200);

test('GET tree lists folders before files, with id, type and mode', async () => {
  const response = await app.get(at());
  const entries = expectStatus<Entry[]>(response, 200);
  assert.deepEqual(paths(entries), ['docs', 'src', '-h', 'README.md']);
  assert.deepEqual(entries[0], {
    id: git.run(['rev-parse', 'main:docs']),
    name: 'docs',
    type: 'tree',
    path: 'docs',
    mode: '040000',
  });
  assert.equal(entries[3]!.mode, '100644');
  assert.equal(response.headers['x-total'], '4');
});

test('GET tree takes a branch, a tag or a commit, and a folder', async () => {
  for (const ref of ['other/branch', 'v1', 'refs/heads/other/branch', git.run(['rev-parse', 'v1'])]) {
    assert.deepEqual(paths(await list({ ref })), ['only'], ref);
  }
  for (const path of ['docs', 'docs/', '/docs']) {
    const entries = await list({ path });
    assert.deepEqual(paths(entries), ['docs/deep', 'docs/a.md']);
    assert.equal(entries[1]!.name, 'a.md');
  }
});

test('GET tree lists all levels with recursive', async () => {
  assert.deepEqual(paths(await list({ recursive: true })), [
    'docs',
    'docs/deep',
    'src',
    '-h',
    'README.md',
    'docs/a.md',
    'docs/deep/b.md',
    'src/x.ts',
  ]);
  assert.deepEqual(paths(await list({ recursive: true, path: 'docs' })), ['docs/deep', 'docs/a.md', 'docs/deep/b.md']);
});

test('GET tree pages by number, with totals', async () => {
  const response = await app.get(at(), { query: { recursive: true, per_page: 3, page: 2 } });
  assert.deepEqual(paths(expectStatus<Entry[]>(response, 200)), ['-h', 'README.md', 'docs/a.md']);
  assert.equal(response.headers['x-total'], '8');
  assert.equal(response.headers['x-next-page'], '3');
});

test('GET tree pages by keyset, also past files of the same content', async () => {
  const twins = await app.make.project({ visibility: 'public' });
  new ProjectGit(app, twins).commit('main', { a: 'same', b: 'same', c: 'same', d: 'same', e: 'same' });
  const seen: string[] = [];
  let query = '?pagination=keyset&per_page=2';
  for (let page = 0; page < 4 && query !== ''; page += 1) {
    const response = await app.get(`${at(twins)}${query}`);
    seen.push(...paths(expectStatus<Entry[]>(response, 200)));
    assert.equal(response.headers['x-total'], undefined);
    query = /\?[^>]*/.exec(String(response.headers.link ?? ''))?.[0] ?? '';
  }
  assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e']);
  assert.equal(query, '');
});

test('GET tree takes the id of an entry as page_token and refuses other texts', async () => {
  const id = git.run(['rev-parse', 'main:src']);
  assert.deepEqual(paths(await list({ pagination: 'keyset', page_token: id })), ['-h', 'README.md']);
  const response = await app.get(at(), { query: { pagination: 'keyset', page_token: 'nonsense' } });
  assert.equal(expectStatus(response, 400).message, 'page_token is invalid');
});

test('GET tree gives all with pagination none, which needs recursive', async () => {
  const response = await app.get(at(), { query: { recursive: true, pagination: 'none', per_page: 1 } });
  assert.equal(expectStatus<Entry[]>(response, 200).length, 8);
  assert.equal(response.headers['x-page'], undefined);
  const refusal = expectStatus(await app.get(at(), { query: { pagination: 'none' } }), 400);
  assert.equal(refusal.message, 'pagination cannot be "none" unless "recursive" is true');
  assert.equal(
    expectStatus(await app.get(at(), { query: { pagination: 'other' } }), 400).message,
    'pagination does not have a valid value',
  );
});

test('GET tree tells an unknown revision from an unknown folder', async () => {
  const missing = [`--help`, '--output=/tmp/x', 'nope', 'main..other/branch', '@{-1}', ':/x', 'a\nb', '../..'];
  for (const ref of missing) {
    assert.equal(expectStatus(await app.get(at(), { query: { ref } }), 404).message, '404 Tree Not Found', ref);
  }
  for (const path of ['-r', 'nope', 'README.md', '../..', 'docs/../src', './docs', '/etc/passwd', 'docs//deep', '*']) {
    const { message } = expectStatus(await app.get(at(), { query: { path } }), 404);
    assert.equal(message, '404 invalid revision or path Not Found', path);
  }
  const empty = await app.make.project();
  assert.equal(expectStatus(await app.get(at(empty)), 404).message, '404 Tree Not Found');
});

test('GET tree shows names that are no UTF-8 or hold line feeds', async () => {
  const odd = await app.make.project({ visibility: 'public' });
  const oddGit = new ProjectGit(app, odd);
  const blob = oddGit.run(['hash-object', '-w', '--stdin'], 'x');
  const record = (name: Buffer) => Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from([0])]);
  const names = [Buffer.from([0x6e, 0xe4]), Buffer.from('line\nfeed'), Buffer.from('-p'), Buffer.from('"quoted"')];
  const tree = oddGit.run(['mktree', '-z'], Buffer.concat(names.map(record)));
  oddGit.run(['update-ref', 'refs/heads/main', oddGit.run(['commit-tree', tree, '-m', 'odd'])]);
  for (const recursive of [false, true]) {
    const response = await app.get(at(odd), { query: { recursive, pagination: 'keyset', per_page: 3 } });
    const entries = expectStatus<Entry[]>(response, 200);
    assert.deepEqual(paths(entries), ['"quoted"', '-p', 'line\nfeed']);
    const next = /\?[^>]*/.exec(String(response.headers.link))![0];
    assert.deepEqual(paths(expectStatus<Entry[]>(await app.get(`${at(odd)}${next}`), 200)), ['n\ufffd']);
  }
});

test('GET tree follows visibility and roles', async () => {
  expectStatus(await app.get(at(), { token: null }), 200);
  const closed = await app.make.project();
  new ProjectGit(app, closed).commit('main', { a: '1' });
  const users = await app.make.members(closed);
  assert.equal(expectStatus(await app.get(at(closed), { token: null }), 404).message, '404 Project Not Found');
  expectStatus(await app.get(at(closed), { token: users.stranger.token }), 404);
  expectStatus(await app.get(at(closed), { token: users.guest.token }), 403);
  for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
    expectStatus(await app.get(at(closed), { token: users[name].token }), 200);
  }
  const readRepository = await app.make.token(users.reporter.user.id, ['read_repository']);
  expectStatus(await app.get(at(closed), { token: readRepository }), 403);
  const readUser = await app.make.token(users.reporter.user.id, ['read_user']);
  expectStatus(await app.get(at(closed), { token: readUser }), 403);
  const members = await app.make.project({ visibility: 'public', columns: { repository_access_level: 'private' } });
  expectStatus(await app.get(at(members), { token: null }), 404);
});
