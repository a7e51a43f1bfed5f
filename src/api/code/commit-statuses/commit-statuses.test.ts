import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { protectDefaultBranch } from '../../../repositories/default-branch.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let sha: string;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  sha = git.commit('main', { a: '1' });
});

const post = (json: Row, options: { sha?: string; token?: string | null; of?: Project } = {}) =>
  app.post(`/projects/${(options.of ?? project).id}/statuses/${encodeURIComponent(options.sha ?? sha)}`, {
    json,
    ...(options.token === undefined ? {} : { token: options.token }),
  });
const report = async (json: Row) => expectStatus<Row>(await post(json), 201);
const list = async (query = '') =>
  expectStatus<Row[]>(await app.get(`/projects/${project.id}/repository/commits/${sha}/statuses${query}`), 200);
const commit = async () => expectStatus<Row>(await app.get(`/projects/${project.id}/repository/commits/${sha}`), 200);
const pipelines = () =>
  app.deps.db.selectFrom('pipelines').selectAll().where('project_id', '=', project.id).orderBy('id').execute();

describe('POST /projects/:id/statuses/:sha', () => {
  test('makes a pipeline of the source external, which the commit shows', async () => {
    const json = {
      state: 'pending',
      name: 'ci/x',
      target_url: 'https://ci.example/1',
      description: 'Go',
      coverage: 72.5,
    };
    const body = await report(json);
    const [pipeline] = await pipelines();
    assert.deepEqual(
      { ...body, id: 0, author: (body.author as Row).username },
      {
        id: 0,
        sha,
        ref: 'main',
        status: 'pending',
        name: 'ci/x',
        target_url: 'https://ci.example/1',
        description: 'Go',
        created_at: '2026-06-15T12:00:00.000Z',
        started_at: null,
        finished_at: null,
        allow_failure: false,
        coverage: 72.5,
        pipeline_id: pipeline!.id,
        author: 'root',
      },
    );
    assert.deepEqual([pipeline!.source, pipeline!.iid, pipeline!.status], ['external', 1, 'pending']);
    const shown = await commit();
    assert.equal(shown.status, 'pending');
    assert.deepEqual(((last) => [last.id, last.source, last.ref])(shown.last_pipeline as Row), [
      pipeline!.id,
      'external',
      'main',
    ]);
    const event = await app.deps.db
      .selectFrom('domain_events')
      .select('payload')
      .where('project_id', '=', project.id)
      .where('type', '=', 'commit_status.updated')
      .executeTakeFirstOrThrow();
    const { commit_status: commitStatus, ...payload } = JSON.parse(event.payload);
    assert.deepEqual(payload, { status_id: body.id, project_id: project.id });
    assert.deepEqual([commitStatus.name, commitStatus.sha, commitStatus.status], [body.name, body.sha, body.status]);
  });

  test('moves the status of the name on, and keeps what is not said again', async () => {
    const first = await report({
      state: 'pending',
      name: 'x',
      description: 'Waiting',
      target_url: 'http://ci.example/',
    });
    const running = await report({ state: 'running', name: 'x' });
    assert.deepEqual([running.id, running.started_at], [first.id, '2026-06-15T12:00:00.000Z']);
    const done = await report({ state: 'success', name: 'x', description: 'Done', target_url: '' });
    assert.deepEqual([done.id, done.status, done.description, done.target_url], [first.id, 'success', 'Done', null]);
    assert.equal(done.finished_at, '2026-06-15T12:00:00.000Z');
    assert.equal((await commit()).status, 'success');
    assert.equal((await pipelines()).length, 1);
  });

  test('replaces a status that is over by a new one of the same name', async () => {
    const failed = await report({ state: 'failed', name: 'x' });
    const again = await report({ state: 'success', name: 'x' });
    assert.notEqual(again.id, failed.id);
    assert.equal((await commit()).status, 'success');
    assert.deepEqual(
      (await list()).map(({ id }) => id),
      [again.id],
    );
    assert.deepEqual(
      (await list('?all=true')).map(({ id }) => id),
      [failed.id, again.id],
    );
  });

  test('refuses moves that are not possible, and changes nothing', async () => {
    await report({ state: 'running', name: 'x', description: 'Before' });
    for (const [state, event] of [
      ['running', 'run'],
      ['pending', 'enqueue'],
      ['skipped', 'skip'],
    ]) {
      const { message } = expectStatus(await post({ state, name: 'x', description: 'After' }), 400);
      assert.equal(
        message,
        `Cannot transition status via :${event} from :running (Reason(s): Status cannot transition via "${event}")`,
      );
    }
    assert.deepEqual(
      (await list()).map(({ description }) => description),
      ['Before'],
    );
  });

  test('works out the status of the pipeline from all names', async () => {
    await report({ state: 'success', name: 'a' });
    await report({ state: 'running', name: 'b' });
    assert.equal((await commit()).status, 'running');
    await report({ state: 'failed', name: 'b' });
    assert.equal((await commit()).status, 'failed');
    assert.notEqual((await pipelines())[0]!.finished_at, null);
    await report({ state: 'pending', name: 'b' });
    assert.equal((await commit()).status, 'running');
    assert.equal((await pipelines())[0]!.finished_at, null);
  });

  test('takes context for name and default for neither', async () => {
    assert.equal((await report({ state: 'success', context: 'ci' })).name, 'ci');
    assert.equal((await report({ state: 'success' })).name, 'default');
    assert.equal((await report({ state: 'success', name: 'n', context: 'c' })).name, 'n');
  });

  test('keeps refs apart, and finds the ref by the pipeline or the branches of the commit', async () => {
    git.run(['branch', 'another', 'main']);
    assert.equal((await report({ state: 'success' })).ref, 'another');
    const onMain = await report({ state: 'success', ref: 'main' });
    const [one, two] = await pipelines();
    assert.deepEqual([one!.ref, two!.ref, two!.iid], ['another', 'main', 2]);
    assert.equal(onMain.pipeline_id, two!.id);
    assert.equal((await report({ state: 'success', name: 'y' })).ref, 'main');
    assert.equal((await report({ state: 'success', name: 'y', pipeline_id: one!.id })).ref, 'another');
  });

  test('gives each user a status of their own', async () => {
    const { user, token } = await app.make.user();
    await app.make.member({ project }, user, 30);
    const first = await report({ state: 'running', name: 'x' });
    const second = expectStatus<Row>(await post({ state: 'running', name: 'x' }, { token }), 201);
    assert.notEqual(second.id, first.id);
    assert.deepEqual(
      (await list()).map(({ id }) => id),
      [second.id],
    );
  });

  test('gives many reports at once one pipeline for a ref, and numbers without a gap', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `job${index}`);
    const answers = await Promise.all([
      ...names.map((name) => post({ state: 'running', name })),
      ...names.map((ref) => post({ state: 'running', ref })),
    ]);
    for (const response of answers) expectStatus(response, 201);
    const made = await pipelines();
    assert.deepEqual(
      made.map(({ iid }) => iid).sort((a, b) => a - b),
      Array.from({ length: 9 }, (_, index) => index + 1),
    );
    assert.equal(made.filter(({ ref }) => ref === 'main').length, 1);
    const same = await Promise.all(['success', 'success'].map((state) => post({ state, name: 'same' })));
    assert.deepEqual(
      same.map(({ statusCode }) => statusCode),
      [201, 201],
    );
  });

  test('refuses what does not fit', async () => {
    const message = async (json: Row) => expectStatus(await post(json), 400).message;
    assert.equal(await message({}), 'state is missing');
    assert.equal(await message({ state: 'done' }), 'state does not have a valid value');
    assert.equal(await message({ state: 'success', coverage: 'most' }), 'coverage is invalid');
    const scheme = 'is blocked: Only allowed schemes are http, https';
    for (const target_url of ['javascript:alert(1)', 'ftp://x/', 'git://testing', 'no address', '//x', 'http:']) {
      const body = expectStatus(await post({ state: 'success', target_url }), 400);
      assert.deepEqual(body.errors, { target_url: [scheme] }, target_url);
    }
    const long = expectStatus(await post({ state: 'success', name: 'n'.repeat(256), ref: 'r'.repeat(256) }), 400);
    const text = 'is too long (maximum is 255 characters)';
    assert.deepEqual(long.errors, { name: [text], ref: [text] });
    assert.deepEqual(await pipelines(), []);
  });

  test('answers 404 for unknown commits, refs and pipelines', async () => {
    for (const id of ['nope', '--all', 'f'.repeat(40), 'main..main']) {
      assert.equal(expectStatus(await post({ state: 'success' }, { sha: id }), 404).message, '404 Commit Not Found');
    }
    const loose = git.run(['commit-tree', git.run(['rev-parse', 'main^{tree}']), '-m', 'loose']);
    const { message } = expectStatus(await post({ state: 'success' }, { sha: loose }), 404);
    assert.equal(message, '404 References for commit Not Found');
    const other = await app.make.project();
    new ProjectGit(app, other).run(['fetch', '--quiet', git.dir, 'refs/heads/*:refs/heads/*']);
    const foreign = expectStatus<Row>(await post({ state: 'success' }, { of: other }), 201).pipeline_id;
    for (const pipeline_id of [foreign, 999_999]) {
      const response = await post({ state: 'success', ref: 'main', pipeline_id });
      assert.equal(expectStatus(response, 404).message, '404 Pipeline for pipeline_id, sha and ref Not Found');
    }
    assert.deepEqual(await pipelines(), []);
  });

  test('follows roles, and on protected refs who may change them', async () => {
    const users = await app.make.members(project);
    const json = { state: 'success', ref: 'main' };
    expectStatus(await post(json, { token: null }), 401);
    for (const name of ['stranger', 'guest', 'planner', 'reporter'] as const) {
      expectStatus(await post(json, { token: users[name].token }), 403);
    }
    for (const name of ['developer', 'maintainer', 'owner'] as const) {
      expectStatus(await post(json, { token: users[name].token }), 201);
    }
    expectStatus(await post(json, { token: await app.make.token(users.owner.user.id, ['read_api']) }), 403);
    await app.deps.db.transaction().execute((db) => protectDefaultBranch(app.deps, db, project.id, 'main'));
    git.run(['tag', 'main-tag', 'main']);
    const { token } = users.developer;
    assert.equal(expectStatus(await post(json, { token }), 403).message, '403 Forbidden');
    expectStatus(await post({ ...json, ref: 'main-tag' }, { token }), 201);
    expectStatus(await post(json, { token: users.maintainer.token }), 201);
    const closed = await app.make.project();
    new ProjectGit(app, closed).commit('main', { a: '1' });
    expectStatus(await post(json, { token: users.stranger.token, of: closed, sha: 'main' }), 404);
  });
});

