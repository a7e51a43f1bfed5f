import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { beforeTransaction } from '../../../../test/support/meanwhile.ts';
import { TestIssuable, usernamesOf } from '../../../../test/support/quick-actions.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let rows: Rows;
let project: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp({ clock });
  rows = new Rows(app.deps);
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
  for (const name of ['bug', 'to do', 'low']) {
    expectStatus(await app.post(`/projects/${project.id}/labels`, { json: { name, color: '#ff0000' } }), 201);
  }
  expectStatus(await app.post(`/projects/${project.id}/milestones`, { json: { title: 'v 1' } }), 201);
});
after(() => app.close());

const at = (iid: number) => `/projects/${project.id}/issues/${iid}`;
const on = (iid: number) => new TestIssuable(app, at(iid));

describe('notes', () => {
  test('quick actions alone: 202 with what they changed, no note', async () => {
    const { iid } = await rows.issue(project.id);
    const response = expectStatus(await on(iid).say('/close'), 202);
    assert.deepEqual(response, { commands_changes: { state_event: 'close' }, summary: ['Closed this issue.'] });
    const issue = await on(iid).shown();
    assert.deepEqual([issue.state, (issue.closed_by as Row).username], ['closed', 'root']);
    assert.deepEqual(await on(iid).notes(), []);
    assert.deepEqual(await on(iid).bodies('only_activity'), ['closed']);
    assert.deepEqual(expectStatus(await on(iid).say('/reopen'), 202).summary, ['Reopened this issue.']);
    assert.equal((await on(iid).shown()).state, 'opened');
  });

  test('text and quick actions: 201 with the text alone', async () => {
    const { iid } = await rows.issue(project.id);
    const body = `Done, @${users.guest.user.username}.\n/close\n/label ~bug ~"to do"\n/assign @${users.developer.user.username} me\n/title New title\n/milestone %"v 1"\n/due 2027-01-31`;
    const note = expectStatus<Row>(await on(iid).say(body, users.reporter), 201);
    assert.equal(note.body, `Done, @${users.guest.user.username}.`);
    const issue = await on(iid).shown();
    assert.deepEqual(
      [issue.state, issue.labels, issue.title, issue.due_date, (issue.milestone as Row).title, issue.user_notes_count],
      ['closed', ['bug', 'to do'], 'New title', '2027-01-31', 'v 1', 1],
    );
    assert.deepEqual(
      usernamesOf(issue.assignees),
      [users.reporter, users.developer].map(({ user }) => user.username),
    );
    const changes = note.commands_changes as Row;
    assert.deepEqual(Object.keys(changes).sort(), [
      'add_label_ids',
      'assignee_ids',
      'due_date',
      'milestone_id',
      'state_event',
      'title',
    ]);
    assert.equal(changes.due_date, '2027-01-31');
    const [firstNote] = await on(iid).notes();
    assert.deepEqual([firstNote!.body, firstNote!.commands_changes], [note.body, {}]);
    await app.drain();
    const todos = await app.deps.db
      .selectFrom('todos')
      .select(['user_id', 'action'])
      .where('target_type', '=', 'Issue')
      .where('target_id', '=', note.noteable_id as number)
      .execute();
    assert.ok(todos.some(({ user_id, action }) => user_id === users.guest.user.id && action.endsWith('ed')));
    assert.ok(todos.some(({ user_id, action }) => user_id === users.developer.user.id && action === 'assigned'));
  });

  test('one change tells of all that quick actions change together', async () => {
    const issue = await rows.issue(project.id);
    expectStatus(await on(issue.iid).say('/label ~bug\n/title Both\n/assign me'), 202);
    const events = await app.deps.db
      .selectFrom('domain_events')
      .select('payload')
      .where('type', '=', 'issue.updated')
      .orderBy('id', 'desc')
      .execute();
    const mine = events.map(({ payload }) => JSON.parse(payload)).filter(({ issue_id }) => issue_id === issue.id);
    assert.equal(mine.length, 1);
    assert.deepEqual(
      Object.keys(mine[0].changes)
        .filter((key) => !key.startsWith('updated'))
        .sort(),
      ['assignee_ids', 'labels', 'title'],
    );
  });

  test('labels, people and dates are taken away', async () => {
    const { iid } = await rows.issue(project.id);
    const all = '/label bug "to do" low\n/assign me\n/milestone "v 1"\n/due tomorrow';
    assert.deepEqual(expectStatus(await on(iid).say(all), 202).summary, [
      'Added ~"bug" ~"to do" ~"low" labels. Assigned @root. Set the milestone to %"v 1". Set the due date to Jun 16, 2026.',
    ]);
    assert.deepEqual(expectStatus(await on(iid).say('/unlabel ~low'), 202).summary, ['Removed ~"low" label.']);
    assert.deepEqual((await on(iid).shown()).labels, ['bug', 'to do']);
    assert.deepEqual(expectStatus(await on(iid).say('/relabel ~low'), 202).summary, [
      'Replaced all labels with ~"low" label.',
    ]);
    assert.deepEqual((await on(iid).shown()).labels, ['low']);
    const away = '/remove_label\n/unassign @root\n/remove_milestone\n/remove_due_date';
    assert.deepEqual(expectStatus(await on(iid).say(away), 202).summary, [
      'Removed all labels. Removed assignee @root. Removed %"v 1" milestone. Removed the due date.',
    ]);
    const { labels, assignees, milestone, due_date } = await on(iid).shown();
    assert.deepEqual([labels, assignees, milestone, due_date], [[], [], null, null]);
    assert.deepEqual(expectStatus(await on(iid).say(away), 202).summary, [
      'Could not apply unlabel command. Could not apply unassign command. Could not apply remove_milestone command. Could not apply remove_due_date command.',
    ]);
  });

  test('who may not do it changes nothing, and is told', async () => {
    const { iid } = await rows.issue(project.id);
    const all = '/close\n/label ~bug\n/assign me\n/title x\n/milestone "v 1"\n/due tomorrow\n/lock\n/reassign me';
    for (const user of [users.guest, users.stranger]) {
      const { commands_changes, summary } = expectStatus<Row>(await on(iid).say(all, user), 202);
      assert.deepEqual(commands_changes, {});
      assert.equal((summary as string[])[0]!.match(/Could not apply/g)!.length, 8);
    }
    expectStatus(await app.post(`${at(iid)}/notes`, { json: { body: all }, token: null }), 401);
    const { state, labels, assignees, title } = await on(iid).shown();
    assert.deepEqual([state, labels, assignees, title === 'x'], ['opened', [], [], false]);
    const own = await rows.issue(project.id, { author_id: users.guest.user.id });
    assert.deepEqual(expectStatus(await on(own.iid).say('/close\n/label ~bug', users.guest), 202).summary, [
      'Closed this issue. Could not apply label command.',
    ]);
  });

  test('what finds nothing does nothing', async () => {
    const { iid } = await rows.issue(project.id);
    assert.match(String(expectStatus(await on(iid).say('/label ~missing'), 400).message), /Failed to apply commands/);
    assert.match(String(expectStatus(await on(iid).say('/title'), 400).message), /Failed to apply commands/);
    for (const [body, summary] of [
      ['/assign @nobody-of-that-name', "Failed to find users for '@nobody-of-that-name'"],
      ['/assign', 'Failed to assign a user because no user was found.'],
      ['/milestone %none', 'Failed to set milestone because no milestone was found.'],
      ['/due someday', 'Failed to set due date because the date format is invalid.'],
      [`/title ${'x'.repeat(256)}`, 'Title is too long (maximum is 255 characters)'],
    ] as const) {
      assert.deepEqual(expectStatus(await on(iid).say(body), 202), { commands_changes: {}, summary: [summary] });
    }
    assert.equal(expectStatus(await on(iid).say('Text\n/label ~missing'), 201).body, 'Text');
  });

  test('whom the issue is closed to is not assigned, and told of', async () => {
    const closed = await app.make.project();
    const people = await app.make.members(closed);
    const { iid } = await rows.issue(closed.id);
    const issue = new TestIssuable(app, `/projects/${closed.id}/issues/${iid}`);
    const blocked = await app.make.user();
    expectStatus(
      await app.post(`/projects/${closed.id}/members`, { json: { user_id: blocked.user.id, access_level: 30 } }),
      201,
    );
    expectStatus(await app.post(`/users/${blocked.user.id}/block`), 201);
    const [stranger, guest, off] = [people.stranger, people.guest, blocked].map(({ user }) => `@${user.username}`);
    const outcomeOf = async (body: string) => {
      const { commands_changes, summary } = expectStatus<Row>(await issue.say(body), 202);
      return [commands_changes, (summary as string[]).join(), usernamesOf((await issue.shown()).assignees)];
    };
    const only = { assignee_ids: [people.guest.user.id] };
    const cannot = (name: string) => `Failed to assign ${name} because they cannot see this issue.`;
    assert.deepEqual(await outcomeOf(`/assign ${stranger}`), [{}, cannot(stranger!), []]);
    assert.deepEqual(await outcomeOf(`/assign ${stranger} ${guest} ${off}`), [
      only,
      `Assigned ${guest}. ${cannot(`${stranger} and ${off}`)}`,
      [people.guest.user.username],
    ]);
    assert.deepEqual(await outcomeOf(`/reassign ${off}`), [{}, cannot(off!), [people.guest.user.username]]);
    assert.deepEqual(await outcomeOf(`/reassign ${stranger} ${guest}`), [
      only,
      `Changed assignees to ${guest}. ${cannot(stranger!)}`,
      [people.guest.user.username],
    ]);
  });

  test('labels may have commas between them', async () => {
    for (const body of [
      '/label ~bug, ~"to do"',
      '/label ~bug,~"to do"',
      '/label bug, "to do"',
      '/label "bug","to do"',
    ]) {
      const { iid } = await rows.issue(project.id);
      expectStatus(await on(iid).say(body), 202);
      assert.deepEqual((await on(iid).shown()).labels, ['bug', 'to do'], body);
    }
  });

  test('in code, and unknown ones, they stay text', async () => {
    const { iid } = await rows.issue(project.id);
    for (const body of ['```\n/close\n```', '    /close', '/shout', '> /close', 'say /close']) {
      assert.equal(expectStatus(await on(iid).say(body), 201).body, body);
    }
    assert.equal((await on(iid).shown()).state, 'opened');
    assert.equal(expectStatus(await on(iid).say('/shrug So be it'), 201).body, 'So be it ¯\\＿(ツ)＿/¯');
  });

  test('the discussion is locked and unlocked; a stranger may then not even comment', async () => {
    const { iid } = await rows.issue(project.id);
    assert.deepEqual(expectStatus(await on(iid).say('/lock'), 202).summary, ['Locked the discussion.']);
    assert.equal((await on(iid).shown()).discussion_locked, true);
    expectStatus(await on(iid).say('/close', users.stranger), 403);
    expectStatus(await on(iid).say('/unlock', users.reporter), 202);
    assert.equal((await on(iid).shown()).discussion_locked, false);
  });

  test('200 of them are bounded, and told', async () => {
    const { iid } = await rows.issue(project.id);
    const { summary } = expectStatus<Row>(await on(iid).say('/close\n'.repeat(200)), 202);
    assert.match((summary as string[])[0]!, /Only the first 100 quick actions are applied\.$/);
    assert.equal((await on(iid).notes('only_activity')).length, 1);
  });

  test('threads, answers and changed notes act as well', async () => {
    const { iid } = await rows.issue(project.id);
    const path = `${at(iid)}/discussions`;
    expectStatus(await app.post(path, { json: { body: '/label ~bug' } }), 202);
    const thread = expectStatus<Row>(await app.post(path, { json: { body: 'Well\n/label ~low' } }), 201);
    const [first] = thread.notes as Row[];
    assert.deepEqual([first!.body, Object.keys(first!.commands_changes as Row)], ['Well', ['add_label_ids']]);
    expectStatus(await app.post(`${path}/${thread.id}/notes`, { json: { body: '/close' } }), 202);
    assert.equal((await on(iid).shown()).state, 'closed');
    const response = expectStatus<Row>(
      await app.post(`${path}/${thread.id}/notes`, { json: { body: 'So\n/reopen' } }),
      201,
    );
    assert.equal(response.body, 'So');
    const changed = await app.put(`${at(iid)}/notes/${response.id}`, { json: { body: 'No\n/close' } });
    assert.equal(expectStatus<Row>(changed, 200).body, 'No');
    expectStatus(await app.put(`${at(iid)}/notes/${response.id}`, { json: { body: '/reopen' } }), 202);
    expectStatus(await app.get(`${at(iid)}/notes/${response.id}`), 404);
    assert.deepEqual([(await on(iid).shown()).state, (await on(iid).shown()).labels], ['opened', ['bug', 'low']]);
  });

  test('nothing is done where the note cannot be written', async () => {
    const { iid } = await rows.issue(project.id);
    const thread = expectStatus<Row>(await app.post(`${at(iid)}/discussions`, { json: { body: 'First' } }), 201);
    const [first] = thread.notes as Row[];
    beforeTransaction(app, () =>
      app.deps.db
        .deleteFrom('notes')
        .where('id', '=', first!.id as number)
        .execute(),
    );
    const path = `${at(iid)}/discussions/${thread.id}/notes`;
    expectStatus(await app.post(path, { json: { body: 'So\n/close\n/todo' } }), 404);
    assert.equal((await on(iid).shown()).state, 'opened');
    expectStatus(await on(iid).say('   \n'), 400);
  });

  test('nothing is written where a quick action breaks off', async (t) => {
    const { iid } = await rows.issue(project.id);
    const { events } = app.deps;
    const record = events.record.bind(events);
    t.after(() => {
      events.record = record;
    });
    events.record = async (db, type, ...rest) => {
      if (type === 'issue.updated') throw new Error('the database is gone');
      return record(db, type, ...rest);
    };
    for (const method of ['notes', 'discussions']) {
      expectStatus(await app.post(`${at(iid)}/${method}`, { json: { body: 'Well\n/lock\n/title Other' } }), 500);
    }
    events.record = record;
    const { title, discussion_locked } = await on(iid).shown();
    assert.deepEqual([await on(iid).notes(), title === 'Other', discussion_locked], [[], false, null]);
  });

  test('an archived project refuses', async () => {
    const other = await app.make.project();
    const { iid } = await rows.issue(other.id);
    expectStatus(await app.post(`/projects/${other.id}/archive`), 201);
    expectStatus(await app.post(`/projects/${other.id}/issues/${iid}/notes`, { json: { body: '/close' } }), 403);
  });
});

