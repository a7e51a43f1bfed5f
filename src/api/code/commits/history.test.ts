import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
let app: TestApp;
let project: Project;
let git: ProjectGit;
let root: string;
let merge: string;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  root = git.commit('main', { 'a.txt': '1\n', gone: 'x\n' });
  git.commit('feature/x', { 'b.txt': 'b\n' }, { start: root });
  git.commit('main', { 'a.txt': '2\n', gone: null });
  merge = git.merge('main', [git.run(['rev-parse', 'main']), git.run(['rev-parse', 'feature/x'])], { 'b.txt': 'b\n' });
  git.run(['tag', 'v1', root]);
  git.run(['tag', '-a', 'v2', '-m', 'annotated', merge]);
});
after(() => app.close());

const at = (sha: string, rest: string, of: Project = project) =>
  `/projects/${of.id}/repository/commits/${encodeURIComponent(sha)}/${rest}`;

test('GET diff shows what a commit changed against its first parent', async () => {
  const [changed, removed] = expectStatus<Row[]>(await app.get(at('main~1', 'diff')), 200);
  assert.equal(changed!.diff, '@@ -1 +1 @@\n-1\n+2\n');
  assert.deepEqual([removed!.old_path, removed!.deleted_file, removed!.b_mode], ['gone', true, '0']);
  const ofMerge = expectStatus<Row[]>(await app.get(at(merge, 'diff')), 200);
  assert.deepEqual(
    ofMerge.map(({ new_path }) => new_path),
    ['b.txt'],
  );
  assert.equal(expectStatus<Row[]>(await app.get(at('v1', 'diff')), 200).length, 2);
});

test('GET diff takes branches, tags and short ids, and unidiff', async () => {
  for (const sha of ['feature/x', 'v2', root.slice(0, 8)]) expectStatus(await app.get(at(sha, 'diff')), 200);
  const [file] = expectStatus<Row[]>(await app.get(at('feature/x', 'diff?unidiff=true')), 200);
  assert.equal(file!.diff, '--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n');
});

test('GET diff pages by file', async () => {
  const response = await app.get(at(root, 'diff?per_page=1&page=2'));
  assert.deepEqual(
    expectStatus<Row[]>(response, 200).map(({ new_path }) => new_path),
    ['gone'],
  );
  assert.equal(response.headers['x-total'], '2');
});

test('GET diff shows renames, and names that are no UTF-8', async () => {
  const text = 'line\n'.repeat(50);
  git.commit('renames', { before: text }, { start: root });
  git.commit('renames', { before: null, after: text });
  const [renamed] = expectStatus<Row[]>(await app.get(at('renames', 'diff')), 200);
  assert.deepEqual([renamed!.old_path, renamed!.new_path, renamed!.renamed_file], ['before', 'after', true]);
  const blob = git.run(['hash-object', '-w', '--stdin'], 'x');
  const names = [Buffer.from([0x6e, 0xe4]), Buffer.from('l\nf')];
  const record = (name: Buffer) => Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from([0])]);
  const tree = git.run(['mktree', '-z'], Buffer.concat(names.map(record)));
  const oid = git.run(['commit-tree', tree, '-m', 'odd']);
  const odd = expectStatus<Row[]>(await app.get(at(oid, 'diff?unidiff=true')), 200);
  assert.deepEqual(
    odd.map(({ new_path }) => new_path),
    ['l\nf', 'n\ufffd'],
  );
});

test('GET refs lists branches, then tags, without totals', async () => {
  const response = await app.get(at(root, 'refs'));
  const refs = expectStatus<Row[]>(response, 200).map(({ type, name }) => `${type} ${name}`);
  assert.deepEqual(refs, ['branch feature/x', 'branch main', 'branch renames', 'tag v1', 'tag v2']);
  assert.equal(response.headers['x-total'], undefined);
  const names = async (query: string) =>
    expectStatus<Row[]>(await app.get(at(root, `refs?${query}`)), 200).map(({ name }) => name);
  assert.deepEqual(await names('type=tag'), ['v1', 'v2']);
  assert.deepEqual(await names('type=branch&per_page=2'), ['feature/x', 'main']);
  assert.deepEqual(await names('per_page=2&page=3'), ['v2']);
  expectStatus(await app.get(at(root, 'refs?type=other')), 400);
});

test('GET sequence counts commits', async () => {
  assert.deepEqual(expectStatus(await app.get(at('main', 'sequence')), 200), { count: 4 });
  assert.deepEqual(expectStatus(await app.get(at('main', 'sequence?first_parent=true')), 200), { count: 3 });
  assert.deepEqual(expectStatus(await app.get(at(root, 'sequence')), 200), { count: 1 });
});

test('GET merge_requests has none in a project without merge requests', async () => {
  const response = await app.get(at('main', 'merge_requests?state=merged'));
  assert.deepEqual(expectStatus<Row[]>(response, 200), []);
  assert.equal(response.headers['x-total'], '0');
  expectStatus(await app.get(at('main', 'merge_requests?state=draft')), 400);
});

test('what is no commit is 404', async () => {
  const blob = git.run(['rev-parse', 'main:a.txt']);
  const texts = ['nope', '--all', '-p', '--output=/tmp/x', 'f'.repeat(40), 'main..v1', 'main:a.txt', '@{-1}', blob];
  for (const sha of texts) {
    for (const rest of ['diff', 'refs', 'sequence', 'merge_requests']) {
      const { message } = expectStatus(await app.get(at(sha, rest)), 404);
      assert.equal(message, '404 Commit Not Found', `${sha} ${rest}`);
    }
  }
  const empty = await app.make.project();
  expectStatus(await app.get(at('HEAD', 'diff', empty)), 404);
});

test('diff, refs and sequence follow visibility and roles', async () => {
  const closed = await app.make.project();
  new ProjectGit(app, closed).commit('main', { a: '1' });
  const users = await app.make.members(closed);
  for (const rest of ['diff', 'refs', 'sequence', 'merge_requests']) {
    expectStatus(await app.get(at('main', rest), { token: null }), 200);
    const path = at('main', rest, closed);
    expectStatus(await app.get(path, { token: null }), 404);
    expectStatus(await app.get(path, { token: users.stranger.token }), 404);
    expectStatus(await app.get(path, { token: users.guest.token }), 403);
    for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
      expectStatus(await app.get(path, { token: users[name].token }), 200);
    }
  }
});

test('GET commits takes the author as a basic regular expression, and refuses what is none', async () => {
  const list = (author: string) =>
    app.get(`/projects/${project.id}/repository/commits?author=${encodeURIComponent(author)}`);
  const all = expectStatus<Row[]>(await list(''), 200);
  assert.ok(all.length > 0);
  assert.deepEqual(expectStatus<Row[]>(await list('^.* <.*@.*>$'), 200), all);
  assert.deepEqual(expectStatus<Row[]>(await list('nobody[0-9]'), 200), []);
  for (const author of ['\\(', '[a', '\\(a\\)\\1']) {
    const { message } = expectStatus<Row>(await list(author), 400);
    assert.match(String(message), /^author is not a valid basic regular expression/);
  }
});