describe('GET /projects/:id/repository/commits/:sha/statuses', () => {
  test('filters by ref, name, stage and pipeline, orders and pages', async () => {
    await report({ state: 'success', name: 'a', ref: 'main' });
    await report({ state: 'failed', name: 'b', ref: 'main' });
    await report({ state: 'success', name: 'a', ref: 'other' });
    const shown = async (query: string) => (await list(query)).map(({ name, ref }) => `${ref} ${name}`);
    assert.deepEqual(await shown(''), ['main a', 'main b', 'other a']);
    assert.deepEqual(await shown('?sort=desc'), ['other a', 'main b', 'main a']);
    assert.deepEqual(await shown('?order_by=pipeline_id&sort=desc&per_page=1'), ['other a']);
    assert.deepEqual(await shown('?ref=main&name=a'), ['main a']);
    assert.deepEqual(await shown('?stage=external'), ['main a', 'main b', 'other a']);
    assert.deepEqual(await shown('?stage=build'), []);
    assert.deepEqual(await shown(`?pipeline_id=${(await pipelines())[1]!.id}`), ['other a']);
    const response = await app.get(`/projects/${project.id}/repository/commits/main/statuses?per_page=2`);
    assert.equal(response.headers['x-total'], '3');
    const refusal = await app.get(`/projects/${project.id}/repository/commits/main/statuses?order_by=name`);
    expectStatus(refusal, 400);
  });

  test('is for signed-in users who may see code and pipelines', async () => {
    const at = (of: Project) => `/projects/${of.id}/repository/commits/main/statuses`;
    const users = await app.make.members(project);
    expectStatus(await app.get(at(project), { token: null }), 401);
    expectStatus(await app.get(at(project), { token: users.stranger.token }), 200);
    const { message } = expectStatus(await app.get(at(project).replace('main', '--all')), 404);
    assert.equal(message, '404 Commit Not Found');
    const closed = await app.make.project();
    new ProjectGit(app, closed).commit('main', { a: '1' });
    const members = await app.make.members(closed);
    expectStatus(await app.get(at(closed), { token: members.stranger.token }), 404);
    expectStatus(await app.get(at(closed), { token: members.guest.token }), 403);
    for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
      expectStatus(await app.get(at(closed), { token: members[name].token }), 200);
    }
    const hidden = await app.make.project({ visibility: 'public', columns: { repository_access_level: 'private' } });
    new ProjectGit(app, hidden).commit('main', { a: '1' });
    for (const path of [at(hidden), at(hidden).replace('main', 'gone')]) {
      expectStatus(await app.get(path, { token: users.stranger.token }), 403);
    }
  });
});

