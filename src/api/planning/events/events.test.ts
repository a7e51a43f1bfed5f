import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  buildTestApp,
  expectStatus,
  type RequestOptions,
  type TestApp,
  TestClock,
} from '../../../../test/support/app.ts';
import { Happenings } from '../../../../test/support/feed.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { EventJson } from './events.inputs.ts';

let app: TestApp;
let rows: Rows;
let happenings: Happenings;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
  rows = new Rows(app.deps);
  happenings = new Happenings(app, clock);
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const list = async (path: string, options: RequestOptions = {}) =>
  expectStatus<EventJson[]>(await app.get(path, options), 200);
const actionsOf = (events: EventJson[]) =>
  events.map(({ action_name, target_type }) => `${action_name} ${target_type ?? '-'}`);

const happen: Happenings['happen'] = (...what) => happenings.happen(...what);
const everything: Happenings['everything'] = (...what) => happenings.everything(...what);

test('what happens to issues, merge requests, milestones and members is told in its order', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user });
  const { user: other } = await app.make.user();
  const project_id = project.id;
  const about = { projectId: project_id, actorId: user.id };
  const issue = await rows.issue(project_id, { author_id: user.id });
  const { id: merge_request_id, iid, title } = await makeMergeRequest(app, { id: project_id }, { author_id: user.id });
  await happen('issue.created', { issue_id: issue.id, project_id }, about);
  await happen('issue.closed', { issue_id: issue.id, project_id }, about);
  await happen('issue.reopened', { issue_id: issue.id, project_id }, about);
  await happen('issue.updated', { issue_id: issue.id, project_id, changes: {} }, about);
  await happen('merge_request.created', { merge_request_id, project_id }, about);
  await happen('merge_request.approved', { merge_request_id, project_id, user_id: user.id, complete: true }, about);
  await happen('merge_request.closed', { merge_request_id, project_id }, about);
  await happen('merge_request.reopened', { merge_request_id, project_id }, about);
  await happen('merge_request.merged', { merge_request_id, project_id }, about);
  const member = { source_type: 'project', source_id: project_id, user_id: other.id, access_level: 30 } as const;
  await happen('member.added', member, about);
  await happen('member.removed', member, about);
  await happen('member.removed', member, { projectId: project_id, actorId: null });
  await app.drain();
  const events = await list(`/projects/${project_id}/events`, { token });
  assert.deepEqual(actionsOf(events).reverse(), [
    'created Project',
    'opened Issue',
    'closed Issue',
    'opened Issue',
    'opened MergeRequest',
    'approved MergeRequest',
    'closed MergeRequest',
    'opened MergeRequest',
    'accepted MergeRequest',
    'joined -',
    'left -',
    'removed due to membership expiration from -',
  ]);
  const [merged] = events.filter(({ action_name }) => action_name === 'accepted');
  const { id, author, created_at, ...rest } = merged!;
  assert.deepEqual(rest, {
    title: null,
    project_id,
    action_name: 'accepted',
    target_id: merge_request_id,
    target_iid: iid,
    target_type: 'MergeRequest',
    target_title: title,
    author_id: user.id,
    author_username: user.username,
    imported: false,
    imported_from: 'none',
    data: null,
  });
  assert.equal(author.username, user.username);
  const opened = events.find(({ target_type }) => target_type === 'Issue')!;
  assert.deepEqual([opened.target_iid, opened.target_title], [issue.iid, issue.title]);
  assert.deepEqual(
    events.filter(({ author_id }) => author_id === other.id).map(({ action_name }) => action_name),
    ['removed due to membership expiration from', 'left', 'joined'],
  );
  const created = events.at(-1)!;
  assert.deepEqual([created.target_id, created.target_title], [project_id, project.name]);
});

