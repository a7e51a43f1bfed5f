import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { GitUser } from '../../../../test/support/git-user.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { ObjectStore } from '../../../git/objects/index.ts';

const children: ChildProcess[] = [];
subscribe('child_process', (message) => {
  children.push((message as { process: ChildProcess }).process);
});
/** Commands that write the commit-graph and its path index, seconds after a change. */
const WRITES_GRAPH = / commit-graph write | --shortstat | --raw --no-abbrev --no-renames --diff-merges=first-parent /;

/** Processes started for requests since the last call. */
const started = () =>
  children
    .splice(0)
    .map(({ spawnargs }) => spawnargs.join(' '))
    .filter((command) => !WRITES_GRAPH.test(command));
let app: TestApp;
let user: GitUser;
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
});
after(() => app.close());

const PATHS = ['a.txt', 'dir/b.txt', 'dir', 'moved.txt', 'only-side.txt', 'run.sh', 'link'];
const BOTH = ['main', 'side'];
const ENDS = ['', '/raw', '/blame', '/blame?range[start]=2&range[end]=3'];
/** What is asked of files that only come and go. */
const FEW = ['', '/blame'];
const isOfFew = (path: string) => path === 'only-side.txt' || path === 'run.sh' || path === 'link';
const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

/** Headers that differ between equal responses. */
const OF_THE_REQUEST = /^(date|connection|keep-alive|x-runtime|x-request-id|x-gitlab-meta|ratelimit-.*)$/;

async function ask(project: Project, file: string, method: 'get' | 'head', known?: string) {
  const path = `/projects/${project.id}/repository/files/${file}`;
  const { statusCode, headers, body } = await app[method](path, known ? { headers: { 'if-none-match': known } } : {});
  const compared = Object.entries(headers).filter(([name]) => !OF_THE_REQUEST.test(name));
  return { statusCode, headers: Object.fromEntries(compared), body };
}

/** A project with the same repository and without cached responses. */
async function unasked(project: Project): Promise<Project> {
  const copy = await app.make.project({});
  const [from, to] = [new ProjectGit(app, project).dir, new ProjectGit(app, copy).dir];
  rmSync(to, { recursive: true });
  cpSync(from, to, { recursive: true });
  return copy;
}