describe('jobs of a commit', () => {
  const jobs = [
    { name: 'unit', status: 'failed', allowFailure: true, columns: { coverage: 12.5 } },
    { name: 'old', status: 'failed', columns: { retried: 1 } },
    { name: 'lint', stage: 'check', status: 'success' },
  ] as const;

  test('stand in its list, for those who may see pipelines', async () => {
    const { pipeline, jobs: made } = await makePipeline(app, project, { jobs, columns: { sha } });
    await report({ state: 'success', name: 'ci/x', target_url: 'https://ci.example/1' });
    const rows = await list();
    assert.deepEqual(
      rows.map(({ name, status, allow_failure, coverage, target_url, pipeline_id }) => [
        ...[name, status, allow_failure, coverage, target_url, pipeline_id],
      ]),
      [
        [
          ...['unit', 'failed', true, 12.5],
          `${app.deps.externalUrl()}/${project.full_path}/-/jobs/${made.unit!.id}`,
          pipeline.id,
        ],
        [
          ...['lint', 'success', false, null],
          `${app.deps.externalUrl()}/${project.full_path}/-/jobs/${made.lint!.id}`,
          pipeline.id,
        ],
        ['ci/x', 'success', false, null, 'https://ci.example/1', pipeline.id],
      ],
    );
    assert.deepEqual(
      (await list('?stage=check')).map(({ name }) => name),
      ['lint'],
    );
    assert.equal((await list('?all=true')).length, 4);
    const settings = JSON.stringify({ public_jobs: false });
    await app.deps.db.updateTable('projects').set({ settings }).where('id', '=', project.id).execute();
    const { token } = await app.make.user();
    const path = `/projects/${project.id}/repository/commits/${sha}`;
    const seen = expectStatus<Row[]>(await app.get(`${path}/statuses`, { token }), 200);
    assert.deepEqual(
      seen.map(({ name }) => name),
      ['ci/x'],
    );
    const { status, last_pipeline } = expectStatus<Row>(await app.get(path, { token }), 200);
    assert.deepEqual([status, last_pipeline], [null, null]);
  });

  test('decide about its status with what is reported, as their pipeline says', async () => {
    const { pipeline } = await makePipeline(app, project, { jobs, columns: { sha, status: 'success' } });
    assert.equal((await commit()).status, 'success');
    const { pipeline_id } = await report({ state: 'running', name: 'ci/x' });
    assert.deepEqual([pipeline_id, (await commit()).status], [pipeline.id, 'running']);
    await report({ state: 'failed', name: 'ci/x' });
    assert.equal((await commit()).status, 'failed');
    await makePipeline(app, project, { jobs, columns: { sha, source: 'parent_pipeline', parent_id: pipeline.id } });
    const shown = await commit();
    assert.deepEqual([shown.status, (shown.last_pipeline as Row).id], ['failed', pipeline.id]);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .select('payload')
      .where('project_id', '=', project.id)
      .where('type', '=', 'pipeline.updated')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      events.map(({ payload }) => JSON.parse(payload).status),
      ['running', 'failed'],
    );
  });
});
