import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import {
  payloadsOf,
  personShown,
  projectShown,
  ROOT_SHOWN,
  readAs,
  repositoryShown,
  type SentPayloads,
  sentPayloadsOf,
} from '../../../../test/support/payloads.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { sampleEvent } from './sample.ts';

interface Payload {
  object_attributes: Record<string, unknown>;
  changes: Record<string, { previous: unknown; current: unknown }>;
  reviewers: { id: number; state: string }[];
}

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const at = (project: Project, path = '') => `/projects/${project.id}${path}`;

/** A project with `main`, and `side` that has a commit more. */
async function branched() {
  const project = await app.make.project();
  await commitFiles(app, project.id, { 'a.txt': 'a' });
  const { id: head } = await commitFiles(app, project.id, { 'b.txt': 'b' }, { branch: 'side', start_branch: 'main' });
  return { project, head };
}

const open = async (project: Project, json: object = {}) =>
  expectStatus<{ id: number; iid: number }>(
    await app.post(at(project, '/merge_requests'), {
      json: { source_branch: 'side', target_branch: 'main', title: 'One', ...json },
    }),
    201,
  );
const payloads = (sent: SentPayloads) => payloadsOf<Payload>(sent, 'merge_requests');
const actions = (sent: SentPayloads) => payloads(sent).map(({ object_attributes: { action } }) => action);

test('a merge request that is opened is told whole, to system hooks too', async () => {
  const { project, head } = await branched();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  let made = { id: 0 };
  const sent = await sentPayloadsOf(app, async () => {
    made = await open(project, { description: 'More', assignee_ids: [1], reviewer_ids: [user.id], labels: 'bug' });
  });
  const [payload] = payloadsOf(sent, 'merge_requests');
  assert.deepEqual(
    sent.system.map(({ trigger, payload }) => [trigger, payload]),
    [['merge_requests', payload]],
  );
  const { labels, ...rest } = readAs<Payload & { labels: { title: string }[] }>(payload!);
  assert.deepEqual(
    labels.map(({ title }) => title),
    ['bug'],
  );
  const shown = projectShown(app, { ...project, namespace: 'Administrator' });
  const { object_attributes, ...around } = rest;
  const { last_commit, detailed_merge_status, merge_status, ...attributes } = object_attributes;
  assert.equal((last_commit as { id: string }).id, head);
  assert.ok(typeof detailed_merge_status === 'string' && typeof merge_status === 'string');
  const now = (current: unknown) => ({ previous: null, current });
  assert.deepEqual(around, {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: ROOT_SHOWN,
    project: shown,
    changes: {
      id: now(made.id),
      iid: now(1),
      target_project_id: now(project.id),
      source_project_id: now(project.id),
      author_id: now(1),
      source_branch: now('side'),
      target_branch: now('main'),
      title: now('One'),
      description: now('More'),
      created_at: now('2026-06-15 12:00:00 UTC'),
      updated_at: now('2026-06-15 12:00:00 UTC'),
    },
    repository: repositoryShown(app, project),
    assignees: [ROOT_SHOWN],
    reviewers: [{ ...personShown(user), state: 'unreviewed' }],
  });
  assert.deepEqual(attributes, {
    id: made.id,
    iid: 1,
    title: 'One',
    description: 'More',
    author_id: 1,
    source_branch: 'side',
    source_project_id: project.id,
    target_branch: 'main',
    target_project_id: project.id,
    milestone_id: null,
    assignee_ids: [1],
    assignee_id: 1,
    reviewer_ids: [user.id],
    created_at: '2026-06-15T12:00:00Z',
    updated_at: '2026-06-15T12:00:00Z',
    prepared_at: null,
    updated_by_id: null,
    last_edited_at: null,
    last_edited_by_id: null,
    state_id: 1,
    state: 'opened',
    draft: false,
    work_in_progress: false,
    discussion_locked: null,
    blocking_discussions_resolved: true,
    first_contribution: false,
    head_pipeline_id: null,
    merge_commit_sha: null,
    squash_commit_sha: null,
    merge_error: null,
    merge_params: { force_remove_source_branch: '0' },
    merge_user_id: null,
    merge_when_pipeline_succeeds: false,
    time_estimate: 0,
    total_time_spent: 0,
    time_change: 0,
    human_total_time_spent: null,
    human_time_change: null,
    human_time_estimate: null,
    url: `${app.deps.externalUrl()}/${project.full_path}/-/merge_requests/1`,
    source: shown,
    target: shown,
    labels,
    approval_rules: [],
    action: 'open',
    system: false,
  });
});

test('what is changed, closed, opened again, pushed to and merged is told as such', async () => {
  const { project, head } = await branched();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  await open(project);
  clock.advance(1_000);
  const path = at(project, '/merge_requests/1');
  let pushed = '';
  const sent = await sentPayloadsOf(app, async () => {
    const json = { title: 'Draft: One', reviewer_ids: [user.id], labels: 'new' };
    expectStatus(await app.put(path, { json }), 200);
    expectStatus(await app.put(path, { json: { state_event: 'close' } }), 200);
    expectStatus(await app.put(path, { json: { state_event: 'reopen', title: 'One' } }), 200);
    ({ id: pushed } = await commitFiles(app, project.id, { 'c.txt': 'c' }, { branch: 'side' }));
    expectStatus(await app.put(`${path}/merge`), 200);
  });
  assert.deepEqual(actions(sent), ['update', 'close', 'update', 'reopen', 'update', 'merge']);
  const [changed, closed, , reopened, moved, merged] = payloads(sent);
  const { labels, updated_at, ...changes } = changed!.changes;
  assert.equal((labels!.current as { title: string }[])[0]!.title, 'new');
  assert.notEqual(updated_at!.current, updated_at!.previous);
  assert.deepEqual(changes, {
    title: { previous: 'One', current: 'Draft: One' },
    draft: { previous: false, current: true },
    reviewers: { previous: [], current: [personShown(user)] },
    updated_by_id: { previous: null, current: 1 },
  });
  assert.deepEqual(
    [changed!.object_attributes.draft, changed!.object_attributes.last_edited_by_id, changed!.reviewers[0]!.id],
    [true, 1, user.id],
  );
  assert.deepEqual(
    [closed!.object_attributes.state, closed!.changes],
    ['closed', { state_id: { previous: 1, current: 2 } }],
  );
  assert.deepEqual([reopened!.object_attributes.state, 'oldrev' in reopened!.object_attributes], ['opened', false]);
  const { oldrev, last_commit } = moved!.object_attributes;
  assert.deepEqual([oldrev, (last_commit as { id: string }).id], [head, pushed]);
  const { state, state_id, merge_user_id, merge_commit_sha } = merged!.object_attributes;
  assert.deepEqual([state, state_id, merge_user_id], ['merged', 3, 1]);
  assert.match(String(merge_commit_sha), /^[0-9a-f]{40}$/);
});

