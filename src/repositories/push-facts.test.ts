import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { GitUser } from '../../test/support/git-user.ts';
import { changeSettings, resetSettings } from '../../test/support/settings.ts';
import type { Project } from '../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  await commitFiles(app, project.id, { 'a.txt': 'a\n' });
  await app.drain();
});

/** Jobs of the project that follow an event. */
const jobs = async () =>
  (
    await app.deps.db
      .selectFrom('jobs')
      .select('kind')
      .where('project_id', '=', project.id)
      .where('event_id', 'is not', null)
      .execute()
  )
    .map(({ kind }) => kind)
    .sort();

const pushes = async (query: Record<string, string> = {}) =>
  expectStatus<{ action_name: string; push_data: Record<string, unknown> }[]>(
    await app.get(`/projects/${project.id}/events`, { query: { action: 'pushed', ...query } }),
    200,
  ).map(({ action_name, push_data }): Record<string, unknown> => ({ action_name, ...push_data }));

const commit = (message: string, files: Record<string, string> = { [`${message.length}.txt`]: 'x\n' }) =>
  commitFiles(app, project.id, files, { commit_message: message });

const pipelines = async () =>
  expectStatus<{ status: string; sha: string }[]>(await app.get(`/projects/${project.id}/pipelines`), 200);

describe('a commit on top of a branch', () => {
  test('that names nothing, where nothing makes pipelines, leaves no job, and the feed tells of it at once', async () => {
    const before = await commit('Before');
    await app.drain();
    const { id } = await commit(`Make it better\n\nBecause of that.`);
    assert.deepEqual(await jobs(), []);
    const [newest] = await pushes();
    assert.deepEqual(newest, {
      action_name: 'pushed to',
      commit_count: 1,
      action: 'pushed',
      ref_type: 'branch',
      commit_from: before.id,
      commit_to: id,
      ref: 'main',
      commit_title: 'Make it better',
      ref_count: null,
    });
    await app.drain();
    assert.equal((await pushes()).length, 3);
  });

  test('is told the same when its message is too long to be carried along', async () => {
    const title = 'A title that is so long that the feed does not show all of it, but cuts it';
    await commit(title);
    await commit(`${title}\n\n${'word '.repeat(300)}`);
    assert.deepEqual(await jobs(), ['event:activity-feed', 'event:ci.push', 'event:references.push']);
    await app.drain();
    const [long, short] = await pushes();
    assert.deepEqual([long?.commit_count, long?.commit_title], [1, short?.commit_title]);
    assert.equal(String(long?.commit_title).length, 70);
  });

  test('that names an issue closes it', async () => {
    const issue = expectStatus<{ iid: number }>(
      await app.post(`/projects/${project.id}/issues`, { json: { title: 'It' } }),
      201,
    );
    await app.drain();
    await commit(`Closes #${issue.iid}`);
    assert.deepEqual(await jobs(), ['event:references.push']);
    await app.drain();
    const read = await app.get(`/projects/${project.id}/issues/${issue.iid}`);
    assert.equal(expectStatus(read, 200).state, 'closed');
  });

  test('makes a pipeline once there is a configuration, wherever the project says that it stands', async () => {
    const yaml = 'job:\n  script: echo\n';
    const first = await commit('Add a configuration', { '.gitlab-ci.yml': yaml });
    await app.drain();
    const second = await commit('Another');
    await app.drain();
    assert.deepEqual(
      (await pipelines()).map(({ sha }) => sha),
      [second.id, first.id],
    );
    expectStatus(await app.put(`/projects/${project.id}`, { json: { ci_config_path: 'ci/main.yml' } }), 200);
    await commit('Elsewhere it is missing');
    assert.deepEqual(await jobs(), []);
    const third = await commit('There it is', { 'ci/main.yml': yaml });
    await app.drain();
    assert.equal((await pipelines())[0]?.sha, third.id);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { ci_config_path: 'a.yml@group/other' } }), 200);
    await commit('Of another project');
    assert.deepEqual(await jobs(), ['event:ci.push']);
    expectStatus(
      await app.put(`/projects/${project.id}`, { json: { ci_config_path: 'https://example.org/a.yml' } }),
      200,
    );
    await app.drain();
    await commit('At an address of the web');
    assert.deepEqual(await jobs(), ['event:ci.push']);
  });

  test('leaves no job where the workflow of the configuration is known to make no pipeline of it', async () => {
    const yaml = (...rules: string[]) =>
      `workflow:\n  rules:\n${rules.map((rule) => `    - if: '${rule}'\n`).join('')}job:\n  script: echo\n`;
    let files = 0;
    const change = (message: string) => commit(message, { [`change-${++files}.txt`]: 'x\n' });
    const configure = async (text: string) => {
      const path = `ci/${++files}.yml`;
      expectStatus(await app.put(`/projects/${project.id}`, { json: { ci_config_path: path } }), 200);
      await commit('Configure', { [path]: text });
      assert.deepEqual(await jobs(), ['event:ci.push']);
      await app.drain();
    };
    const made = async () => (await pipelines()).length;
    const branch = (rule: string) => yaml('$CI_COMMIT_TAG', '$CI_PIPELINE_SOURCE == "merge_request_event"', rule);
    await configure(branch('$CI_COMMIT_BRANCH == "release"'));
    await change('Known');
    assert.deepEqual(await jobs(), []);
    // What asks to be skipped is entered all the same.
    await change('Known [skip ci]');
    assert.deepEqual(await jobs(), ['event:ci.push']);
    await app.drain();
    assert.equal(await made(), 1);
    // A variable that is kept goes before what the push says.
    const variables = `/projects/${project.id}/variables`;
    const variable = { key: 'CI_COMMIT_BRANCH', value: 'release' };
    expectStatus(await app.post(variables, { json: variable }), 201);
    await change('Another branch, as it says');
    assert.deepEqual(await jobs(), ['event:ci.push']);
    await app.drain();
    assert.equal(await made(), 2);
    expectStatus(await app.delete(`${variables}/CI_COMMIT_BRANCH`), 204);
    await change('Known again');
    assert.deepEqual(await jobs(), []);

    const unprotected = branch('$CI_COMMIT_REF_PROTECTED != "true"');
    await configure(unprotected);
    await change('Protected');
    assert.deepEqual(await jobs(), []);
    expectStatus(await app.delete(`/projects/${project.id}/protected_branches/main`), 204);
    await change('Not protected');
    await app.drain();
    assert.equal(await made(), 3);

    // What only the making of a pipeline finds out, and what the configuration says itself.
    await configure(branch('$CI_COMMIT_TITLE == "Make one"'));
    await change('Make none');
    assert.deepEqual(await jobs(), ['event:ci.push']);
    await app.drain();
    await change('Make one');
    await app.drain();
    assert.equal(await made(), 4);
    await configure(`variables:\n  CI_COMMIT_TAG: ''\n${branch('$CI_COMMIT_BRANCH == "release"')}`);
    await change('Not known');
    assert.deepEqual(await jobs(), ['event:ci.push']);
    await app.drain();
    assert.equal(await made(), 4);
  });

  test('that asks for it makes a pipeline that is skipped', async () => {
    const { id } = await commit('Nothing to see [skip ci]');
    await app.drain();
    assert.deepEqual(
      (await pipelines()).map(({ status, sha }) => [status, sha]),
      [['skipped', id]],
    );
  });
});

