import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../../test/support/app.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let row: MergeRequest;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base });
  row = await makeMergeRequest(app, project, { source_branch: 'topic' });
});

const path = () => `/projects/${project.id}/merge_requests/${row.iid}`;
const merge = (json: object, by?: TestUser) =>
  app.put(`${path()}/merge`, { json, ...(by === undefined ? {} : { token: by.token }) });
const cancel = (token?: string) =>
  app.post(`${path()}/cancel_merge_when_pipeline_succeeds`, token === undefined ? {} : { token });
const report = async (state: string) => {
  const json = { state, ref: 'topic', name: 'test' };
  expectStatus(await app.post(`/projects/${project.id}/statuses/${row.head_sha}`, { json }), 201);
};
const now = () => reloadMergeRequest(app, row);
const push = async () => {
  const form = 'branch=topic&commit_message=more&content=x';
  expectStatus(await app.post(`/projects/${project.id}/repository/files/more.txt`, { form }), 201);
};
const notes = async () =>
  (
    await app.deps.db
      .selectFrom('notes')
      .select('note')
      .where('noteable_id', '=', row.id)
      .where('noteable_type', '=', 'MergeRequest')
      .where('system_action', '=', 'merge')
      .orderBy('id')
      .execute()
  ).map(({ note }) => note);

describe('PUT merge with auto_merge', () => {
  test('waits for a pipeline and merges when it succeeds, in the name and with the wishes of who asked', async () => {
    const { maintainer } = await app.make.members(project);
    await report('running');
    const json = {
      merge_when_pipeline_succeeds: true,
      merge_commit_message: 'At last',
      should_remove_source_branch: true,
    };
    const body = expectStatus(await merge(json, maintainer), 200);
    assert.deepEqual([body.state, body.merge_when_pipeline_succeeds], ['opened', true]);
    assert.equal((body.merge_user as { id: number }).id, maintainer.user.id);
    assert.equal(body.should_remove_source_branch, true);
    await app.drain();
    assert.equal((await now()).state, 'opened');
    await report('success');
    await app.drain();
    const { state, auto_merge, merge_user_id } = await now();
    assert.deepEqual([state, auto_merge, merge_user_id], ['merged', 0, maintainer.user.id]);
    assert.equal(git.run(['show', '-s', '--format=%an: %B', 'main']).trim(), `${maintainer.user.name}: At last`);
    assert.equal(git.run(['for-each-ref', 'refs/heads/topic']), '');
    assert.deepEqual(await notes(), [`enabled an automatic merge when all merge checks for ${row.head_sha} pass`]);
  });

  test('merges at once where nothing is to be waited for', async () => {
    assert.equal(expectStatus(await merge({ auto_merge: true }), 200).state, 'merged');
  });

  test('waits for what may still pass', async () => {
    await app.deps.db.updateTable('merge_requests').set({ draft: 1 }).where('id', '=', row.id).execute();
    expectStatus(await merge({}), 405);
    assert.equal(expectStatus(await merge({ auto_merge: true }), 200).merge_when_pipeline_succeeds, true);
    await app.deps.db.updateTable('merge_requests').set({ draft: 0 }).where('id', '=', row.id).execute();
    const about = {
      merge_request_id: row.id,
      project_id: project.id,
      changes: { title: ['Draft: x', 'x'] as [string, string] },
    };
    await app.deps.events.record(app.deps.db, 'merge_request.updated', about, { projectId: project.id, actorId: 1 });
    await app.drain();
    assert.equal((await now()).state, 'merged');
  });

  test('waits for its time', async () => {
    const merge_after = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await app.deps.db.updateTable('merge_requests').set({ merge_after }).where('id', '=', row.id).execute();
    expectStatus(await merge({ auto_merge: true }), 200);
    await app.drain();
    assert.equal((await now()).state, 'opened');
    clock.advance(3_700_000);
    await app.drain();
    assert.equal((await now()).state, 'merged');
  });

  test('does not wait for what cannot pass, nor on another head', async () => {
    await report('running');
    expectStatus(await merge({ auto_merge: true, sha: '1'.repeat(40) }), 409);
    git.commit('main', { b: 'other' });
    await app.deps.db
      .updateTable('merge_requests')
      .set({ merge_status: 'unchecked' })
      .where('id', '=', row.id)
      .execute();
    expectStatus(await merge({ auto_merge: true }), 422);
    assert.equal((await now()).auto_merge, 0);
  });

  test('is held up by a pipeline that failed until it is run again', async () => {
    await report('running');
    expectStatus(await merge({ auto_merge: true }), 200);
    await report('failed');
    await app.drain();
    assert.deepEqual([(await now()).state, (await now()).auto_merge], ['opened', 1]);
    await report('success');
    await app.drain();
    assert.equal((await now()).state, 'merged');
  });
});

describe('an automatic merge is taken back', () => {
  beforeEach(async () => {
    await report('running');
    expectStatus(await merge({ auto_merge: true }), 200);
  });
  const isOff = async () => {
    const { auto_merge, merge_user_id, merge_params, state } = await now();
    assert.deepEqual([auto_merge, merge_user_id, merge_params], [0, null, '{}']);
    return state;
  };

  test('with the push of a new head', async () => {
    await push();
    assert.equal(await isOff(), 'opened');
    assert.equal((await notes())[1], 'aborted the automatic merge because source branch was updated');
    await report('success');
    await app.drain();
    assert.equal((await now()).state, 'opened');
  });

  test('when it is closed or gets another target', async () => {
    for (const event of ['merge_request.closed', 'merge_request.updated'] as const) {
      const changes = { target_branch: ['main', 'other'] as [string, string] };
      const about = { merge_request_id: row.id, project_id: project.id, changes };
      await app.deps.db.updateTable('merge_requests').set({ auto_merge: 1 }).where('id', '=', row.id).execute();
      await app.deps.events.record(app.deps.db, event, about, { projectId: project.id, actorId: 1 });
      await app.drain();
      await isOff();
    }
  });

  test('when who asked for it may no longer merge', async () => {
    const { maintainer } = await app.make.members(project);
    await app.deps.db
      .updateTable('merge_requests')
      .set({ merge_user_id: maintainer.user.id })
      .where('id', '=', row.id)
      .execute();
    await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', maintainer.user.id).execute();
    await report('success');
    await app.drain();
    assert.equal(await isOff(), 'opened');
  });

  test('by those who may merge, and by the author', async () => {
    const people = await app.make.members(project);
    assert.equal(expectStatus(await cancel(people.reporter.token), 401).message, '401 Unauthorized');
    assert.deepEqual(expectStatus(await cancel(people.developer.token), 201), { status: 'success' });
    assert.equal(await isOff(), 'opened');
    assert.equal(expectStatus(await cancel(), 406).message, "Can't cancel the automatic merge");
    await app.deps.db
      .updateTable('merge_requests')
      .set({ auto_merge: 1, author_id: people.reporter.user.id })
      .where('id', '=', row.id)
      .execute();
    expectStatus(await cancel(people.reporter.token), 201);
    await app.deps.db.updateTable('merge_requests').set({ state: 'merged' }).where('id', '=', row.id).execute();
    expectStatus(await cancel(), 405);
  });
});
