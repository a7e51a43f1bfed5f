import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { checkAnswer } from '../../../test/support/conformance.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import { makeMergeRequest } from '../../../test/support/merge-request.ts';
import type { Project } from '../../db/tables/projects.table.ts';

const TYPE = 'application/vnd.git-lfs+json';
const MISSING = /LFS objects are missing\. Ensure LFS is properly set up or try a manual "git lfs push --all"\./;

let app: TestApp;
let user: GitUser;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  user = await GitUser.of(app);
});
after(() => app.close());

/** What the LFS program would commit for a content, and how the content is announced. */
function pointerTo(content: string): { oid: string; size: number; text: string } {
  const oid = createHash('sha256').update(content).digest('hex');
  const size = Buffer.byteLength(content);
  return { oid, size, text: `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n` };
}

interface LfsAnswer {
  message?: string;
  lock?: { id: string };
  ours?: { path: string }[];
  theirs?: { path: string }[];
}

/** Asks below a project's LFS address. */
async function lfs(project: Project, method: 'GET' | 'POST', path: string, body?: unknown, token = ROOT_TOKEN) {
  const response = await app.instance.server.app.inject({
    method,
    url: `/${project.full_path}.git/info/lfs/${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: TYPE,
      ...(body === undefined ? {} : { 'content-type': TYPE }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  checkAnswer(method, `/-/git/project/info/lfs/${path}`, response);
  assert.equal(response.headers['content-type'], TYPE);
  return { status: response.statusCode, body: response.json<LfsAnswer>() };
}

async function upload(project: Project, content: string): Promise<void> {
  const { oid, size } = pointerTo(content);
  const sent = await fetch(`${url}/${project.full_path}.git/gitlab-lfs/objects/${oid}/${size}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: content,
  });
  assert.equal(sent.status, 200);
}

const lock = async (project: Project, path: string, token = ROOT_TOKEN): Promise<string> => {
  const { status, body } = await lfs(project, 'POST', 'locks', { path }, token);
  assert.equal(status, 201);
  return body.lock!.id;
};

describe('pointers that are pushed without their objects', () => {
  test('are refused until the objects are there, in many commits and among many files as well', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    for (let index = 0; index < 5; index += 1) await user.commit(dir, `small-${index}`, 'x'.repeat(200 + index));
    const content = `a large file ${project.id}`;
    await user.commit(dir, 'deep/in/large.bin', pointerTo(content).text);
    await user.commit(dir, 'after', 'more\n');
    assert.match(await user.fails(dir, 'push', user.address(project), 'main'), MISSING);
    assert.doesNotMatch(await user.ok(dir, 'ls-remote', user.address(project)), /refs/);
    await upload(project, content);
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
    assert.match(
      await user.fails(dir, 'push', user.address(await app.make.project()), 'main'),
      MISSING,
      'what another project has does not count',
    );
  });

  test('do not hinder a push when they were there before, or where LFS is off', async () => {
    const project = await app.make.project({ columns: { settings: JSON.stringify({ lfs_enabled: false }) } });
    const dir = await user.tree();
    // Long enough for a delta of the next version against it.
    const first = `${pointerTo('never uploaded').text}x-note ${'abcdefgh'.repeat(90)}\n`;
    await user.commit(dir, 'large.bin', first);
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
    assert.equal((await lfs(project, 'POST', 'objects/batch', { operation: 'download', objects: [] })).status, 404);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { lfs_enabled: true } }), 200);
    await upload(project, 'uploaded');
    await user.commit(dir, 'large.bin', `${pointerTo('uploaded').text}x-note ${'abcdefgh'.repeat(90)}\n`);
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main', 'main:refs/heads/second');
    await user.commit(dir, 'large.bin', pointerTo('nor this').text);
    assert.match(await user.fails(dir, 'push', user.address(project), 'main'), MISSING);
  });
});

