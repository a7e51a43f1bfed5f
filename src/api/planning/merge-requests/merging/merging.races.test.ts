import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../../test/support/app.ts';
import { makeMergeRequest, reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

/** A clock that lets something happen whenever the time is asked for, up to a number of times. */
class BusyClock extends TestClock {
  happens: (() => void) | null = null;
  times = 0;

  override now(): Date {
    if (this.times > 0) {
      this.times -= 1;
      this.happens?.();
    }
    return super.now();
  }
}

const clock = new BusyClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

interface Scene {
  project: Project;
  git: ProjectGit;
  row: MergeRequest;
  base: string;
  path: string;
}

async function scene(): Promise<Scene> {
  const project = await app.make.project();
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1' });
  git.commit('topic', { b: '1' }, { start: base });
  const row = await makeMergeRequest(app, project, { source_branch: 'topic' });
  return { project, git, row, base, path: `/projects/${project.id}/merge_requests/${row.iid}` };
}

const merges = ({ git, base }: Scene): string[] =>
  git
    .run(['rev-list', '--merges', `${base}..main`])
    .split('\n')
    .filter((oid) => oid !== '');

const mergedEvents = ({ project }: Scene) =>
  app.deps.db
    .selectFrom('domain_events')
    .select('id')
    .where('project_id', '=', project.id)
    .where('type', '=', 'merge_request.merged')
    .execute();

test('of twenty merges at once one is done', async () => {
  const made = await scene();
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.put(`${made.path}/merge`)));
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  assert.equal(statuses[0], 200);
  assert.deepEqual(new Set(statuses.slice(1)).difference(new Set([405, 409])), new Set());
  assert.equal(merges(made).length, 1);
  assert.equal((await mergedEvents(made)).length, 1);
  const { state, merge_commit_sha } = await reloadMergeRequest(app, made.row);
  assert.deepEqual([state, merge_commit_sha], ['merged', made.git.run(['rev-parse', 'main'])]);
});

test('merge requests into one branch at once are all merged, one on top of the other', async () => {
  const made = await scene();
  const paths = [made.path];
  for (const name of ['x', 'y', 'z']) {
    made.git.commit(name, { [name]: '1' }, { start: made.base });
    const { iid } = await makeMergeRequest(app, made.project, { source_branch: name });
    paths.push(`/projects/${made.project.id}/merge_requests/${iid}`);
  }
  const answers = await Promise.all(paths.map((path) => app.put(`${path}/merge`)));
  for (const response of answers) expectStatus(response, 200);
  assert.equal(merges(made).length, 4);
  assert.equal(made.git.run(['ls-tree', '--name-only', 'main']), 'a\nb\nx\ny\nz');
});

test('whatever is merged was approved at exactly that head, whenever pushes come', async () => {
  let mergedRounds = 0;
  let resetRounds = 0;
  for (let round = 0; round < 12; round += 1) {
    const made = await scene();
    const { project, path, row } = made;
    const approver = await app.make.user();
    await app.make.member({ project }, approver.user, 40);
    const rule = { name: 'one', approvals_required: 1, user_ids: [approver.user.id] };
    expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
    expectStatus(await app.post(`/projects/${project.id}/approvals`, { json: { reset_approvals_on_push: true } }), 201);
    const approve = () => app.post(`${path}/approve`, { token: approver.token });
    const merge = () => app.put(`${path}/merge`);
    const push = () =>
      app.post(`/projects/${project.id}/repository/files/f${round}.txt`, {
        form: 'branch=topic&commit_message=more&content=x',
      });
    if (round % 2 === 0) expectStatus(await approve(), 201);
    const later = async <T>(step: number, act: () => Promise<T>) => {
      await sleep(((round * 7 + step * 3) % 5) * 4);
      return act();
    };
    const steps = [approve, push, merge, merge, merge];
    const answers = await Promise.all(steps.map((act, step) => later(step, act)));
    for (const { statusCode, body } of answers) assert.ok(statusCode < 500, body);
    const now = await reloadMergeRequest(app, row);
    if (now.state !== 'merged') {
      assert.equal(now.state, 'opened');
      assert.deepEqual(merges(made), []);
      resetRounds += 1;
      continue;
    }
    mergedRounds += 1;
    const [commit] = merges(made);
    const [, head] = made.git.run(['show', '-s', '--format=%P', commit!]).split(' ');
    assert.equal(now.head_sha, head);
    const approvals = await app.deps.db
      .selectFrom('approvals')
      .select('head_sha')
      .where('merge_request_id', '=', row.id)
      .execute();
    assert.deepEqual(
      approvals.map(({ head_sha }) => head_sha),
      [head],
    );
    assert.equal((await mergedEvents(made)).length, 1);
  }
  assert.ok(mergedRounds > 0, `${resetRounds} rounds, and none was merged`);
});

test('a merge goes onto whatever the target branch is by then', async () => {
  const made = await scene();
  clock.happens = () => made.git.commit('main', { [`c${clock.times}`]: '1' });
  clock.times = 10;
  const body = expectStatus(await app.put(`${made.path}/merge`), 200);
  assert.equal(clock.times, 0);
  assert.equal(made.git.run(['rev-parse', 'main']), body.merge_commit_sha);
  const files = Array.from({ length: 10 }, (_, index) => `c${index}`);
  assert.equal(made.git.run(['ls-tree', '--name-only', 'main']), ['a', 'b', ...files].join('\n'));
  assert.equal(merges(made).length, 1);
});

test('a merge that never finds the target branch at rest gives up and leaves it open', async () => {
  const made = await scene();
  clock.happens = () => made.git.commit('main', { c: String(clock.times) });
  clock.times = 1_000;
  const response = await app.put(`${made.path}/merge`);
  clock.times = 0;
  assert.equal(expectStatus(response, 409).message, '409 Conflict: Resource lock');
  assert.equal((await reloadMergeRequest(app, made.row)).state, 'opened');
  assert.deepEqual(merges(made), []);
  expectStatus(await app.put(`${made.path}/merge`), 200);
});

test('of a merge and a commit that conflicts with it one comes first, and the other is refused', async () => {
  const made = await scene();
  const user = `/projects/${made.project.id}/repository/commits`;
  const json = {
    branch: 'main',
    commit_message: 'same',
    actions: [{ action: 'create', file_path: 'b', content: 'other' }],
  };
  const [commit, merge] = await Promise.all([app.post(user, { json }), app.put(`${made.path}/merge`)]);
  // One of the two comes first and is in the way of the other; neither is lost or done by halves.
  const done = [commit.statusCode === 201, merge.statusCode === 200];
  assert.equal(done.filter(Boolean).length, 1, `${commit.body} ${merge.body}`);
  assert.equal((await reloadMergeRequest(app, made.row)).state, done[1] ? 'merged' : 'opened');
  assert.equal(merges(made).length, done[1] ? 1 : 0);
});
