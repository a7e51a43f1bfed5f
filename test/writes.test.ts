import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, test } from 'node:test';
import { writeInThisThread } from '../src/git/files/writer/writing-thread.ts';
import { apiClient } from './support/api-client.ts';
import { buildTestApp, type TestApp } from './support/app.ts';
import { GitUser } from './support/git-user.ts';

/*
 * What a write costs before it is answered, beside the statements that test/statements.test.ts counts: processes, and files
 * and folders of the repository that must reach the disk. With the two transactions of each change of references those of a
 * file at the root are at most twelve; each folder above it adds a file, and a folder that holds it.
 */
const MAX_FLUSHES = 10;
const MAX_FLUSHES_OF_A_FOLDER = 2;

let app: TestApp;
let syncs = 0;
const started: ChildProcess[] = [];
const onStart = (message: unknown) => {
  started.push((message as { process: ChildProcess }).process);
};
const undo: (() => void)[] = [];

before(async () => {
  // Another thread's flushes are not seen.
  undo.push(writeInThisThread());
  app = await buildTestApp();
  const handle = await open('package.json');
  await handle.close();
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  for (const name of ['sync', 'datasync'] as const) {
    const original = prototype[name];
    prototype[name] = function counted(this: typeof handle) {
      syncs += 1;
      return original.call(this);
    };
    undo.push(() => {
      prototype[name] = original;
    });
  }
  const { fsync } = fs;
  const counted: typeof fs.fsync = Object.assign(
    (file: number, done: fs.NoParamCallback) => {
      syncs += 1;
      fsync(file, done);
    },
    { __promisify__: fsync.__promisify__ },
  );
  const replace = (by: typeof fs.fsync) => {
    fs.fsync = by;
    syncBuiltinESMExports();
  };
  replace(counted);
  undo.push(() => replace(fsync));
  subscribe('child_process', onStart);
});
after(async () => {
  unsubscribe('child_process', onStart);
  for (const back of undo) back();
  await app.close();
});

/** What one call takes until it is answered. */
async function cost(
  call: () => Promise<{ status: number; text: string }>,
): Promise<{ processes: string[]; flushes: number }> {
  await app.drain();
  syncs = 0;
  started.length = 0;
  const { status, text } = await call();
  assert.ok(status < 300, `${status} ${text}`);
  return { processes: begun(), flushes: syncs };
}

/** What was started, but for what follows bursts of writes when its time has come. */
const FOLLOWING = ['commit-graph', '--diff-merges=first-parent'];
const begunProcesses = (): ChildProcess[] =>
  started.filter(({ spawnargs }) => !FOLLOWING.some((word) => spawnargs.includes(word)));
const begun = (): string[] => begunProcesses().map(({ spawnargs }) => spawnargs.join(' '));

test('a commit, a branch and a tag start no process, and flush little', async () => {
  const project = await app.make.project();
  const { maintainer } = await app.make.members(project);
  const client = apiClient(await app.listen(), maintainer.token);
  const at = `/projects/${project.id}/repository`;
  const commit = (branch: string, path: string) =>
    client('POST', `${at}/commits`, {
      branch,
      commit_message: path,
      actions: [{ action: 'create', file_path: path, content: path }],
    });
  for (let n = 0; n < 3; n += 1) assert.equal((await commit('main', `folder/${n}`)).status, 201);
  const file = { branch: 'main', commit_message: 'file', content: 'x' };
  const writes = {
    commit: () => commit('main', 'file'),
    'commit in a folder': () => commit('main', 'folder/file'),
    'new file': () => client('POST', `${at}/files/new`, file),
    'changed file': () => client('PUT', `${at}/files/new`, { ...file, content: 'y' }),
    'deleted file': () => client('DELETE', `${at}/files/new`, file),
    branch: () => client('POST', `${at}/branches?branch=side&ref=main`),
    'deleted branch': () => client('DELETE', `${at}/branches/side`),
    tag: () => client('POST', `${at}/tags?tag_name=light&ref=main`),
    'annotated tag': () => client('POST', `${at}/tags?tag_name=heavy&ref=main`, { message: 'heavy' }),
    'deleted tag': () => client('DELETE', `${at}/tags/heavy`),
  };
  const costs: Record<string, { processes: string[]; flushes: number }> = {};
  for (const [name, write] of Object.entries(writes)) costs[name] = await cost(write);
  for (const [name, { processes, flushes }] of Object.entries(costs)) {
    assert.deepEqual(processes, [], name);
    const limit = MAX_FLUSHES + (name === 'commit in a folder' ? MAX_FLUSHES_OF_A_FOLDER : 0);
    assert.ok(flushes >= 1 && flushes <= limit, `${name}: ${flushes} flushes`);
  }
});

