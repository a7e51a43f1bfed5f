import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { cloneUrl, mustGit, runGitClient } from '../../../test/support/git-client.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';

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

test('only the author of a merge request can let others push to the branch of his fork', async () => {
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
