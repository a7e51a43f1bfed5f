import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import {
  payloadsOf,
  personShown,
  projectShown,
  ROOT_SHOWN,
  readAs,
  repositoryShown,
  sentPayloadsOf,
} from '../../../../test/support/payloads.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { hookSource } from './hook-events.ts';
import { sampleEvent } from './sample.ts';

type Attributes = Record<string, unknown>;
interface IssuePayload {
  object_kind: string;
  event_type: string;
  object_attributes: Attributes;
  changes: Record<string, { previous: unknown; current: unknown }>;
  labels: { title: string }[];
  assignees: { id: number }[];
}

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const issues = (project: Project) => `/projects/${project.id}/issues`;
const open = async (project: Project, json: object) =>
  expectStatus<{ id: number; iid: number }>(await app.post(issues(project), { json: { title: 'One', ...json } }), 201);
const change = async (project: Project, json: object) =>
  expectStatus(await app.put(`${issues(project)}/1`, { json }), 200);

test('an issue that is opened is told whole', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  let made = { id: 0, iid: 0 };
  const sent = await sentPayloadsOf(app, async () => {
    made = await open(project, { description: 'More', labels: 'bug', assignee_ids: [user.id], weight: 2 });
  });
  const { labels, ...rest } = payloadsOf<{ labels: { id: number }[] }>(sent, 'issues')[0]!;
  const label = {
    id: labels[0]!.id,
    title: 'bug',
    color: '#6699cc',
    project_id: project.id,
    created_at: '2026-06-15T12:00:00Z',
    updated_at: '2026-06-15T12:00:00Z',
    template: false,
    description: null,
    type: 'ProjectLabel',
    group_id: null,
  };
  assert.deepEqual(labels, [label]);
  const at = { previous: null, current: '2026-06-15 12:00:00 UTC' };
  const now = (current: unknown) => ({ previous: null, current });
  assert.deepEqual(rest, {
    object_kind: 'issue',
    event_type: 'issue',
    user: ROOT_SHOWN,
    project: projectShown(app, { ...project, namespace: 'Administrator' }),
    object_attributes: {
      id: made.id,
      iid: 1,
      title: 'One',
      description: 'More',
      author_id: 1,
      project_id: project.id,
      milestone_id: null,
      assignee_ids: [user.id],
      assignee_id: user.id,
      created_at: '2026-06-15T12:00:00Z',
      updated_at: '2026-06-15T12:00:00Z',
      closed_at: null,
      updated_by_id: null,
      last_edited_at: null,
      last_edited_by_id: null,
      relative_position: 1_048_576,
      state_id: 1,
      state: 'opened',
      confidential: false,
      discussion_locked: null,
      due_date: null,
      moved_to_id: null,
      duplicated_to_id: null,
      weight: 2,
      health_status: null,
      severity: 'unknown',
      type: 'Issue',
      time_estimate: 0,
      total_time_spent: 0,
      time_change: 0,
      human_total_time_spent: null,
      human_time_change: null,
      human_time_estimate: null,
      url: `${app.deps.externalUrl()}/${project.full_path}/-/issues/1`,
      labels: [label],
      action: 'open',
    },
    changes: {
      id: now(made.id),
      iid: now(1),
      project_id: now(project.id),
      author_id: now(1),
      title: now('One'),
      description: now('More'),
      created_at: at,
      updated_at: at,
    },
    repository: repositoryShown(app, project),
    assignees: [personShown(user)],
    assignee: personShown(user),
  });
  assert.deepEqual(sent.system, []);
});

test('a change tells what was and what is, of labels and people too', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  await open(project, { labels: 'old' });
  clock.advance(60_000);
  const sent = await sentPayloadsOf(app, () =>
    change(project, { title: 'Two', labels: 'new', assignee_ids: [user.id], due_date: '2030-01-02' }),
  );
  const [payload] = payloadsOf<IssuePayload>(sent, 'issues');
  const names = (value: unknown) => (value as { title: string }[]).map(({ title }) => title);
  const { labels, ...changes } = payload!.changes;
  assert.deepEqual([names(labels!.previous), names(labels!.current)], [['old'], ['new']]);
  const at = clock.now().toISOString();
  assert.deepEqual(changes, {
    title: { previous: 'One', current: 'Two' },
    assignees: { previous: [], current: [personShown(user)] },
    due_date: { previous: null, current: '2030-01-02' },
    updated_at: {
      previous: changes.updated_at!.previous,
      current: `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`,
    },
    updated_by_id: { previous: null, current: 1 },
  });
  assert.notEqual(changes.updated_at!.previous, changes.updated_at!.current);
  const { action, title, updated_by_id, last_edited_by_id } = payload!.object_attributes;
  assert.deepEqual([action, title, updated_by_id, last_edited_by_id], ['update', 'Two', 1, 1]);
});