test('what a merge request from a fork refers to can be had from its target, earlier versions too, and no more', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  const author = await app.make.user();
  const { id } = expectStatus<{ id: number }>(
    await app.post(`/projects/${project.id}/fork`, { token: author.token, json: { path: 'lfs-fork' } }),
    201,
  );
  await app.drain();
  const fork = await app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  for (const content of ['first version', 'second version', 'not referred to']) await upload(fork, content);
  await user.commit(dir, 'large.bin', pointerTo('first version').text);
  await user.commit(dir, 'large.bin', pointerTo('second version').text);
  await user.ok(dir, 'push', '--quiet', user.address(fork), 'HEAD:refs/heads/large');
  const { iid } = await makeMergeRequest(app, project, { source_branch: 'large', source_project_id: fork.id });
  expectStatus(await app.put(`/projects/${project.id}/merge_requests/${iid}/merge`), 200);
  const has = async (content: string) => {
    const { oid } = pointerTo(content);
    return (await fetch(`${url}/${project.full_path}.git/gitlab-lfs/objects/${oid}`)).status;
  };
  assert.deepEqual(
    [await has('first version'), await has('second version'), await has('not referred to')],
    [200, 200, 404],
  );
});

interface Locked {
  project: Project;
  dir: string;
  developer: TestUser;
  maintainer: TestUser;
  id: string;
}

/** A project with `model.bin` on `main`, which its Maintainer has locked. */
async function lockedFile(): Promise<Locked> {
  const project = await app.make.project();
  const { developer, maintainer } = await app.make.members(project);
  const dir = await user.tree();
  await user.commit(dir, 'model.bin', 'one\n');
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  return { project, dir, developer, maintainer, id: await lock(project, 'model.bin', maintainer.token) };
}

const textOf = ({ user }: TestUser) => `The path 'model.bin' is locked in Git LFS by ${user.name}`;