describe('files, their bytes and their blame after each change are those of a server that has kept nothing', () => {
  let project: Project;
  let tree: string;
  /** ETags of responses by request. */
  const tags = new Map<string, string>();

  async function compare(what: string, refs = ['main']): Promise<void> {
    const copy = await unasked(project);
    for (const path of PATHS) {
      for (const ref of refs) {
        for (const end of isOfFew(path) ? FEW : ENDS) {
          const file = `${encodeURIComponent(path)}${end}${end.includes('?') ? '&' : '?'}ref=${ref}`;
          const expected = await ask(copy, file, 'get');
          assert.deepEqual(await ask(project, file, 'get'), expected, `${what}: ${file}`);
          const known = tags.get(file);
          const tag = expected.headers.etag as string | undefined;
          if (known !== undefined && expected.statusCode === 200) {
            const again = await ask(project, file, 'get', known);
            assert.equal(again.statusCode, known === tag ? 304 : 200, `${what}: ${file}, known as ${known}`);
          }
          if (tag !== undefined) tags.set(file, tag);
          if (end === '' || (path === 'a.txt' && !end.includes('?'))) {
            assert.deepEqual(await ask(project, file, 'head'), await ask(copy, file, 'head'), `${what}: HEAD ${file}`);
          }
        }
      }
    }
  }

  /** Commits the changes of the work tree and pushes. */
  async function push(message: string, ...options: string[]): Promise<void> {
    await user.ok(tree, 'add', '--all');
    await user.ok(tree, 'commit', '--quiet', '--allow-empty', '--message', message);
    await user.ok(tree, 'push', '--quiet', ...options, 'origin', 'main', 'side');
  }

  async function commit(branch: string, actions: readonly object[]): Promise<void> {
    await commitFiles(app, project.id, actions, { branch });
    await user.ok(tree, 'pull', '--quiet', '--ff-only', 'origin', 'main');
    await user.ok(tree, 'fetch', '--quiet', 'origin', 'side:side');
  }

  before(async () => {
    project = await app.make.project({});
    tree = await user.tree();
    mkdirSync(join(tree, 'dir'));
    writeFileSync(join(tree, 'a.txt'), text('one', 'two', 'three', 'four'));
    writeFileSync(join(tree, 'dir/b.txt'), text('b', 'c', 'd'));
    writeFileSync(join(tree, 'run.sh'), text('#!/bin/sh', 'true', 'false'));
    symlinkSync('a.txt', join(tree, 'link'));
    await user.ok(tree, 'remote', 'add', 'origin', user.address(project));
    await user.ok(tree, 'add', '--all');
    await user.ok(tree, 'commit', '--quiet', '--message', 'files');
    await user.ok(tree, 'branch', 'side');
    await push('first');
    await compare('first');
  });

  test('commits and pushes that leave them alone, and those that do not', async () => {
    await commit('main', [{ action: 'create', file_path: 'other', content: 'x' }]);
    await compare('another file through the API');
    writeFileSync(join(tree, 'dir/other'), 'x');
    await push('another file in the folder');
    await compare('another file pushed');
    await commit('main', [{ action: 'update', file_path: 'a.txt', content: text('one', '2', 'three', 'four') }]);
    await compare('one changed through the API');
    writeFileSync(join(tree, 'dir/b.txt'), text('b', 'changed', 'd'));
    await push('one changed and pushed');
    await compare('one changed and pushed');
    writeFileSync(join(tree, 'a.txt'), text('one', 'two', 'three', 'four'));
    await push('as it was');
    await compare('as it was before');
    await push('nothing at all');
    await compare('an empty commit');
  });

  test('changes of the mode, moves, removals, and what is made again', async () => {
    await commit('main', [{ action: 'chmod', file_path: 'run.sh', execute_filemode: true }]);
    await compare('executable');
    chmodSync(join(tree, 'run.sh'), 0o644);
    await push('not executable');
    await compare('not executable');
    await commit('main', [{ action: 'move', previous_path: 'a.txt', file_path: 'moved.txt' }]);
    await compare('moved');
    renameSync(join(tree, 'moved.txt'), join(tree, 'a.txt'));
    await push('moved back');
    await compare('moved back');
    await commit('main', [{ action: 'delete', file_path: 'dir/b.txt' }]);
    await compare('removed');
    await commit('main', [
      { action: 'create', file_path: 'dir/b.txt', content: text('b', 'changed', 'd') },
      { action: 'create', file_path: 'again', content: 'x' },
    ]);
    await compare('made again');
  });

  test('links, submodules and folders in the place of files', async () => {
    rmSync(join(tree, 'run.sh'));
    symlinkSync('a.txt', join(tree, 'run.sh'));
    await push('a link');
    await compare('a link');
    rmSync(join(tree, 'run.sh'));
    // The text of the link as a file: the same blob in another mode.
    writeFileSync(join(tree, 'run.sh'), 'a.txt');
    await push('a file with the text of the link');
    await compare('a file with the text of the link');
    rmSync(join(tree, 'run.sh'));
    const head = (await user.ok(tree, 'rev-parse', 'HEAD')).trim();
    await user.ok(tree, 'update-index', '--add', '--cacheinfo', `160000,${head},run.sh`);
    await user.ok(tree, 'commit', '--quiet', '--message', 'a submodule');
    await user.ok(tree, 'push', '--quiet', 'origin', 'main');
    await compare('a submodule');
    await user.ok(tree, 'rm', '--quiet', '--cached', 'run.sh');
    mkdirSync(join(tree, 'run.sh'), { recursive: true });
    writeFileSync(join(tree, 'run.sh/inner'), 'x');
    await push('a folder');
    await compare('a folder');
    rmSync(join(tree, 'run.sh'), { recursive: true });
    writeFileSync(join(tree, 'run.sh'), text('#!/bin/sh', 'true', 'false'));
    await push('a file again');
    await compare('a file again');
  });

  test('merges that bring a path, pushes by force, and a branch that is moved back and forth', async () => {
    await commit('side', [
      { action: 'create', file_path: 'only-side.txt', content: text('s', 't', 'u') },
      { action: 'update', file_path: 'dir/b.txt', content: text('b', 'side', 'd') },
    ]);
    await compare('a commit on another branch', BOTH);
    await user.ok(tree, 'merge', '--quiet', '--no-ff', '--strategy-option=theirs', '--message', 'merge', 'side');
    await user.ok(tree, 'push', '--quiet', 'origin', 'main');
    await compare('a merge that brings them', BOTH);
    const merged = (await user.ok(tree, 'rev-parse', 'HEAD')).trim();
    const protection = `/projects/${project.id}/protected_branches/main`;
    expectStatus(await app.patch(protection, { json: { allow_force_push: true } }), 200);
    await user.ok(tree, 'push', '--quiet', '--force', 'origin', `${merged}~4:refs/heads/main`);
    await compare('moved back', BOTH);
    await user.ok(tree, 'push', '--quiet', 'origin', `${merged}:refs/heads/main`);
    await compare('moved forth', BOTH);
    // The same files with another history.
    const tree1 = (await user.ok(tree, 'rev-parse', 'HEAD^{tree}')).trim();
    const made = (await user.ok(tree, 'commit-tree', tree1, '-m', 'all at once')).trim();
    await user.ok(tree, 'push', '--quiet', '--force', 'origin', `${made}:refs/heads/main`);
    await compare('another history of the same files');
    await user.ok(tree, 'push', '--quiet', '--force', 'origin', `${merged}:refs/heads/main`);
    await compare('the first history again');
  });
});

