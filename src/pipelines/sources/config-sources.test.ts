import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import { ANONYMOUS, type Caller } from '../../access/caller.ts';
import type { ConfigSources } from '../../ci/sources.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { templateNames } from '../templates/templates.ts';
import { configSources } from './config-sources.ts';

let app: TestApp;
let member: TestUser;
let project: Project;
let other: Project;
let open: Project;
let first: string;
let second: string;
let elsewhere: string;

const callerOf = ({ user }: TestUser): Caller => ({ ...ANONYMOUS, user, credential: { kind: 'password' } });
const sourcesFor = (caller: Caller, from: string | null = null): ConfigSources =>
  configSources(app.deps, { caller, project, changes: { sha: second, from } });
const here = () => ({ project: project.full_path, sha: second });

before(async () => {
  app = await buildTestApp();
  member = await app.make.user();
  const group = await app.make.group({ owner: member.user });
  project = await app.make.project({ namespace: group });
  other = await app.make.project({ namespace: group });
  open = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  first = git.commit('main', {
    'README.md': '# Read me\n',
    '.gitlab/ci/build.yml': 'build: {script: make}\n',
    '.gitlab/ci/deep/test.yml': 'test: {script: make test}\n',
    'src/a.ts': 'a\n',
    'src/lib/b.ts': 'b\n',
    binary: 'a\0b',
    large: 'x'.repeat(1_048_577),
  });
  second = git.commit('main', { 'src/a.ts': 'changed\n', 'docs/ä b.md': 'new\n' });
  git.run(['update-ref', 'refs/heads/old', first]);
  elsewhere = new ProjectGit(app, other).commit('main', {
    'shared.yml': 'x: {script: echo}\n',
    'templates/lint.yml': 'lint: {script: echo}\n',
    'templates/deep/template.yml': 'deep: {script: echo}\n',
    'templates/empty.yml': '',
  });
  new ProjectGit(app, other).run(['tag', 'v1.0', elsewhere]);
  new ProjectGit(app, open).commit('main', { 'open.yml': 'x: {script: echo}\n' });
});
after(() => app.close());

test('files are read at a commit', async () => {
  const sources = sourcesFor(callerOf(member));
  assert.deepEqual(await sources.file(here(), 'src/a.ts'), { content: 'changed\n' });
  assert.deepEqual(await sources.file({ ...here(), sha: first }, 'src/a.ts'), { content: 'a\n' });
  assert.deepEqual(await sources.file(here(), 'none.yml'), { missing: true });
  assert.deepEqual(await sources.file(here(), 'src'), { missing: true });
  assert.deepEqual(await sources.file(here(), ''), { missing: true });
  assert.deepEqual(await sources.file(here(), '../README.md'), { missing: true });
  assert.deepEqual(await sources.file(here(), 'binary'), { binary: true });
  assert.deepEqual(await sources.file(here(), 'large'), { tooLarge: true });
  assert.deepEqual(await sources.file({ project: null, sha: null }, 'README.md'), { missing: true });
});

test('a project that was not asked for is not read', async () => {
  const sources = sourcesFor(callerOf(member));
  assert.deepEqual(await sources.file({ project: other.full_path, sha: elsewhere }, 'shared.yml'), { missing: true });
  assert.deepEqual(await sources.paths({ project: other.full_path, sha: elsewhere }, ['**/*'], 10), []);
});

test('paths that fit are listed in order, and no more than asked for', async () => {
  const sources = sourcesFor(callerOf(member));
  const paths = (globs: string[], limit = 100) => sources.paths(here(), globs, limit);
  assert.deepEqual(await paths(['.gitlab/ci/*.yml']), ['.gitlab/ci/build.yml']);
  assert.deepEqual(await paths(['.gitlab/**/*.yml']), ['.gitlab/ci/build.yml', '.gitlab/ci/deep/test.yml']);
  assert.deepEqual(await paths(['src/**/*.ts', '**/*.md', 'README.md']), [
    'README.md',
    'docs/ä b.md',
    'src/a.ts',
    'src/lib/b.ts',
  ]);
  assert.deepEqual(await paths(['{src,docs}/*']), ['docs/ä b.md', 'src/a.ts']);
  assert.deepEqual(await paths(['*']), ['README.md', 'binary', 'large']);
  assert.deepEqual(await paths(['*/*/*.ts']), ['src/lib/b.ts']);
  assert.deepEqual(await paths(['src', 'src/', 'none', 'none/*', '']), []);
  assert.equal((await paths(['**/*'], 3)).length, 3);
});

