import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { changeSettings } from '../../../test/support/settings.ts';
import { commitToWiki, page } from '../../../test/support/wikis.ts';
import type { Project } from '../../db/tables/projects.table.ts';

interface Blob {
  path: string;
  data: string;
  startline: number;
  ref: string;
  id: string | null;
  project_id: number;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
  await changeSettings(app, { search_rate_limit: 0 });
});
after(() => app.close());

const ask = (project: Project, query: Record<string, string | number>, scope = 'blobs') =>
  app.get(`/projects/${project.id}/search`, { query: { scope, ...query } });
const blobs = async (project: Project, search: string, query = {}): Promise<Blob[]> =>
  expectStatus<Blob[]>(await ask(project, { search, per_page: 100, ...query }), 200);
const paths = async (project: Project, search: string, query = {}) =>
  (await blobs(project, search, query)).map(({ path }) => path);

async function projectWith(files: Record<string, string>): Promise<{ project: Project; git: ProjectGit }> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  git.commit('main', files);
  return { project, git };
}

/** Commits raw bytes. */
function commitBytes(git: ProjectGit, files: Record<string, Buffer>): void {
  const tree = Object.entries(files).map(
    ([path, content]) => `100644 blob ${git.run(['hash-object', '-w', '--stdin'], content)}\t${path}\0`,
  );
  const oid = git.run(['commit-tree', git.run(['mktree', '-z'], tree.join('')), '-m', 'bytes']);
  git.run(['update-ref', 'refs/heads/main', oid]);
}

describe('texts are literal', () => {
  let project: Project;
  before(async () => {
    ({ project } = await projectWith({
      regex: 'a.*b\n(x+x+)+y\n[unclosed\n\\Q\\E\n$^\n',
      dash: '--no-index -e --help\n',
      plain: 'aXXb\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n',
      shell: '$(touch /tmp/x) `id` ; | & "quoted"\n',
      unicode: 'Grüße 𝔘 ÄÖ\n',
    }));
  });
  for (const [search, expected] of [
    ['a.*b', ['regex']],
    ['(x+x+)+y', ['regex']],
    ['[unclosed', ['regex']],
    ['\\Q\\E', ['regex']],
    ['$^', ['regex']],
    ['--no-index', ['dash']],
    ['-e', ['dash']],
    ['--help', ['dash']],
    ['$(touch /tmp/x)', ['shell']],
    ['"quoted"', ['shell']],
    ['grüße 𝔘', ['unicode']],
    ['two\nlines', []],
    ['axxb\nxxxx', []],
    ['x'.repeat(1_000), []],
  ] as const) {
    test(JSON.stringify(search).slice(0, 40), async () => assert.deepEqual(await paths(project, search), expected));
  }

  test('NUL is in no text', async () => {
    for (const scope of ['blobs', 'wiki_blobs', 'commits', 'issues', 'notes', 'users']) {
      const answer = await ask(project, { search: 'a\0b' }, scope);
      assert.ok(answer.statusCode === 400 || (answer.statusCode === 200 && answer.body === '[]'), scope);
    }
  });
});

test('names of commits that git would take for something else are refused', async () => {
  const { project } = await projectWith({ a: 'x\n' });
  for (const scope of ['blobs', 'commits']) {
    for (const ref of ['--no-index', '-x', 'no-such', 'main:a', 'main..main', '@{0}', ':/x', 'main^{tree}', 'a\0b']) {
      const { statusCode } = await ask(project, { search: 'x', ref }, scope);
      assert.ok(statusCode === 404 || (statusCode === 400 && ref.includes('\0')), `${scope} ${ref}: ${statusCode}`);
    }
  }
});

test('branches, tags and commits can be searched', async () => {
  const { project, git } = await projectWith({ a: 'old\n' });
  const base = git.run(['rev-parse', 'main']);
  const sha = git.commit('topic/x', { b: 'fresh\n' }, { start: base, message: 'topical' });
  git.run(['tag', 'v1', base]);
  assert.deepEqual(await paths(project, 'fresh'), []);
  for (const ref of ['topic/x', sha, 'refs/heads/topic/x']) {
    assert.deepEqual(
      (await blobs(project, 'fresh', { ref })).map((each) => [each.path, each.ref]),
      [['b', ref]],
    );
  }
  assert.deepEqual(await paths(project, 'fresh', { ref: 'v1' }), []);
  const commits = async (query: Record<string, string>) =>
    expectStatus<{ id: string }[]>(await ask(project, { search: 'topical', ...query }, 'commits'), 200).map(
      ({ id }) => id,
    );
  assert.deepEqual(await commits({}), []);
  assert.deepEqual(await commits({ ref: 'topic/x' }), [sha]);
});