describe('locks', () => {
  test('hold for pushes of others to any branch, and not for the one who locked', async () => {
    const { project, dir, developer, maintainer, id } = await lockedFile();
    const mine = user.address(project, developer.token);
    await user.commit(dir, 'model.bin', 'two\n');
    await user.commit(dir, 'free', 'x\n');
    for (const branch of ['feature', 'other/one']) {
      const shown = await user.fails(dir, 'push', mine, `HEAD:refs/heads/${branch}`);
      assert.ok(shown.includes(`remote: Stithy: ${textOf(maintainer)}`), shown);
    }
    await user.ok(dir, 'push', '--quiet', user.address(project, maintainer.token), 'HEAD:refs/heads/theirs');
    // The commits are known now, so that nothing is changed by whoever pushes them on.
    await user.ok(dir, 'push', '--quiet', mine, 'HEAD:refs/heads/feature');
    // Neither does a merge of what the owner of the lock has changed.
    await user.ok(dir, 'checkout', '--quiet', '-b', 'mine', 'main~2');
    await user.commit(dir, 'mine', 'x\n');
    await user.ok(dir, 'merge', '--quiet', '--no-edit', 'main');
    await user.ok(dir, 'push', '--quiet', mine, 'HEAD:refs/heads/merged');
    await user.commit(dir, 'model.bin', 'three\n');
    assert.match(await user.fails(dir, 'push', mine, 'HEAD:refs/heads/merged'), /locked in Git LFS/);
    const unlocked = await lfs(project, 'POST', `locks/${id}/unlock`, {}, maintainer.token);
    assert.equal(unlocked.status, 200);
    await user.ok(dir, 'push', '--quiet', mine, 'HEAD:refs/heads/merged');
  });

  test('hold for commits through the API: update, move, delete, cherry-pick and revert', async () => {
    const { project, dir, developer, maintainer } = await lockedFile();
    await user.ok(dir, 'push', '--quiet', user.address(project), 'HEAD:refs/heads/work');
    const commit = async (action: object, token: string) =>
      app.post(`/projects/${project.id}/repository/commits`, {
        token,
        json: { branch: 'work', commit_message: 'x', actions: [action] },
      });
    const update = { action: 'update', file_path: 'model.bin', content: 'api\n' };
    for (const action of [
      update,
      { action: 'move', file_path: 'moved.bin', previous_path: 'model.bin' },
      { action: 'delete', file_path: 'model.bin' },
    ]) {
      const refused = expectStatus<{ message: string }>(await commit(action, developer.token), 400);
      assert.equal(refused.message, textOf(maintainer));
    }
    const file = await app.put(`/projects/${project.id}/repository/files/model.bin`, {
      token: developer.token,
      json: { branch: 'work', content: 'x', commit_message: 'x' },
    });
    assert.equal(expectStatus<{ message: string }>(file, 400).message, textOf(maintainer));
    const { id: made } = expectStatus<{ id: string }>(await commit(update, maintainer.token), 201);
    expectStatus(await commit({ action: 'create', file_path: 'free', content: 'x' }, developer.token), 201);
    const path = `/projects/${project.id}/repository/commits/${made}`;
    const reverted = await app.post(`${path}/revert`, { token: developer.token, json: { branch: 'work' } });
    assert.equal(expectStatus<{ message: string }>(reverted, 400).message, textOf(maintainer));
    await app.deps.db.deleteFrom('protected_refs').where('project_id', '=', project.id).execute();
    const picked = await app.post(`${path}/cherry_pick`, { token: developer.token, json: { branch: 'main' } });
    assert.equal(expectStatus<{ message: string }>(picked, 400).message, textOf(maintainer));
  });

  test('hold for merges, also a lock that comes after the merge request was found mergeable', async () => {
    const project = await app.make.project();
    const { developer } = await app.make.members(project);
    const dir = await user.tree();
    await user.commit(dir, 'model.bin', 'one\n');
    await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
    await user.commit(dir, 'model.bin', 'two\n');
    await user.ok(dir, 'push', '--quiet', user.address(project), 'HEAD:refs/heads/feature');
    const { iid } = await makeMergeRequest(app, project, { source_branch: 'feature' });
    const path = `/projects/${project.id}/merge_requests/${iid}`;
    const status = async () =>
      expectStatus<{ detailed_merge_status: string }>(await app.get(path), 200).detailed_merge_status;
    assert.equal(await status(), 'mergeable');
    const id = await lock(project, 'model.bin', developer.token);
    assert.equal(await status(), 'locked_lfs_files');
    expectStatus(await app.put(`${path}/merge`), 422);
    expectStatus(await app.get(path), 200);
    await lfs(project, 'POST', `locks/${id}/unlock`, { force: true });
    expectStatus(await app.put(`${path}/merge`), 200);
  });

  test('are made, listed, verified and removed by who may', async () => {
    const { project, developer, maintainer, id } = await lockedFile();
    const reporter = await app.make.user();
    await app.make.member({ project }, reporter.user, 20);
    const again = await lfs(project, 'POST', 'locks', { path: 'model.bin' }, developer.token);
    assert.equal(again.status, 409);
    assert.equal(again.body.lock!.id, id);
    assert.equal((await lfs(project, 'POST', 'locks', { path: 'x' }, reporter.token)).status, 403);
    assert.equal((await lfs(project, 'GET', 'locks', undefined, reporter.token)).status, 200);
    const verified = await lfs(project, 'POST', 'locks/verify', {}, developer.token);
    assert.deepEqual([verified.body.ours, verified.body.theirs!.map(({ path }) => path)], [[], ['model.bin']]);
    const denied = await lfs(project, 'POST', `locks/${id}/unlock`, {}, developer.token);
    assert.deepEqual([denied.status, denied.body.message], [403, `'model.bin' is locked by ${maintainer.user.name}`]);
    const forced = await lfs(project, 'POST', `locks/${id}/unlock`, { force: true }, developer.token);
    assert.deepEqual(
      [forced.status, forced.body.message],
      [403, 'You must have maintainer access to force delete a lock'],
    );
    assert.equal((await lfs(project, 'POST', `locks/${id}/unlock`, { force: true })).status, 200);
    assert.equal((await lfs(project, 'POST', `locks/${id}/unlock`, {})).status, 404);
  });
});
