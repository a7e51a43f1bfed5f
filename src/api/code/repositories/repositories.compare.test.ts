import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';

interface Compared {
  commit: { id: string } | null;
  commits: { id: string; title: string }[];
  diffs: Record<string, unknown>[];
  compare_timeout: boolean;
  compare_same_ref: boolean;
  web_url: string;
}
let app: TestApp;
let project: Project;
let git: ProjectGit;
let base: string;
let first: string;
let second: string;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  base = git.commit('main', { 'a.txt': '1\n2\n3\n', keep: 'k' });
  first = git.commit('topic', { 'a.txt': '1\ntwo\n3\n' }, { start: base });
  second = git.commit('topic', { 'new.txt': 'n\n', 'package-lock.json': '{}\n' });
  git.commit('main', { later: 'x' });
  git.run(['tag', 'v1', base]);
});
after(() => app.close());

const at = (of: Project = project) => `/projects/${of.id}/repository/compare`;
const compare = async (query: Record<string, string | number | boolean>, of: Project = project) =>
  expectStatus<Compared>(await app.get(at(of), { query }), 200);

test('GET compare shows commits from the oldest on, and what changed since the merge base', async () => {
  const body = await compare({ from: 'main', to: 'topic' });
  assert.deepEqual(
    body.commits.map(({ id }) => id),
    [first, second],
  );
  assert.equal(body.commit?.id, second);
  assert.deepEqual(
    body.diffs.map(({ new_path }) => new_path),
    ['a.txt', 'new.txt', 'package-lock.json'],
  );
  assert.deepEqual(body.diffs[0], {
    diff: '@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n',
    collapsed: false,
    too_large: false,
    new_path: 'a.txt',
    old_path: 'a.txt',
    a_mode: '100644',
    b_mode: '100644',
    new_file: false,
    renamed_file: false,
    deleted_file: false,
    generated_file: false,
  });
  assert.equal(body.diffs[1]!.a_mode, '0');
  assert.equal(body.diffs[1]!.new_file, true);
  assert.equal(body.diffs[2]!.generated_file, true);
  assert.equal(body.compare_timeout, false);
  assert.equal(body.compare_same_ref, false);
  const from = git.run(['rev-parse', 'main']);
  assert.equal(body.web_url, `${app.deps.externalUrl()}/${project.full_path}/-/compare/${from}...${second}`);
});

test('GET compare with straight compares with from itself', async () => {
  const body = await compare({ from: 'main', to: 'topic', straight: true });
  assert.deepEqual(
    body.diffs.map(({ new_path, deleted_file }) => [new_path, deleted_file]),
    [
      ['a.txt', false],
      ['later', true],
      ['new.txt', false],
      ['package-lock.json', false],
    ],
  );
  assert.match(body.web_url, /[0-9a-f]{40}\.\.[0-9a-f]{40}$/);
});

test('GET compare with unidiff gives diffs that patch applies', async () => {
  const body = await compare({ from: 'v1', to: 'topic', unidiff: true });
  assert.match(String(body.diffs[0]!.diff), /^--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ /);
  assert.match(String(body.diffs[1]!.diff), /^--- \/dev\/null\n\+\+\+ b\/new\.txt\n@@ /);
  const patch = body.diffs.map(({ diff }) => diff).join('');
  assert.match(outputOf('git', ['apply', '--numstat', '-'], { input: patch }).toString(), /1\t1\ta\.txt/);
});

test('GET compare takes commits, tags and branches, and one with itself', async () => {
  const short = first.slice(0, 8);
  assert.equal((await compare({ from: 'v1', to: short })).commits.length, 1);
  const same = await compare({ from: base, to: 'v1' });
  assert.deepEqual([same.commits, same.diffs, same.commit, same.compare_same_ref], [[], [], null, true]);
  assert.deepEqual((await compare({ from: 'topic', to: 'v1' })).commits, []);
});

test('GET compare of unrelated histories shows all of the second', async () => {
  git.commit('island', { sand: '1\n' });
  const body = await compare({ from: 'main', to: 'island' });
  assert.equal(body.commits.length, 1);
  assert.deepEqual(
    body.diffs.map(({ new_path }) => new_path),
    ['sand'],
  );
});

test('GET compare marks what is too large', async () => {
  git.commit('large', { big: `${'x'.repeat(300 * 1024)}\n` }, { start: base });
  const [diff] = (await compare({ from: 'v1', to: 'large' })).diffs;
  assert.deepEqual([diff!.too_large, diff!.diff], [true, '']);
});

test('GET compare shows names that are no UTF-8 or hold line feeds', async () => {
  const blob = git.run(['hash-object', '-w', '--stdin'], 'x');
  const record = (name: Buffer) => Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from([0])]);
  const tree = git.run(['mktree', '-z'], Buffer.concat([Buffer.from([0x6e, 0xe4]), Buffer.from('l\nf')].map(record)));
  git.run(['update-ref', 'refs/heads/odd', git.run(['commit-tree', tree, '-p', base, '-m', 'odd'])]);
  const { diffs } = await compare({ from: 'v1', to: 'odd', unidiff: true });
  assert.deepEqual(
    diffs.filter(({ new_file }) => new_file).map(({ new_path }) => new_path),
    ['l\nf', 'n\ufffd'],
  );
});

test('GET compare refuses unknown revisions and options of git', async () => {
  const texts = [
    'nope',
    '--no-index',
    '-O/some/file',
    '/etc/passwd',
    '--output=/tmp/x',
    'main..topic',
    '^main',
    '@{u}',
  ];
  for (const text of texts) {
    for (const query of [
      { from: text, to: 'main' },
      { from: 'main', to: text },
    ]) {
      assert.equal(expectStatus(await app.get(at(), { query }), 404).message, '404 Ref Not Found', text);
    }
  }
  assert.equal(
    expectStatus(await app.get(at()), 400).message,
    'from is missing, from is empty, to is missing, to is empty',
  );
});