test('commits are found by words of the message, and by their id', async () => {
  const { project, git } = await projectWith({ a: '1\n' });
  const second = git.commit('main', { a: '2\n' }, { message: 'Second\n\nBody with a (paren) and .* dots\n' });
  const third = git.commit('main', { a: '3\n' }, { message: `Third reverts ${second.slice(0, 12)}\n` });
  const ids = async (search: string) =>
    expectStatus<{ id: string }[]>(await ask(project, { search }, 'commits'), 200).map(({ id }) => id);
  assert.deepEqual(await ids('BODY with'), [second]);
  assert.deepEqual(await ids('(paren) and .*'), [second]);
  assert.deepEqual(await ids('s.cond'), []);
  assert.deepEqual(await ids('-1'), []);
  assert.deepEqual(await ids(third), [third]);
  assert.deepEqual(await ids(second.slice(0, 12)), [second, third]);
  assert.deepEqual(await ids('0'.repeat(40)), []);
  assert.deepEqual(await ids('  '), []);
});

test('repositories without commits, and wikis that were never written, contain nothing', async () => {
  const project = await app.make.project();
  for (const scope of ['blobs', 'commits', 'wiki_blobs']) {
    assert.deepEqual(expectStatus(await ask(project, { search: 'x' }, scope), 200), [], scope);
  }
  assert.equal((await ask(project, { search: 'x', ref: 'main' })).statusCode, 404);
});

test('binary files are left out, and other encodings are shown as text', async () => {
  const { project, git } = await projectWith({ a: '' });
  commitBytes(git, {
    'binary.bin': Buffer.from('needle\0needle\n'),
    'latin1.txt': Buffer.from('na\xefve caf\xe9 needle\n', 'latin1'),
    'broken.txt': Buffer.from([...Buffer.from('needle '), 0xff, 0xfe, 0x80, 0x0a]),
    'needle.bin': Buffer.from([0, 1, 2, 3]),
    'needle.txt': Buffer.from(`${'ü'.repeat(2_000)}\n`),
  });
  const found = new Map((await blobs(project, 'needle')).map((each) => [each.path, each]));
  assert.deepEqual([...found.keys()].toSorted(), ['broken.txt', 'latin1.txt', 'needle.bin', 'needle.txt']);
  assert.equal(found.get('latin1.txt')?.data, 'naïve café needle\n');
  assert.equal(found.get('needle.bin')?.data, '');
  assert.equal(found.get('needle.txt')?.data, 'ü'.repeat(512));
  assert.ok(found.get('broken.txt')?.data.isWellFormed());
});

test('paths with every character are found and shown', async () => {
  const { project, git } = await projectWith({ a: '' });
  const names = ['with space', 'line\nfeed\n', 'tab\t"quote"', '-leading', 'co:lon', 'back\\slash', '--', 'ümlaut'];
  commitBytes(git, Object.fromEntries(names.map((name) => [name, Buffer.from('needle\n--\nneedle\n')])));
  const found = await blobs(project, 'needle', { num_context_lines: 0 });
  assert.deepEqual([...new Set(found.map(({ path }) => path))].toSorted(), names.toSorted());
  assert.equal(found.length, 2 * names.length);
  assert.ok(found.every(({ data }) => data === 'needle\n'));
  for (const name of ['-leading', 'co:lon', '--', 'ümlaut', 'back\\slash']) {
    assert.deepEqual(await paths(project, name === '--' ? 'filename:--' : name, { per_page: 1 }), [name]);
  }
});

test('symbolic links and submodules are not followed, and deep folders are searched', async () => {
  const { project, git } = await projectWith({ [`${'d/'.repeat(200)}deep`]: 'needle\n' });
  const secret = git.run(['hash-object', '-w', '--stdin'], '/etc/passwd');
  const tree = git.run(
    ['mktree'],
    `120000 blob ${secret}\tpasswd\n160000 commit ${'1'.repeat(40)}\tpasswd-module\n${git.run(['ls-tree', 'main'])}\n`,
  );
  git.run(['update-ref', 'refs/heads/main', git.run(['commit-tree', tree, '-m', 'links'])]);
  assert.deepEqual(await paths(project, 'passwd'), []);
  assert.deepEqual(await paths(project, 'root:'), []);
  assert.deepEqual(await paths(project, 'needle'), [`${'d/'.repeat(200)}deep`]);
});