describe('descriptions', () => {
  test('of a new issue act and leave the text; what takes an issue does nothing', async () => {
    const fresh = await app.make.project({ visibility: 'public' });
    const people = await app.make.members(fresh);
    for (const name of ['bug', 'low']) {
      expectStatus(await app.post(`/projects/${fresh.id}/labels`, { json: { name, color: '#ff0000' } }), 201);
    }
    expectStatus(await app.post(`/projects/${fresh.id}/milestones`, { json: { title: 'v 1' } }), 201);
    const description = 'Broken\n/label ~bug\n/assign me\n/due 2027-03-01\n/close\n/title Other\n/milestone %"v 1"';
    const made = expectStatus<Row>(
      await app.post(`/projects/${fresh.id}/issues`, {
        json: { title: 'Made', description, labels: 'low' },
        token: people.guest.token,
      }),
      201,
    );
    assert.deepEqual(
      [made.title, made.description, made.state, made.labels, made.due_date, usernamesOf(made.assignees)],
      ['Made', 'Broken', 'opened', ['bug', 'low'], '2027-03-01', [people.guest.user.username]],
    );
    assert.equal((made.milestone as Row).title, 'v 1');
    const strange = expectStatus<Row>(
      await app.post(`/projects/${fresh.id}/issues`, {
        json: { title: 'Made', description: '/label ~bug' },
        token: people.stranger.token,
      }),
      201,
    );
    assert.deepEqual([strange.description, strange.labels], ['', []]);
  });

  test('that are changed act, but not for what they said before', async () => {
    const issue = await rows.issue(project.id, { description: '/close' });
    const change = (description: string) => app.put(at(issue.iid), { json: { description } });
    assert.equal(expectStatus<Row>(await change('/close'), 200).state, 'opened');
    const changed = expectStatus<Row>(await change('Text\n/close\n/label ~bug'), 200);
    assert.deepEqual([changed.description, changed.state, changed.labels], ['Text', 'closed', ['bug']]);
    const twice = { description: '/reopen', state_event: 'close', title: 'Given' };
    const last = expectStatus<Row>(await app.put(at(issue.iid), { json: twice }), 200);
    assert.deepEqual([last.description, last.state, last.title], ['', 'opened', 'Given']);
    expectStatus(await app.put(at(issue.iid), { json: { labels: 'bug,low,high' } }), 200);
    const fewer = { remove_labels: 'bug', description: '/unlabel ~low' };
    assert.deepEqual(expectStatus<Row>(await app.put(at(issue.iid), { json: fewer }), 200).labels, ['high']);
  });
});
