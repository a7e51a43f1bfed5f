import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { Pipelines } from '../../../../test/support/pipeline-states.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let pipelines: Pipelines;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp();
  pipelines = new Pipelines(app);
});
after(() => app.close());

const CONFIG = [
  'both:',
  '  script: x',
  '  rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}, {if: $CI_COMMIT_BRANCH}]',
  'checks:',
  '  script: x',
  '  rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]',
  '',
].join('\n');

beforeEach(async () => {
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
});

const all = (of: Project) =>
  app.deps.db.selectFrom('pipelines').selectAll().where('project_id', '=', of.id).orderBy('id').execute();
async function open(body: Record<string, unknown> = {}, of: Project = project, token?: string): Promise<number> {
  const json = { source_branch: 'topic', target_branch: 'main', title: 'T', ...body };
  const response = await app.post(`/projects/${of.id}/merge_requests`, {
    json,
    ...(token === undefined ? {} : { token }),
  });
  const { iid } = expectStatus<{ iid: number }>(response, 201);
  await app.drain();
  return iid;
}
async function commit(
  branch: string,
  files: Record<string, string>,
  of: Project = project,
  token?: string,
): Promise<void> {
  await commitFiles(app, of.id, files, { branch, token });
  await app.drain();
}

describe('a merge request', () => {
  it('that is opened, and every push to it, makes a pipeline of its head', async () => {
    git.commit('main', { '.gitlab-ci.yml': CONFIG });
    const head = git.commit('topic', { a: '1' }, { start: git.run(['rev-parse', 'main']) });
    const iid = await open();
    const [first, ...more] = await all(project);
    assert.equal(more.length, 0);
    const { source, ref, sha, target_sha, merge_request_id } = first!;
    assert.deepEqual(
      [source, ref, sha, target_sha],
      ['merge_request_event', `refs/merge-requests/${iid}/head`, head, null],
    );
    assert.notEqual(merge_request_id, null);
    assert.equal(await pipelines.states(first!.id), 'pending: both pending, checks pending');
    await commit('topic', { b: '1' });
    const made = (await all(project)).slice(1);
    assert.deepEqual(made.map((each) => `${each.source} ${each.ref}`).sort(), [
      `merge_request_event refs/merge-requests/${iid}/head`,
      'push topic',
    ]);
    const again = made.find((each) => each.source === 'merge_request_event')!;
    assert.equal(again.before_sha, head);
    assert.equal((await pipelines.get(first!.id)).status, 'canceled');
  });

  it('runs what a merge would make where the project wants that and git can merge', async () => {
    project = await app.make.project({ columns: { settings: '{"merge_pipelines_enabled":true}' } });
    git = new ProjectGit(app, project);
    git.commit('main', { '.gitlab-ci.yml': CONFIG });
    const start = git.run(['rev-parse', 'main']);
    const head = git.commit('topic', { a: '1' }, { start });
    const tip = git.commit('main', { c: '1' });
    const iid = await open();
    const [merged] = await all(project);
    assert.deepEqual(
      [merged!.ref, merged!.source_sha, merged!.target_sha],
      [`refs/merge-requests/${iid}/merge`, head, tip],
    );
    assert.equal(git.run(['rev-parse', `${merged!.sha}^1`, `${merged!.sha}^2`]), `${tip}\n${head}`);
    git.commit('conflict', { c: '2' }, { start });
    await open({ source_branch: 'conflict' });
    const conflicting = (await all(project)).at(-1)!;
    assert.match(conflicting.ref, /\/head$/);
    assert.equal(conflicting.target_sha, null);
  });

  it('makes none where no job is for merge requests', async () => {
    git.commit('main', { '.gitlab-ci.yml': 'a:\n  script: x\n' });
    git.commit('topic', { a: '1' }, { start: git.run(['rev-parse', 'main']) });
    await open();
    assert.deepEqual(await all(project), []);
  });

  it('is skipped where the commit says so, and has none at all where no job is for merge requests', async () => {
    git.commit('main', { '.gitlab-ci.yml': 'a:\n  script: x\n' });
    const start = git.run(['rev-parse', 'main']);
    git.commit('topic', { a: '1' }, { start, message: 'x [skip ci]\n' });
    await open();
    assert.deepEqual(await all(project), []);
    git.commit('other', { '.gitlab-ci.yml': CONFIG }, { start, message: 'x [skip ci]\n' });
    await open({ source_branch: 'other' });
    assert.deepEqual(
      (await all(project)).map(({ source, status }) => [source, status]),
      [['merge_request_event', 'skipped']],
    );
  });

  it('leaves the branch alone where the workflow says so', async () => {
    const rules = [
      '{if: $CI_PIPELINE_SOURCE == "merge_request_event"}',
      '{if: $CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS, when: never}',
      '{if: $CI_COMMIT_BRANCH}',
    ].join(', ');
    git.commit('main', { '.gitlab-ci.yml': `workflow:\n  rules: [${rules}]\nplain:\n  script: x\n` });
    git.commit('topic', { a: '1' }, { start: git.run(['rev-parse', 'main']) });
    await commit('topic', { b: '1' });
    await open();
    await commit('topic', { c: '1' });
    assert.deepEqual(
      (await all(project)).map(({ source }) => source),
      ['push', 'merge_request_event', 'merge_request_event'],
    );
  });

  it('from a fork runs in the fork, or in the parent for those who may run pipelines there', async () => {
    git.commit('main', { '.gitlab-ci.yml': CONFIG });
    const { user, token } = await app.make.user();
    const forked = expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/fork`, { token }), 201);
    await app.drain();
    const fork = await app.deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', forked.id)
      .executeTakeFirstOrThrow();
    expectStatus(
      await app.post(`/projects/${fork.id}/repository/branches`, { token, query: { branch: 'topic', ref: 'main' } }),
      201,
    );
    await commit('topic', { a: '1' }, fork, token);
    const before = (await all(fork)).length;
    const iid = await open({ target_project_id: project.id }, fork, token);
    const inFork = (await all(fork)).slice(before);
    assert.deepEqual(
      inFork.map(({ source, ref, user_id }) => [source, ref, user_id]),
      [['merge_request_event', 'topic', user.id]],
    );
    assert.deepEqual(await all(project), []);
    await app.make.member({ project }, user, 30);
    await commit('topic', { b: '1' }, fork, token);
    assert.deepEqual(
      (await all(project)).map(({ ref, protected: isProtected }) => [ref, isProtected]),
      [[`refs/merge-requests/${iid}/head`, 0]],
    );
  });
});