test('closing and opening again are told as such, and time that was spent as a change', async () => {
  const project = await app.make.project();
  await open(project, {});
  const sent = await sentPayloadsOf(app, async () => {
    await change(project, { state_event: 'close' });
    await change(project, { state_event: 'reopen' });
    expectStatus(await app.post(`${issues(project)}/1/add_spent_time`, { json: { duration: '1h30m' } }), 201);
  });
  const payloads = payloadsOf<IssuePayload>(sent, 'issues');
  assert.deepEqual(
    payloads.map(({ object_attributes: { action, state, state_id } }) => [action, state, state_id]),
    [
      ['close', 'closed', 2],
      ['reopen', 'opened', 1],
      ['update', 'opened', 1],
    ],
  );
  const { time_change, human_time_change, total_time_spent } = payloads[2]!.object_attributes;
  assert.deepEqual([time_change, human_time_change, total_time_spent], [5_400, '1h 30m', 5_400]);
  assert.deepEqual(payloads[2]!.changes, { total_time_spent: { previous: 0, current: 5_400 } });
});

test('what is told is as it was, whatever became of it since, even when it is gone', async () => {
  const project = await app.make.project();
  const sent = await sentPayloadsOf(app, async () => {
    await open(project, { labels: 'first' });
    await change(project, { title: 'Later', labels: 'second', confidential: true });
    expectStatus(await app.delete(`${issues(project)}/1`), 204);
  });
  assert.deepEqual(
    sent.hooks.map(({ trigger, header, payload }) => {
      const { object_attributes, event_type, labels } = readAs<IssuePayload>(payload);
      return [trigger, header, event_type, object_attributes.title, labels.map(({ title }) => title)];
    }),
    [
      ['issues', 'Issue Hook', 'issue', 'One', ['first']],
      ['confidential_issues', 'Confidential Issue Hook', 'confidential_issue', 'Later', ['second']],
    ],
  );
});

test('what is no issue is a work item', async () => {
  const project = await app.make.project();
  const sent = await sentPayloadsOf(app, async () => {
    await open(project, { issue_type: 'task' });
    await open(project, { issue_type: 'incident', confidential: true });
  });
  const shown = sent.hooks.map(({ trigger, payload }) => {
    const { object_kind, event_type, object_attributes } = readAs<IssuePayload>(payload);
    return [trigger, object_kind, event_type, object_attributes.type, 'escalation_status' in object_attributes];
  });
  assert.deepEqual(shown, [
    ['issues', 'work_item', 'work_item', 'Task', false],
    ['confidential_issues', 'work_item', 'confidential_work_item', 'Incident', true],
  ]);
});

test('events of earlier versions are told by what the issue is now', async () => {
  const project = await app.make.project();
  const { id } = await open(project, { confidential: true });
  const event = {
    id: 1,
    type: 'issue.updated' as const,
    project_id: project.id,
    group_id: null,
    actor_id: 1,
    payload: { issue_id: id, project_id: project.id, changes: { title: ['a', 'b'] as [string, string] } },
    created_at: clock.now().toISOString(),
  };
  assert.deepEqual(hookSource.triggersOf(event), ['issues', 'confidential_issues']);
  const [hookEvent] = await hookSource.hookEventsOf(app.deps, event);
  assert.equal(hookEvent!.trigger, 'confidential_issues');
});

test('tests of hooks take the last issue', async () => {
  const project = await app.make.project();
  const place = { projectId: project.id };
  await assert.rejects(sampleEvent(app.deps, place, 'issues', 1), { message: 'Ensure the project has issues.' });
  await open(project, {});
  await open(project, { title: 'Last' });
  for (const trigger of ['issues', 'confidential_issues'] as const) {
    const sample = await sampleEvent(app.deps, place, trigger, 1);
    assert.equal(readAs<IssuePayload>(sample.payload).object_attributes.title, 'Last');
    assert.equal(sample.trigger, trigger);
  }
});