test('GET compare with from_project_id reads both repositories and copies nothing', async () => {
  const fork = await app.make.project({ columns: { forked_from_id: project.id, fork_root_id: project.id } });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  const ahead = forkGit.commit('main', { 'fork.txt': 'f\n' });
  const body = await compare({ from: 'main', to: 'main', from_project_id: project.id }, fork);
  assert.deepEqual(
    body.commits.map(({ id }) => id),
    [ahead],
  );
  const back = await compare({ from: 'main', to: 'topic', from_project_id: fork.id });
  assert.deepEqual(
    back.diffs.map(({ new_path }) => new_path),
    ['a.txt', 'new.txt', 'package-lock.json'],
  );
  assert.equal(await repositoryOf(app.deps, project).objects.info(ahead), null);

  const { token } = await app.make.user();
  const other = await app.make.project({ visibility: 'public' });
  for (const [id, caller] of [
    [fork.id, token],
    [fork.id, null],
    [other.id, token],
    [999_999, token],
  ] as const) {
    const query = { from: 'main', to: 'main', from_project_id: id };
    const { message } = expectStatus(await app.get(at(), { query, token: caller }), 400);
    assert.equal(message, `Target project id:${id} is not a fork of project id:${project.id}`);
  }
  const guest = await app.make.user();
  await app.make.member({ project: fork }, guest.user, 10);
  const query = { from: 'main', to: 'main', from_project_id: fork.id };
  expectStatus(await app.get(at(), { query, token: guest.token }), 403);
});

test('GET contributors counts commits by address, in any order', async () => {
  const people = await app.make.project({ visibility: 'public' });
  const peopleGit = new ProjectGit(app, people);
  peopleGit.commit('main', { a: '1' }, { email: 'zoe@example.com' });
  for (const text of ['2', '3', '4']) peopleGit.commit('main', { a: text }, { email: 'ben@example.com' });
  peopleGit.commit('main', { a: '5' }, { email: 'ada@example.com' });
  peopleGit.commit('main', { a: '6' }, { email: 'ada@example.com' });
  const path = `/projects/${people.id}/repository/contributors`;
  type Row = { email: string; name: string; commits: number; additions: number; deletions: number };
  const emails = async (query: Record<string, string>) =>
    expectStatus<Row[]>(await app.get(path, { query }), 200).map(({ email }) => email.split('@')[0]);
  assert.deepEqual(await emails({}), ['zoe', 'ada', 'ben']);
  assert.deepEqual(await emails({ sort: 'desc' }), ['ben', 'ada', 'zoe']);
  assert.deepEqual(await emails({ order_by: 'email' }), ['ada', 'ben', 'zoe']);
  assert.deepEqual(await emails({ order_by: 'email', sort: 'desc', per_page: '2' }), ['zoe', 'ben']);
  assert.deepEqual(await emails({ ref: 'main~5' }), ['zoe']);
  const page = await app.get(path, { query: { per_page: 1, page: 3 } });
  assert.deepEqual(expectStatus<Row[]>(page, 200), [
    { name: 'Ada', email: 'ben@example.com', commits: 3, additions: 0, deletions: 0 },
  ]);
  assert.equal(page.headers['x-total'], '3');
  expectStatus(await app.get(path, { query: { order_by: 'age' } }), 400);
  for (const ref of ['nope', '--all', '-p']) {
    assert.equal(expectStatus(await app.get(path, { query: { ref } }), 404).message, '404 Ref Not Found');
  }
  const empty = await app.make.project();
  assert.deepEqual(expectStatus<Row[]>(await app.get(`/projects/${empty.id}/repository/contributors`), 200), []);
});

test('GET merge_base finds what all revisions share', async () => {
  const path = `/projects/${project.id}/repository/merge_base`;
  for (const query of ['refs[]=main&refs[]=topic', 'refs[]=topic&refs[]=main&refs[]=v1', 'refs=main,topic']) {
    assert.equal(expectStatus(await app.get(`${path}?${query}`), 200).id, base, query);
  }
  assert.equal(expectStatus(await app.get(`${path}?refs[]=main`), 400).message, 'Provide at least 2 refs');
  assert.equal(expectStatus(await app.get(path), 400).message, 'refs is missing');
  const unknown = await app.get(`${path}?refs[]=main&refs[]=--octopus&refs[]=nope`);
  assert.equal(expectStatus(unknown, 400).message, 'Could not find refs: --octopus, nope');
  const single = await app.get(`${path}?refs[]=main&refs[]=nope`);
  assert.equal(expectStatus(single, 400).message, 'Could not find ref: nope');
  git.commit('island2', { sand: '2' });
  const none = await app.get(`${path}?refs[]=main&refs[]=island2`);
  assert.equal(expectStatus(none, 404).message, '404 Merge Base Not Found');
});

test('compare, contributors and merge_base follow visibility and roles', async () => {
  const closed = await app.make.project();
  new ProjectGit(app, closed).commit('main', { a: '1' });
  const users = await app.make.members(closed);
  for (const rest of ['compare?from=main&to=main', 'contributors', 'merge_base?refs[]=main&refs[]=main']) {
    expectStatus(await app.get(`/projects/${project.id}/repository/${rest}`, { token: null }), 200);
    const path = `/projects/${closed.id}/repository/${rest}`;
    expectStatus(await app.get(path, { token: null }), 404);
    expectStatus(await app.get(path, { token: users.stranger.token }), 404);
    expectStatus(await app.get(path, { token: users.guest.token }), 403);
    for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
      expectStatus(await app.get(path, { token: users[name].token }), 200);
    }
  }
});