/** Ids of the objects read from files during a call. */
async function readMeanwhile(t: TestContext, run: () => Promise<void>): Promise<Set<string>> {
  const mocks = (['read', 'use', 'stream'] as const).map((name) => t.mock.method(ObjectStore.prototype, name).mock);
  await run();
  const oids = mocks.flatMap(({ calls }) => calls.map(({ arguments: [oid] }) => String(oid)));
  for (const mock of mocks) mock.restore();
  return new Set(oids);
}

test('what a push leaves alone is found again without its content being read, and without a process', async (t) => {
  const project = await app.make.project({});
  const git = new ProjectGit(app, project);
  // Larger than the cache accepts for a single object.
  const large = 'some words in a line\n'.repeat(10_000);
  git.commit('main', { 'large.txt': large, 'folder/deep/small.txt': 'small\n', other: '0' });
  for (let n = 0; n < 30; n += 1) git.commit('main', { other: `${n}` });
  const askAll = async () => {
    const commits = new Set<string>();
    for (const path of ['large.txt', encodeURIComponent('folder/deep/small.txt')]) {
      for (const end of ['', '/raw', '/blame?range[start]=1&range[end]=1']) {
        const { statusCode, headers } = await ask(
          project,
          `${path}${end}${end.includes('?') ? '&' : '?'}ref=main`,
          'get',
        );
        assert.equal(statusCode, 200);
        commits.add(String(headers['x-svc-commit-id']));
      }
    }
    return [...commits];
  };
  started();
  await askAll();
  assert.notDeepEqual(started(), []);
  const head = git.commit('main', { other: 'more', 'folder/new': 'x' });
  started();
  const read = await readMeanwhile(t, async () => {
    assert.deepEqual(await askAll(), [head]);
    assert.deepEqual(started(), []);
  });
  // The commit, and of both sides the trees that differ: no history, no content.
  const differing = git.run(['rev-parse', 'main^{tree}', 'main~^{tree}', 'main:folder', 'main~:folder']).split('\n');
  assert.ok(read.has(head));
  assert.deepEqual(
    [...read].filter((oid) => oid !== head && !differing.includes(oid)),
    [],
  );
});