test('a tree of many folders is listed all the same', async () => {
  const wide = await app.make.project();
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at}/x.txt`, `${at}`]));
  const sha = new ProjectGit(app, wide).commit('main', files);
  const sources = configSources(app.deps, { caller: callerOf(member), project: wide, changes: null });
  const paths = await sources.paths({ project: wide.full_path, sha }, ['**/x.txt'], 1000);
  assert.equal(paths.length, 300);
  assert.equal((await sources.paths({ project: wide.full_path, sha }, ['*/x.txt'], 1000)).length, 300);
});

test('other projects are read with the rights of the caller', async () => {
  const stranger = await app.make.user();
  const denied = { denied: true };
  assert.deepEqual(await sourcesFor(callerOf(member)).project(other.full_path, null), {
    context: { project: other.full_path, sha: elsewhere },
  });
  assert.deepEqual(await sourcesFor(callerOf(stranger)).project(other.full_path, null), denied);
  assert.deepEqual(await sourcesFor(ANONYMOUS).project(other.full_path, null), denied);
  assert.deepEqual(await sourcesFor(callerOf(member)).project('no/such', null), denied);
  assert.deepEqual(await sourcesFor(callerOf(member)).project(String(other.id), null), denied);
  for (const caller of [callerOf(stranger), ANONYMOUS]) {
    const sources = sourcesFor(caller);
    const source = await sources.project(open.full_path, null);
    assert.ok('context' in source);
    assert.deepEqual(await sources.file(source.context, 'open.yml'), { content: 'x: {script: echo}\n' });
  }
});

test('refs of other projects are branches, tags and commits', async () => {
  const sources = sourcesFor(callerOf(member));
  for (const ref of ['main', 'v1.0', elsewhere, elsewhere.slice(0, 10), 'HEAD']) {
    assert.deepEqual(await sources.project(other.full_path, ref), {
      context: { project: other.full_path, sha: elsewhere },
    });
  }
  assert.deepEqual(await sources.project(other.full_path, 'none'), { noRef: true });
  const empty = await app.make.project({ visibility: 'public' });
  assert.deepEqual(await sources.project(empty.full_path, null), { noRef: true });
});

test('components are files of a project at a tag, branch or commit', async () => {
  const host = new URL(app.deps.externalUrl()).host;
  const sources = sourcesFor(callerOf(member));
  const lint = await sources.component(`${host}/${other.full_path}/lint@v1.0`);
  assert.deepEqual(lint, {
    context: { project: other.full_path, sha: elsewhere },
    path: 'templates/lint.yml',
    content: 'lint: {script: echo}\n',
    name: 'lint',
    version: 'v1.0',
    sha: elsewhere,
    reference: 'v1.0',
  });
  const deep = await sources.component(`${host}/${other.full_path}/deep@${elsewhere}`);
  assert.ok('path' in deep && deep.path === 'templates/deep/template.yml');
  const problem = async (from: ConfigSources, address: string, text: string) =>
    assert.deepEqual(await from.component(address), { error: `Component '${address}' - ${text}` });
  for (const name of ['none@main', 'empty@main', 'lint@none']) {
    await problem(sources, `${host}/${other.full_path}/${name}`, 'content not found');
  }
  const unsupported = (what: string) =>
    `The ${what} reference is not supported for non-catalog resources. Use a tag, branch, or commit SHA instead.`;
  await problem(sources, `${host}/${other.full_path}/lint@~latest`, unsupported('~latest version'));
  await problem(sources, `${host}/${other.full_path}/lint@1`, unsupported('partial semantic version'));
  for (const address of [
    `elsewhere.example/${other.full_path}/lint@main`,
    `${host}/lint@main`,
    `${host}/a/b/c`,
    '@',
    '',
  ]) {
    await problem(sources, address, 'the component path is not supported');
  }
  for (const path of [other.full_path, 'no/such']) {
    const denied = "project does not exist or you don't have sufficient permissions";
    await problem(sourcesFor(ANONYMOUS), `${host}/${path}/lint@main`, denied);
  }
});

test('changed paths are those of the pipeline, or since another ref', async () => {
  const paths = ['docs/ä b.md', 'src/a.ts'];
  assert.deepEqual(await sourcesFor(ANONYMOUS, first).changedPaths(null), paths);
  assert.equal(await sourcesFor(ANONYMOUS).changedPaths(null), null);
  assert.deepEqual(await sourcesFor(ANONYMOUS).changedPaths('old'), paths);
  assert.deepEqual(await sourcesFor(ANONYMOUS).changedPaths('refs/heads/old'), paths);
  assert.deepEqual(await sourcesFor(ANONYMOUS).changedPaths('main'), []);
  assert.deepEqual(await sourcesFor(ANONYMOUS).changedPaths('none'), { invalidRef: true });
  assert.equal(await sourcesFor(ANONYMOUS, 'f'.repeat(40)).changedPaths(null), null);
  const without = configSources(app.deps, { caller: ANONYMOUS, project, changes: null });
  assert.equal(await without.changedPaths('main'), null);
});

test('addresses of files lead to their pages', () => {
  const base = `${app.deps.externalUrl()}/${project.full_path}/-`;
  assert.deepEqual(sourcesFor(ANONYMOUS).addresses(here(), 'docs/ä b.md'), {
    blob: `${base}/blob/${second}/docs/%C3%A4%20b.md`,
    raw: `${base}/raw/${second}/docs/%C3%A4%20b.md`,
  });
  assert.equal(sourcesFor(ANONYMOUS).addresses({ project: null, sha: null }, 'x'), null);
});

test('templates are built in', async () => {
  const sources = sourcesFor(ANONYMOUS);
  const names = await templateNames();
  assert.ok(names.length >= 100);
  for (const name of names) assert.ok('content' in (await sources.template(name)), name);
  for (const name of ['Bash', 'None.gitlab-ci.yml', '../Bash.gitlab-ci.yml', '__proto__', 'constructor']) {
    assert.deepEqual(await sources.template(name), { missing: true });
  }
});