test('each thing is told once, in the order in which it happened, however its jobs run', async () => {
  const { user } = await app.make.user();
  const project = await app.make.project({ owner: user });
  await app.drain();
  const about = { projectId: project.id, actorId: user.id };
  const issues = [];
  for (const n of [0, 1, 2, 3]) {
    const { id } = await rows.issue(project.id, { title: `Number ${n}` });
    issues.push(id);
    // At the same instant.
    await app.deps.events.record(app.deps.db, 'issue.created', { issue_id: id, project_id: project.id }, about);
  }
  const jobs = await app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', 'event:activity-feed').execute();
  assert.equal(jobs.length, 4);
  // The last one first, and all of them twice.
  for (const [n, { id }] of jobs.entries()) {
    const run_at = new Date(clock.now().getTime() - n * 1_000).toISOString();
    await app.deps.db.updateTable('jobs').set({ run_at }).where('id', '=', id).execute();
  }
  await app.drain();
  for (const { id: _, ...job } of jobs) await app.deps.db.insertInto('jobs').values(job).execute();
  await app.drain();
  const [newest, ...others] = await list(`/projects/${project.id}/events`, { query: { target_type: 'issue' } });
  assert.equal(newest!.target_id, issues[3]);
  assert.deepEqual(
    [newest!, ...others].map(({ target_title }) => target_title),
    [3, 2, 1, 0].map((n) => `Number ${n}`),
  );
  assert.ok(others.every(({ id }, n) => id < [newest!, ...others][n]!.id));
  const ascending = await list(`/projects/${project.id}/events`, { query: { target_type: 'issue', sort: 'asc' } });
  assert.deepEqual(ascending, [newest!, ...others].reverse());
  const dead = await app.deps.db.selectFrom('jobs').select('last_error').where('last_error', 'is not', null).execute();
  assert.deepEqual(dead, []);
});

test('comments are told with the comment, system notes are not told', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user });
  const { issue, mergeRequest, snippet, notes } = await everything(project, user.id);
  const system = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id }, { system: 1 });
  const about = { projectId: project.id, actorId: user.id };
  await happen('note.created', { note_id: system.id, project_id: project.id, noteable_type: 'Issue' }, about);
  await app.drain();
  const query = { action: 'commented', sort: 'asc' };
  const comments = await list(`/projects/${project.id}/events`, { token, query });
  assert.deepEqual(
    comments.map(({ target_id, target_iid, target_type, target_title }) => [
      target_id,
      target_iid,
      target_type,
      target_title,
    ]),
    [
      [notes[0]!.id, notes[0]!.id, 'Note', issue.title],
      [notes[1]!.id, notes[1]!.id, 'Note', issue.title],
      [notes[2]!.id, notes[2]!.id, 'Note', comments[2]!.target_title],
      [notes[3]!.id, notes[3]!.id, 'DiscussionNote', mergeRequest.title],
      [notes[4]!.id, notes[4]!.id, 'Note', snippet.title],
      [notes[5]!.id, notes[5]!.id, 'Note', null],
    ],
  );
  const { note } = comments[3]!;
  assert.partialDeepStrictEqual(note, {
    id: notes[3]!.id,
    type: 'DiscussionNote',
    body: 'A comment',
    attachment: null,
    system: false,
    noteable_id: mergeRequest.id,
    noteable_type: 'MergeRequest',
    noteable_iid: mergeRequest.iid,
  });
  assert.equal(note!.author.username, user.username);
  const ofType = await list(`/projects/${project.id}/events`, { token, query: { target_type: 'note' } });
  assert.deepEqual([...new Set(ofType.map(({ target_type }) => target_type))], ['Note']);
});