test('merge requests, a look whether one can be merged, merges, a picked and a reverted commit start no process', async () => {
  const project = await app.make.project();
  const { maintainer } = await app.make.members(project);
  const client = apiClient(await app.listen(), maintainer.token);
  const at = `/projects/${project.id}`;
  const text = Array.from({ length: 30 }, (_, line) => `line ${line}`);
  const commit = async (branch: string, actions: object[], start?: string): Promise<string> => {
    const body = { branch, commit_message: branch, actions, ...(start === undefined ? {} : { start_branch: start }) };
    const answer = await client('POST', `${at}/repository/commits`, body);
    assert.equal(answer.status, 201, answer.text);
    return JSON.parse(answer.text).id;
  };
  const changed = (line: number) => {
    const content = text.with(line, `changed ${line}`).join('\n');
    return { action: 'update', file_path: 'text', content };
  };
  await commit('main', [{ action: 'create', file_path: 'text', content: text.join('\n') }]);
  const request = async (branch: string): Promise<string> => {
    const body = { source_branch: branch, target_branch: 'main', title: branch };
    const { iid } = JSON.parse((await client('POST', `${at}/merge_requests`, body)).text);
    return `${at}/merge_requests/${iid}`;
  };
  await commit('side', [changed(3), { action: 'create', file_path: 'dir/new', content: 'x' }], 'main');
  await commit('other', [{ action: 'create', file_path: 'dir/other', content: 'x' }], 'main');
  const picked = await commit('third', [{ action: 'create', file_path: 'dir/third', content: 'x' }], 'main');
  await commit('main', [changed(25)]);
  const side = await request('side');
  await app.drain();
  started.length = 0;
  // The process that reads diffs is warm by now.
  const other = await request('other');
  assert.deepEqual(begun(), []);
  const writes = {
    look: () => client('GET', `${side}?with_merge_status_recheck=true`),
    merge: () => client('PUT', `${side}/merge`),
    squash: () => client('PUT', `${other}/merge`, { squash: true }),
    pick: () => client('POST', `${at}/repository/commits/${picked}/cherry_pick`, { branch: 'main' }),
    revert: () => client('POST', `${at}/repository/commits/main/revert`, { branch: 'main' }),
  };
  for (const [name, write] of Object.entries(writes)) assert.deepEqual((await cost(write)).processes, [], name);
  const read = await client('GET', `${at}/repository/files/text/raw?ref=main`);
  assert.equal(read.text, text.with(3, 'changed 3').with(25, 'changed 25').join('\n'));
});

test('a push starts the git that receives it, and no other', async () => {
  const project = await app.make.project();
  const user = await GitUser.of(app);
  const dir = await user.tree();
  const address = user.address(project);
  const push = async (...refs: string[]): Promise<string[]> => {
    await app.drain();
    started.length = 0;
    await user.ok(dir, 'push', '--quiet', address, ...refs);
    // The client's own begin otherwise.
    const own = begunProcesses().filter(({ spawnargs }) => spawnargs.some((word) => word.startsWith('--git-dir=')));
    return own.map(({ spawnargs }) => spawnargs.slice(5).join(' '));
  };
  const only = (processes: string[]) => {
    assert.ok(processes.length > 0);
    for (const words of processes) assert.match(words, /\breceive-pack\b/);
  };
  only(await push('main'));
  await user.commit(dir, 'file', 'x'.repeat(200));
  only(await push('main', 'main:side'));
  await user.ok(dir, 'reset', '--quiet', '--hard', 'HEAD^');
  await user.commit(dir, 'other', 'y');
  only(await push('--force', 'main:side'));
  only(await push('main:third', ':side'));
});