test('filters narrow by path, and alone they list files', async () => {
  const { project } = await projectWith({
    'src/a.ts': 'greet me\n',
    'src/b.md': 'greet me\n',
    'vendor/a.ts': 'greet me\n',
    'greet/c.ts': 'x\n',
  });
  assert.deepEqual(await paths(project, 'greet me extension:ts'), ['src/a.ts', 'vendor/a.ts']);
  assert.deepEqual(await paths(project, 'greet -path:vendor'), ['greet/c.ts', 'src/a.ts', 'src/b.md']);
  assert.deepEqual(await paths(project, 'filename:*.TS'), ['greet/c.ts', 'src/a.ts', 'vendor/a.ts']);
  assert.deepEqual(await paths(project, 'greet filename:b'), []);
  assert.deepEqual(await paths(project, '   '), []);
});

test('many matches, and long lines, are cut', async () => {
  const { project } = await projectWith({
    many: 'needle\n'.repeat(250),
    wide: `${'w'.repeat(30_000)}needle${'w'.repeat(30_000)}\n`,
    ...Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`n/${index}`, 'straw\n'])),
  });
  const found = await blobs(project, 'needle');
  assert.deepEqual(
    found.map(({ path, startline, data }) => [path, startline, data.length]),
    [
      ['many', 1, 700],
      ['many', 101, 700],
      ['many', 201, 350],
      ['wide', 1, 1_001],
    ],
  );
  const last = await ask(project, { search: 'straw', per_page: 100, page: 10 });
  assert.deepEqual([JSON.parse(last.body).length, last.headers['x-next-page']], [100, '']);
  assert.equal((await blobs(project, 'straw', { page: 11 })).length, 0);
});

test('one damaged repository of a group does not hide the others', async () => {
  const group = await app.make.group();
  const whole = await app.make.project({ namespace: group });
  const broken = await app.make.project({ namespace: group });
  for (const project of [whole, broken]) new ProjectGit(app, project).commit('main', { a: 'needle\n' });
  const git = new ProjectGit(app, broken);
  const blob = git.run(['rev-parse', 'main:a']);
  rmSync(`${git.dir}/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
  const query = { scope: 'blobs', search: 'needle' };
  const found = expectStatus<Blob[]>(await app.get(`/groups/${group.id}/search`, { query }), 200);
  assert.deepEqual(
    found.map(({ project_id }) => project_id),
    [whole.id],
  );
  assert.equal((await app.get(`/projects/${broken.id}/search`, { query })).statusCode, 500);
});

test('groups are searched with their subgroups, the latest activity first', async () => {
  const group = await app.make.group();
  const inner = await app.make.group({ parent: group });
  const outside = await app.make.group();
  const made: Project[] = [];
  for (const namespace of [group, inner, outside, group]) {
    const project = await app.make.project({ namespace });
    new ProjectGit(app, project).commit('main', { a: 'nested\n' }, { message: 'nested' });
    made.push(project);
  }
  const [first, second, , third] = made.map(({ id }) => id);
  for (const [id, day] of [
    [first, '02'],
    [second, '03'],
    [third, '01'],
  ] as const) {
    const columns = { last_activity_at: `2020-01-${day}T00:00:00.000Z` };
    await app.deps.db.updateTable('projects').set(columns).where('id', '=', id!).execute();
  }
  for (const scope of ['blobs', 'commits']) {
    const query = { scope, search: 'nested' };
    const found = expectStatus<Blob[]>(await app.get(`/groups/${group.id}/search`, { query }), 200);
    assert.deepEqual(
      found.map(({ project_id }) => project_id),
      [second, first, third],
      scope,
    );
  }
});

test('revisions of a wiki can be searched', async () => {
  const project = await app.make.project();
  const owner = { type: 'project' as const, id: project.id };
  const { oid } = await commitToWiki(app, owner, [page('Old.md', 'needle')]);
  await commitToWiki(app, owner, [{ action: 'delete', path: 'Old.md' }, page('New.md', 'needle')]);
  const names = async (query: Record<string, string>) =>
    expectStatus<Blob[]>(await ask(project, { search: 'needle', ...query }, 'wiki_blobs'), 200).map(({ path }) => path);
  assert.deepEqual(
    [await names({}), await names({ ref: oid }), await names({ ref: '' })],
    [['New.md'], ['Old.md'], ['New.md']],
  );
  assert.equal((await ask(project, { search: 'needle', ref: 'no-such' }, 'wiki_blobs')).statusCode, 404);
});
