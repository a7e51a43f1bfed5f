import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { cloneUrl, mustGit, runGitClient } from '../../../../../test/support/git-client.ts';
import { meanwhile } from '../../../../../test/support/meanwhile.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp();
  url = await app.listen();
});
after(() => app.close());

test('who may push to the target may push to the branch of a fork that allows it, and to nothing else there', async (t) => {
  const project = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  const { developer, reporter } = await app.make.members(project);
  const author = await app.make.user();
  const columns = { forked_from_id: project.id, fork_root_id: project.id };
  const fork = await app.make.project({ owner: author.user, visibility: 'public', columns });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  forkGit.commit('change', { 'c.txt': 'from afar\n' });
  forkGit.run(['update-ref', 'refs/heads/other', 'refs/heads/main']);
  const dir = mkdtempSync(join(tmpdir(), 'stithy-collaboration-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await mustGit(dir, ['clone', '--quiet', '--branch', 'change', `${url}/${fork.full_path}.git`, 'work']);
  const work = join(dir, 'work');
  await mustGit(work, ['commit', '--quiet', '--allow-empty', '--message', 'help']);
  const push = async (token: string, ...refs: string[]) =>
    (await runGitClient(work, ['push', '--quiet', cloneUrl(url, fork.full_path, token), ...refs])).code;
  const json = { title: 'x', source_branch: 'change', target_branch: 'main', target_project_id: project.id };
  expectStatus(await app.post(`/projects/${fork.id}/merge_requests`, { json, token: author.token }), 201);
  assert.notEqual(await push(developer.token, 'HEAD:change'), 0);
  const allow = { json: { allow_collaboration: true }, token: author.token };
  expectStatus(await app.put(`/projects/${project.id}/merge_requests/1`, allow), 200);
  assert.notEqual(await push(reporter.token, 'HEAD:change'), 0);
  for (const refs of [
    ['HEAD:other'],
    ['HEAD:new'],
    ['HEAD:refs/tags/v1'],
    [':change'],
    ['HEAD:change', 'HEAD:other'],
  ]) {
    assert.notEqual(await push(developer.token, ...refs), 0, refs.join(' '));
  }
  assert.equal(await push(developer.token, 'HEAD:change'), 0);
  const head = await mustGit(work, ['rev-parse', 'HEAD']);
  assert.equal(expectStatus(await app.get(`/projects/${project.id}/merge_requests/1`), 200).sha, head);
  const close = { json: { state_event: 'close' }, token: author.token };
  expectStatus(await app.put(`/projects/${project.id}/merge_requests/1`, close), 200);
  await mustGit(work, ['commit', '--quiet', '--allow-empty', '--message', 'more']);
  assert.notEqual(await push(developer.token, 'HEAD:change'), 0);
});

test('only the author of a merge request can let others push to the branch of their fork', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  const { developer } = await app.make.members(project);
  const author = await app.make.user();
  const columns = { forked_from_id: project.id, fork_root_id: project.id };
  const fork = await app.make.project({ owner: author.user, visibility: 'public', columns });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  forkGit.commit('change', { 'c.txt': 'from afar\n' });
  const json = { title: 'x', source_branch: 'change', target_branch: 'main', target_project_id: project.id };
  expectStatus(await app.post(`/projects/${fork.id}/merge_requests`, { json, token: author.token }), 201);
  const allow = { json: { allow_collaboration: true, title: 'y' }, token: developer.token };
  const changed = expectStatus(await app.put(`/projects/${project.id}/merge_requests/1`, allow), 200);
  assert.deepEqual([changed.title, changed.allow_collaboration], ['y', false]);
});

interface Shared {
  project: Project;
  fork: Project;
  author: TestUser;
  git: ProjectGit;
}

/** A merge request of the branch `change` of a fork that lets others push to it. */
async function shared(): Promise<Shared> {
  const project = await app.make.project({ visibility: 'public' });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  const author = await app.make.user();
  const columns = { forked_from_id: project.id, fork_root_id: project.id };
  const fork = await app.make.project({ owner: author.user, visibility: 'public', columns });
  const forkGit = new ProjectGit(app, fork);
  forkGit.run(['fetch', '--quiet', git.dir, 'refs/heads/main:refs/heads/main']);
  forkGit.commit('change', { 'c.txt': 'from afar\n' }, { start: forkGit.run(['rev-parse', 'main']) });
  forkGit.run(['update-ref', 'refs/heads/other', 'refs/heads/main']);
  const json = {
    title: 'x',
    source_branch: 'change',
    target_branch: 'main',
    target_project_id: project.id,
    allow_collaboration: true,
  };
  expectStatus(await app.post(`/projects/${fork.id}/merge_requests`, { json, token: author.token }), 201);
  return { project, fork, author, git: forkGit };
}

const commit = ({ fork }: Shared, token: string, more: object = {}) => {
  const actions = [{ action: 'create', file_path: randomUUID(), content: 'x' }];
  const json = { branch: 'change', commit_message: 'help', actions, ...more };
  return app.post(`/projects/${fork.id}/repository/commits`, { token, json });
};

test('a shared branch takes commits through the API from those who may merge, and nothing else does', async () => {
  const made = await shared();
  const { developer, maintainer, reporter, stranger } = await app.make.members(made.project);
  const files = `/projects/${made.fork.id}/repository/files`;
  expectStatus(await commit(made, maintainer.token), 201);
  const { token } = developer;
  expectStatus(await commit(made, token), 201);
  const write = { branch: 'change', commit_message: 'help', content: 'x' };
  expectStatus(await app.post(`${files}/new`, { token, json: write }), 201);
  expectStatus(await app.put(`${files}/new`, { token, json: { ...write, content: 'y' } }), 200);
  const sha = made.git.run(['rev-parse', 'change']);
  const commits = `/projects/${made.fork.id}/repository/commits`;
  expectStatus(await app.post(`${commits}/${sha}/revert`, { token, json: { branch: 'change' } }), 201);
  expectStatus(await app.post(`${commits}/${sha}/cherry_pick`, { token, json: { branch: 'change' } }), 201);
  expectStatus(await app.delete(`${files}/new`, { token, json: write }), 204);
  expectStatus(await commit(made, token, { branch: 'other' }), 403);
  expectStatus(await commit(made, token, { branch: 'new', start_branch: 'change' }), 403);
  expectStatus(await app.post(`${files}/more`, { token, json: { ...write, branch: 'other' } }), 400);
  expectStatus(await app.post(`${commits}/${sha}/revert`, { token, json: { branch: 'other' } }), 403);
  const branches = `/projects/${made.fork.id}/repository/branches`;
  expectStatus(await app.post(branches, { token, json: { branch: 'b', ref: 'change' } }), 403);
  expectStatus(await app.delete(`${branches}/change`, { token }), 403);
  for (const each of [reporter, stranger]) expectStatus(await commit(made, each.token), 403);
  expectStatus(await app.post(`/projects/${made.fork.id}/repository/commits`, { token: null, json: {} }), 401);
});

test('a shared branch is for those who may merge into that very target branch', async () => {
  const made = await shared();
  const { developer, maintainer } = await app.make.members(made.project);
  const protection = { name: 'main', push_access_level: 30, merge_access_level: 40 };
  expectStatus(await app.post(`/projects/${made.project.id}/protected_branches`, { json: protection }), 201);
  expectStatus(await commit(made, developer.token), 403);
  expectStatus(await commit(made, maintainer.token), 201);
});

test('a branch is shared as long as its author may push to it, and both projects are open', async () => {
  const made = await shared();
  const { maintainer } = await app.make.members(made.project);
  const member = await app.make.user();
  await app.make.member({ project: made.fork }, member.user, 30);
  const authored = (id: number) =>
    app.deps.db
      .updateTable('merge_requests')
      .set({ author_id: id })
      .where('project_id', '=', made.project.id)
      .execute();
  await authored(member.user.id);
  expectStatus(await commit(made, maintainer.token), 201);
  const path = `/projects/${made.fork.id}/members/${member.user.id}`;
  expectStatus(await app.put(path, { json: { access_level: 20 } }), 200);
  expectStatus(await commit(made, maintainer.token), 403);
  await authored(made.author.user.id);
  expectStatus(await commit(made, maintainer.token), 201);
  const json = { name: 'change', push_access_level: 40, merge_access_level: 40 };
  expectStatus(await app.post(`/projects/${made.fork.id}/protected_branches`, { json }), 201);
  expectStatus(await commit(made, maintainer.token), 403);
  expectStatus(await app.delete(`/projects/${made.fork.id}/protected_branches/change`), 204);
  expectStatus(await app.put(`/projects/${made.project.id}`, { json: { visibility: 'private' } }), 200);
  expectStatus(await commit(made, maintainer.token), 403);
});

test('a commit onto a shared branch is refused when the merge request is closed while it waits', async () => {
  const made = await shared();
  const { developer } = await app.make.members(made.project);
  const before = made.git.run(['rev-parse', 'change']);
  meanwhile(app, async () =>
    expectStatus(
      await app.put(`/projects/${made.project.id}/merge_requests/1`, { json: { state_event: 'close' } }),
      200,
    ),
  );
  expectStatus(await commit(made, developer.token), 403);
  assert.equal(made.git.run(['rev-parse', 'change']), before);
});