test('filters narrow a list down, and odd ones are refused', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user });
  await everything(project, user.id);
  const path = `/projects/${project.id}/events`;
  for (const base of [path, '/events', `/users/${user.username}/events`, '/events?scope=all']) {
    const get = async (query: Record<string, string>) => {
      const search = `${base.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`;
      return list(`${base}${search}`, { token });
    };
    assert.deepEqual(actionsOf(await get({ action: 'pushed' })), ['deleted -']);
    assert.deepEqual(actionsOf(await get({ target_type: 'merge_request' })), ['opened MergeRequest']);
    assert.deepEqual(actionsOf(await get({ target_type: 'project' })), ['created Project']);
    assert.deepEqual(actionsOf(await get({ target_type: 'snippet', action: 'created' })), ['opened Snippet']);
    assert.deepEqual(await get({ target_type: 'snippet', action: 'closed' }), []);
    for (const none of ['epic', 'user', 'design']) assert.deepEqual(await get({ target_type: none }), []);
    const today = clock.now().toISOString().slice(0, 10);
    const all = await get({});
    assert.equal(all.length, 12);
    assert.deepEqual(await get({ before: today }), []);
    assert.deepEqual(await get({ after: today }), []);
    assert.deepEqual(await get({ after: '2026-06-14', before: '2026-06-16' }), all);
    assert.deepEqual(await get({ after: '9999-12-31' }), []);
    assert.deepEqual(await get({ sort: 'asc' }), all.toReversed());
    assert.deepEqual(await get({ per_page: '5', page: '2' }), all.slice(5, 10));
    assert.deepEqual(await get({ page: '1000000000' }), []);
  }
  for (const [query, text] of [
    [{ action: 'eaten' }, 'action does not have a valid value'],
    [{ target_type: 'Issue' }, 'target_type does not have a valid value'],
    [{ sort: 'up' }, 'sort does not have a valid value'],
    [{ before: 'then' }, 'before is invalid'],
    [{ after: '2026-13-45' }, 'after is invalid'],
    [{ page: 0 }, 'page does not have a valid value'],
  ] as const) {
    for (const each of [path, '/events', `/users/${user.id}/events`]) {
      assert.equal(message(expectStatus(await app.get(each, { token, query }), 400)), text);
    }
  }
  const page = await app.get(path, { token, query: { per_page: 5 } });
  assert.deepEqual(
    [page.headers['x-total'], page.headers['x-total-pages'], page.headers['x-next-page']],
    ['12', '3', '2'],
  );
});

test('events need read_user, read_api or api, and /events a user', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user, visibility: 'public' });
  for (const path of ['/events', `/users/${user.id}/events`, `/projects/${project.id}/events`]) {
    for (const scope of ['read_user', 'read_api', 'api']) {
      expectStatus(await app.get(path, { token: await app.make.token(user.id, [scope]) }), 200);
    }
    const other = await app.get(path, { token: await app.make.token(user.id, ['read_repository']) });
    assert.equal(expectStatus(other, 403).error, 'insufficient_scope');
  }
  expectStatus(await app.get('/events', { token: null }), 401);
  expectStatus(await app.get(`/projects/${project.id}/events`, { token: null }), 200);
  assert.equal(message(expectStatus(await app.get('/users/nobody-here/events', { token }), 404)), '404 User Not Found');
  assert.equal(
    message(expectStatus(await app.get('/projects/987654/events', { token }), 404)),
    '404 Project Not Found',
  );
});

test('what is removed is not told of any more', async () => {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ owner: user });
  await app.drain();
  const dates = { created_at: clock.now().toISOString(), updated_at: clock.now().toISOString() };
  const milestone = await app.deps.db
    .insertInto('milestones')
    .values({ iid: 1, project_id: project.id, title: 'First', ...dates })
    .returningAll()
    .executeTakeFirstOrThrow();
  const payload = { milestone_id: milestone.id, project_id: project.id, group_id: null };
  const about = { projectId: project.id, actorId: user.id };
  const issue = await rows.issue(project.id);
  const note = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id });
  await happen('milestone.created', payload, about);
  await happen('milestone.closed', payload, about);
  await happen('issue.created', { issue_id: issue.id, project_id: project.id }, about);
  await happen('note.created', { note_id: note.id, project_id: project.id, noteable_type: 'Issue' }, about);
  await app.drain();
  const path = `/projects/${project.id}/events`;
  const titles = async () => (await list(path, { token })).map((each) => `${each.action_name} ${each.target_title}`);
  const start = `created ${project.name}`;
  assert.deepEqual(await titles(), [
    `commented on ${issue.title}`,
    `opened ${issue.title}`,
    'closed First',
    'opened First',
    start,
  ]);
  await app.deps.db.deleteFrom('notes').where('id', '=', note.id).execute();
  assert.deepEqual(await titles(), [`opened ${issue.title}`, 'closed First', 'opened First', start]);
  await app.deps.db.deleteFrom('issues').where('id', '=', issue.id).execute();
  await app.deps.db.deleteFrom('milestones').where('id', '=', milestone.id).execute();
  await happen('milestone.destroyed', { ...payload, title: 'First' }, about);
  await app.drain();
  assert.deepEqual(await titles(), ['destroyed null', 'closed null', 'opened null', start]);
});