describe('the feed tells at once', () => {
  test('of a branch that was removed, and of one entry for all beyond the limit', async () => {
    expectStatus(
      await app.post(`/projects/${project.id}/repository/branches`, { query: { branch: 'b', ref: 'main' } }),
      201,
    );
    await app.drain();
    expectStatus(await app.delete(`/projects/${project.id}/repository/branches/b`), 204);
    assert.deepEqual((await pushes())[0]?.action, 'removed');
    await changeSettings(app, { push_event_activities_limit: 0 });
    try {
      await commit('One of many');
      assert.deepEqual([(await pushes())[0]?.ref_count, (await pushes())[0]?.commit_title], [1, null]);
    } finally {
      await resetSettings(app);
    }
  });

  test('of a pushed commit, and by a job of two', async () => {
    const user = await GitUser.of(app);
    const dir = await user.tree();
    await user.ok(dir, 'fetch', '--quiet', user.address(project), 'main');
    await user.ok(dir, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
    const push = () => user.ok(dir, 'push', '--quiet', user.address(project), 'HEAD:main');
    await user.commit(dir, 'b.txt', 'b\n');
    await push();
    assert.deepEqual([(await pushes())[0]?.commit_count, await jobs()], [1, []]);
    await user.commit(dir, 'c.txt', 'c\n');
    await user.commit(dir, 'd.txt', 'd\n');
    await push();
    assert.deepEqual(await jobs(), ['event:activity-feed', 'event:ci.push', 'event:references.push']);
    await app.drain();
    assert.equal((await pushes())[0]?.commit_count, 2);
  });
});