test('approvals are told one by one, the last that is needed as the approval of all', async () => {
  const { project } = await branched();
  const users = await app.make.members(project);
  await app.deps.db
    .insertInto('approval_rules')
    .values({
      project_id: project.id,
      merge_request_id: null,
      source_rule_id: null,
      name: 'Two',
      rule_type: 'any_approver',
      report_type: null,
      approvals_required: 2,
      section: null,
      created_at: clock.now().toISOString(),
      updated_at: clock.now().toISOString(),
    })
    .execute();
  await open(project, { reviewer_ids: [users.developer.user.id] });
  const path = at(project, '/merge_requests/1');
  const sent = await sentPayloadsOf(app, async () => {
    expectStatus(await app.post(`${path}/approve`, { token: users.developer.token }), 201);
    expectStatus(await app.post(`${path}/approve`, { token: users.maintainer.token }), 201);
    expectStatus(await app.post(`${path}/unapprove`, { token: users.maintainer.token }), 201);
    expectStatus(await app.post(`${path}/unapprove`, { token: users.developer.token }), 201);
  });
  assert.deepEqual(actions(sent), ['approval', 'approved', 'unapproved', 'unapproval']);
  const who = payloadsOf(sent, 'merge_requests').map(({ user }) => (user as { id: number }).id);
  const { developer, maintainer } = users;
  assert.deepEqual(who, [developer.user.id, maintainer.user.id, maintainer.user.id, developer.user.id]);
});

test('approvals that a push takes away are told as taken back by the server', async () => {
  const { project } = await branched();
  const { developer } = await app.make.members(project);
  expectStatus(await app.post(at(project, '/approvals'), { json: { reset_approvals_on_push: true } }), 201);
  await open(project);
  expectStatus(await app.post(at(project, '/merge_requests/1/approve'), { token: developer.token }), 201);
  const sent = await sentPayloadsOf(app, () => commitFiles(app, project.id, { 'c.txt': 'c' }, { branch: 'side' }));
  assert.deepEqual(
    payloads(sent).map(({ object_attributes: { action, system, system_action } }) => [action, system, system_action]),
    [
      ['update', false, undefined],
      ['unapproved', true, 'approvals_reset_on_push'],
    ],
  );
});

test('that all threads are resolved is told as a change', async () => {
  const { project } = await branched();
  await open(project);
  const path = at(project, '/merge_requests/1/discussions');
  const started = await app.post(path, { json: { body: 'Why?' } });
  const { id } = expectStatus<{ id: string }>(started, 201);
  const sent = await sentPayloadsOf(app, async () => {
    expectStatus(await app.put(`${path}/${id}`, { json: { resolved: true } }), 200);
  });
  assert.deepEqual(actions(sent), ['update']);
  assert.deepEqual(payloads(sent)[0]!.changes, { blocking_discussions_resolved: { previous: false, current: true } });
});

test('one that is gone is told as it was', async () => {
  const { project } = await branched();
  const sent = await sentPayloadsOf(app, async () => {
    await open(project, { labels: 'bug' });
    expectStatus(await app.delete(at(project, '/merge_requests/1')), 204);
  });
  const [payload] = payloads(sent);
  const { title, labels } = payload!.object_attributes;
  assert.deepEqual([title, (labels as unknown[]).length, payloads(sent).length], ['One', 1, 1]);
});

test('a merge request from a fork tells both projects', async () => {
  const { project } = await branched();
  const { user, token } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const fork = expectStatus<{ id: number }>(await app.post(at(project, '/fork'), { token }), 201);
  await app.drain();
  const sent = await sentPayloadsOf(app, async () => {
    const json = { source_branch: 'side', target_branch: 'main', title: 'From afar', target_project_id: project.id };
    expectStatus(await app.post(`/projects/${fork.id}/merge_requests`, { token, json }), 201);
  });
  const { source, target, source_project_id, last_commit } = payloads(sent)[0]!.object_attributes;
  assert.deepEqual([(source as { id: number }).id, (target as { id: number }).id], [fork.id, project.id]);
  assert.equal(source_project_id, fork.id);
  assert.match((last_commit as { url: string }).url, new RegExp(`/${user.username}/`));
});

test('tests of hooks take the last merge request', async () => {
  const { project } = await branched();
  const place = { projectId: project.id };
  await assert.rejects(sampleEvent(app.deps, place, 'merge_requests', 1), {
    message: 'Ensure the project has merge requests.',
  });
  await open(project);
  const { payload } = await sampleEvent(app.deps, place, 'merge_requests', 1);
  assert.equal(readAs<Payload>(payload).object_attributes.title, 'One');
});
