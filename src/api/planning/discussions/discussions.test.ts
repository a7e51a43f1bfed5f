import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { MergeRequestDiff } from '../../../db/tables/merge-request-diffs.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { refreshMergeRequest } from '../merge-requests/mergeability/refresh.ts';

type Row = Record<string, unknown>;
interface Thread {
  id: string;
  individual_note: boolean;
  notes: Row[];
}
const clock = new TestClock();
const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`);
let app: TestApp;
let rows: Rows;
let project: Project;
let git: ProjectGit;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let change: MergeRequest;
let version: MergeRequestDiff;
before(async () => {
  app = await buildTestApp({ clock });
  rows = new Rows(app.deps);
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
  git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': ten.join(''), 'old.txt': 'x\ny\nz\n', 'logo.png': '\0png' });
  const changed = ten.with(4, 'five\n').toSpliced(7, 1);
  git.commit('topic', { 'a.txt': changed.join(''), 'new.txt': 'n\n', 'logo.png': '\0new' }, { start: base });
  git.commit('topic', { 'old.txt': null, 'renamed.txt': 'x\ny\nz\n' });
  const head_sha = git.run(['rev-parse', 'topic']);
  const row = await makeMergeRequest(app, project, {
    source_branch: 'topic',
    author_id: users.guest.user.id,
    head_sha,
  });
  change = await refreshMergeRequest(app.deps, row.id);
  version = await app.deps.db
    .selectFrom('merge_request_diffs')
    .selectAll()
    .where('id', '=', change.latest_diff_id)
    .executeTakeFirstOrThrow();
});
after(() => app.close());

const on = (kind: string, key: number | string) => `/projects/${project.id}/${kind}/${key}/discussions`;
const onChange = () => on('merge_requests', change.iid);
const by = (user: TestUser) => ({ token: user.token });
const start = async (path: string, json: Row = {}, user?: TestUser) =>
  expectStatus<Thread>(
    await app.post(path, { json: { body: 'Why?', ...json }, ...(user === undefined ? {} : by(user)) }),
    201,
  );
const response = (path: string, id: string, body = 'Because', user?: TestUser) =>
  app.post(`${path}/${id}/notes`, { json: { body }, ...(user === undefined ? {} : by(user)) });
const shas = () => ({
  base_sha: version.base_commit_sha,
  start_sha: version.start_commit_sha,
  head_sha: version.head_commit_sha,
});
const at = (position: Row) => ({ position: { ...shas(), position_type: 'text', ...position } });

test('a thread begins, is answered, listed and read on each kind of thing', async () => {
  const issue = await rows.issue(project.id);
  const snippet = await rows.snippet(project.id, 'public');
  const sha = git.run(['rev-parse', 'main']);
  for (const [kind, key, type] of [
    ['issues', issue.iid, 'Issue'],
    ['snippets', snippet.id, 'Snippet'],
    ['repository/commits', sha, 'Commit'],
    ['merge_requests', (await makeMergeRequest(app, project)).iid, 'MergeRequest'],
  ] as const) {
    const path = on(kind, key);
    const thread = await start(path, {}, users.developer);
    assert.match(thread.id, /^[0-9a-f]{40}$/);
    assert.equal(thread.individual_note, false);
    const [first] = thread.notes;
    assert.deepEqual([first!.type, first!.body, first!.noteable_type], ['DiscussionNote', 'Why?', type]);
    clock.advance(1_000);
    const second = expectStatus(await response(path, thread.id), 201);
    assert.equal(second.type, 'DiscussionNote');
    const whole = expectStatus<Thread>(await app.get(`${path}/${thread.id}`, { token: null }), 200);
    assert.deepEqual(whole, { ...thread, notes: [first, second] });
    assert.deepEqual(expectStatus(await app.get(`${path}/${thread.id}/notes`), 200), [first, second]);
    assert.deepEqual(expectStatus(await app.get(`${path}/${thread.id}/notes/${second.id}`), 200), second);
    const later = await start(path);
    const list = await app.get(path);
    assert.deepEqual(
      expectStatus<Thread[]>(list, 200).map(({ id }) => id),
      [thread.id, later.id],
    );
    assert.equal(list.headers['x-total'], '2');
    const page = expectStatus<Thread[]>(await app.get(path, { query: { per_page: 1, page: 2 } }), 200);
    assert.deepEqual(page, [later]);
    for (const wrong of [`${path}/${'0'.repeat(40)}`, `${path}/%20`]) expectStatus(await app.get(wrong), 404);
    expectStatus(await app.get(`${path}/${later.id}/notes/${second.id}`), 404);
    const put = (user: TestUser) =>
      app.put(`${path}/${thread.id}/notes/${first!.id}`, { json: { body: 'So?' }, ...by(user) });
    expectStatus(await put(users.stranger), 403);
    assert.equal(expectStatus(await put(users.developer), 200).body, 'So?');
    expectStatus(await app.delete(`${path}/${thread.id}/notes/${first!.id}`, by(users.reporter)), 403);
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expectStatus(await app.delete(`${path}/${thread.id}/notes/${first!.id}`, { headers }), 412);
    expectStatus(await app.delete(`${path}/${thread.id}/notes/${first!.id}`, by(users.developer)), 204);
    expectStatus(await app.delete(`${path}/${thread.id}/notes/${second.id}`), 204);
    expectStatus(await app.get(`${path}/${thread.id}`), 404);
  }
});

test('threads of one thing are not found under another', async () => {
  const issue = await rows.issue(project.id);
  const other = await rows.issue(project.id);
  const thread = await start(on('issues', issue.iid));
  for (const path of [on('issues', other.iid), onChange(), on('repository/commits', 'main')]) {
    expectStatus(await app.get(`${path}/${thread.id}`), 404);
    expectStatus(await response(path, thread.id), 404);
    expectStatus(await app.put(`${path}/${thread.id}/notes/${thread.notes[0]!.id}`, { json: { body: 'x' } }), 404);
  }
  expectStatus(await app.put(`${onChange()}/${thread.id}`, { json: { resolved: true } }), 404);
  expectStatus(await app.get(on('repository/commits', 'f'.repeat(40))), 404);
});

test('an answer makes a thread of a single comment on an issue or merge request', async () => {
  const issue = await rows.issue(project.id);
  const snippet = await rows.snippet(project.id, 'public');
  const note = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id });
  const path = on('issues', issue.iid);
  const single = expectStatus<Thread>(await app.get(`${path}/${note.discussion_id}`), 200);
  assert.deepEqual([single.individual_note, single.notes[0]!.type], [true, null]);
  expectStatus(await response(path, note.discussion_id), 201);
  const thread = expectStatus<Thread>(await app.get(`${path}/${note.discussion_id}`), 200);
  assert.equal(thread.individual_note, false);
  assert.deepEqual(
    thread.notes.map(({ type }) => type),
    ['DiscussionNote', 'DiscussionNote'],
  );
  const systemNote = await rows.note(
    { type: 'Issue', id: issue.id, projectId: project.id },
    { system: 1, system_action: 'closed' },
  );
  const refused = expectStatus(await response(path, systemNote.discussion_id), 400);
  assert.equal(refused.message, '400 Bad request - Discussion can not be replied to.');
  const onSnippet = await rows.note({ type: 'Snippet', id: snippet.id, projectId: project.id });
  expectStatus(await response(on('snippets', snippet.id), onSnippet.discussion_id), 400);
});

test('answers in an internal thread are internal', async () => {
  const issue = await rows.issue(project.id);
  const note = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id }, { internal: 1 });
  const path = on('issues', issue.iid);
  expectStatus(await app.get(`${path}/${note.discussion_id}`, by(users.guest)), 404);
  expectStatus(await response(path, note.discussion_id, 'x', users.guest), 404);
  assert.equal(expectStatus(await response(path, note.discussion_id, 'x', users.planner), 201).internal, true);
  assert.deepEqual(expectStatus(await app.get(path, by(users.guest)), 200), []);
});

test('a thread on a line of a merge request keeps its position', async () => {
  const text = { old_path: 'a.txt', new_path: 'a.txt' };
  const place = { ...shas(), ...text, position_type: 'text', line_range: null };
  const position = async (json: Row) => (await start(onChange(), at(json))).notes[0]!.position;
  assert.deepEqual(await position({ ...text, new_line: 5 }), { ...place, old_line: null, new_line: 5 });
  assert.deepEqual(await position({ ...text, old_line: 8 }), { ...place, old_line: 8, new_line: null });
  assert.deepEqual(await position({ ...text, old_line: 6, new_line: 6 }), { ...place, old_line: 6, new_line: 6 });
  assert.deepEqual(await position({ ...text, old_line: 10, new_line: 9 }), { ...place, old_line: 10, new_line: 9 });
  assert.deepEqual(await position({ new_path: 'new.txt', new_line: 1 }), {
    ...place,
    old_path: 'new.txt',
    new_path: 'new.txt',
    old_line: null,
    new_line: 1,
  });
  assert.equal(((await position({ new_path: 'renamed.txt', position_type: 'file' })) as Row).old_path, 'old.txt');
  const image = { width: 10, height: 20, x: 3, y: 4.5 };
  assert.deepEqual(await position({ new_path: 'logo.png', position_type: 'image', ...image }), {
    ...shas(),
    old_path: 'logo.png',
    new_path: 'logo.png',
    position_type: 'image',
    ...image,
  });
  const thread = await start(onChange(), at({ ...text, new_line: 5 }), users.stranger);
  const [note] = thread.notes;
  assert.deepEqual([note!.type, note!.commit_id, note!.resolvable], ['DiffNote', null, true]);
  const reply = expectStatus(await response(onChange(), thread.id), 201);
  assert.deepEqual([reply.type, reply.position], ['DiffNote', note!.position]);
});

test('several lines are kept with the code of each end', async () => {
  const line_range = { start: { new_line: 5, type: 'new' }, end: { old_line: 6, new_line: 6, line_code: 'abc_6_6' } };
  const input = at({ new_path: 'a.txt', new_line: 5, line_range });
  const { position } = (await start(onChange(), input)).notes[0]! as { position: { line_range: Row } };
  assert.match(String((position.line_range.start as Row).line_code), /^[0-9a-f]{40}_0_5$/);
  assert.deepEqual(position.line_range.end, { line_code: 'abc_6_6', type: null, old_line: 6, new_line: 6 });
  const wrong = at({ new_path: 'a.txt', new_line: 5, line_range: { ...line_range, end: { new_line: 500 } } });
  expectStatus(await app.post(onChange(), { json: { body: 'x', ...wrong } }), 400);
});

test('positions that are in no diff of the merge request are refused', async () => {
  const stray = git.commit('stray', { 'a.txt': 'nothing\n' }, { start: 'main' });
  const wrong: Row[] = [
    { new_path: 'a.txt', new_line: 4 },
    { new_path: 'a.txt', new_line: 500 },
    { new_path: 'a.txt', old_line: 8, new_line: 8 },
    { new_path: 'a.txt', old_line: 11, new_line: 10 },
    { new_path: 'a.txt' },
    { new_path: 'none.txt', new_line: 1 },
    { new_path: '../a.txt', old_path: '/etc/passwd', new_line: 1 },
    { new_line: 5 },
    { new_path: 'logo.png', new_line: 1 },
    { new_path: 'a.txt', new_line: 5, head_sha: stray },
    { new_path: 'a.txt', new_line: 5, head_sha: 'main' },
    { new_path: 'a.txt', new_line: 5, base_sha: '--output=x' },
    { new_path: 'a.txt', new_line: 5, start_sha: stray },
    { new_path: 'none.png', position_type: 'image' },
  ];
  for (const position of wrong) {
    const { message } = expectStatus(await app.post(onChange(), { json: { body: 'x', ...at(position) } }), 400);
    const text = '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}';
    assert.equal(message, text, JSON.stringify(position));
  }
  const bad = await app.post(onChange(), { json: { body: 'x', position: { position_type: 'text' } } });
  assert.match(String(expectStatus(bad, 400).message), /^position\[base_sha\] is missing/);
  const issue = await rows.issue(project.id);
  const json = { body: 'x', ...at({ new_path: 'a.txt', new_line: 5 }) };
  expectStatus(await app.post(on('issues', issue.iid), { json }), 400);
});

test('threads stand on single commits of a merge request, on versions and between them', async () => {
  const first = git.run(['rev-parse', 'topic~1']);
  const parent = git.run(['rev-parse', 'topic~2']);
  const json = at({ new_path: 'new.txt', new_line: 1, base_sha: parent, start_sha: parent, head_sha: first });
  const thread = await start(onChange(), { ...json, commit_id: first });
  assert.equal(thread.notes[0]!.commit_id, first);
  assert.equal((thread.notes[0]!.position as Row).head_sha, first);
  const whole = { commit_id: git.run(['rev-parse', 'stray']) };
  expectStatus(await app.post(onChange(), { json: { body: 'x', ...whole } }), 400);
  const row = await makeMergeRequest(app, project, { source_branch: 'more', head_sha: first });
  await refreshMergeRequest(app.deps, row.id);
  const second = git.run(['rev-parse', 'topic']);
  await app.deps.db.updateTable('merge_requests').set({ head_sha: second }).where('id', '=', row.id).execute();
  await refreshMergeRequest(app.deps, row.id);
  const between = { base_sha: first, start_sha: first, head_sha: second, position_type: 'file' };
  const path = on('merge_requests', row.iid);
  assert.equal((await start(path, at({ new_path: 'renamed.txt', ...between }))).notes[0]!.type, 'DiffNote');
});

test('threads on lines of a commit', async () => {
  const sha = git.run(['rev-parse', 'topic~1']);
  const parent = git.run(['rev-parse', 'topic~2']);
  const place = { base_sha: parent, start_sha: parent, head_sha: sha, position_type: 'text' };
  const path = on('repository/commits', sha);
  const thread = await start(path, { position: { ...place, old_path: 'a.txt', new_path: 'a.txt', new_line: 5 } });
  const [note] = thread.notes;
  assert.deepEqual([note!.type, note!.commit_id, note!.noteable_id, note!.resolvable], ['DiffNote', sha, null, false]);
  const listed = expectStatus<Row[]>(await app.get(path.replace('discussions', 'comments')), 200);
  assert.deepEqual([listed[0]!.path, listed[0]!.line, listed[0]!.line_type], ['a.txt', 5, 'new']);
  const wrong = { ...place, base_sha: sha, new_path: 'a.txt', new_line: 5 };
  expectStatus(await app.post(path, { json: { body: 'x', position: wrong } }), 400);
  const root = { position: { ...place, head_sha: parent, new_path: 'a.txt', new_line: 1 } };
  const first = await start(on('repository/commits', parent), root);
  assert.equal((first.notes[0]!.position as Row).base_sha, null);
});

test('threads of merge requests are resolved by the author and by Developers', async () => {
  const resolve = (id: string, user: TestUser, resolved: unknown = true) =>
    app.put(`${onChange()}/${id}`, { json: { resolved }, ...by(user) });
  const thread = await start(onChange(), {}, users.stranger);
  await response(onChange(), thread.id);
  for (const name of ['stranger', 'planner', 'reporter'] as const) {
    expectStatus(await resolve(thread.id, users[name]), 403);
    const path = `${onChange()}/${thread.id}/notes/${thread.notes[0]!.id}`;
    expectStatus(await app.put(path, { json: { resolved: true }, ...by(users[name]) }), 403);
  }
  for (const name of ['guest', 'developer'] as const) {
    const done = expectStatus<Thread>(await resolve(thread.id, users[name]), 200);
    assert.deepEqual(
      done.notes.map(({ resolvable, resolved, resolved_at }) => [resolvable, resolved, resolved_at]),
      [
        [true, true, clock.now().toISOString()],
        [true, true, clock.now().toISOString()],
      ],
    );
    assert.equal((done.notes[0]!.resolved_by as Row).id, users[name].user.id);
    const again = expectStatus<Thread>(await resolve(thread.id, users.owner), 200);
    assert.deepEqual(again, done);
    const open = expectStatus<Thread>(await resolve(thread.id, users[name], 'false'), 200);
    assert.deepEqual(
      open.notes.map(({ resolved, resolved_by, resolved_at }) => [resolved, resolved_by, resolved_at]),
      [
        [false, null, null],
        [false, null, null],
      ],
    );
  }
  assert.equal(expectStatus(await app.put(`${onChange()}/${thread.id}`), 400).message, 'resolved is missing');
  expectStatus(await app.put(`${onChange()}/${thread.id}`, { json: { resolved: true }, token: null }), 401);
});

test('single notes are resolved too, and what is no thread cannot be', async () => {
  const target = { type: 'MergeRequest', id: change.id, projectId: project.id } as const;
  const thread = await start(onChange());
  const reply = expectStatus(await response(onChange(), thread.id), 201);
  const put = (id: unknown, note: unknown, json: Row) => app.put(`${onChange()}/${id}/notes/${note}`, { json });
  assert.equal(expectStatus(await put(thread.id, reply.id, { resolved: true }), 200).resolved, true);
  const now = expectStatus<Thread>(await app.get(`${onChange()}/${thread.id}`), 200);
  assert.deepEqual(
    now.notes.map(({ resolved }) => resolved),
    [false, true],
  );
  assert.match(String(expectStatus(await put(thread.id, reply.id, {}), 400).message), /exactly one/);
  const both = { body: 'x', resolved: true };
  assert.equal(
    expectStatus(await put(thread.id, reply.id, both), 400).message,
    'body, resolved are mutually exclusive',
  );
  const single = await rows.note(target);
  const refused = expectStatus(await put(single.discussion_id, single.id, { resolved: true }), 400);
  assert.equal(refused.message, '400 Bad request - Note is not resolvable');
  expectStatus(await app.put(`${onChange()}/${single.discussion_id}`, { json: { resolved: true } }), 403);
  const issue = await rows.issue(project.id);
  const onIssue = await start(on('issues', issue.iid));
  const path = `${on('issues', issue.iid)}/${onIssue.id}/notes/${onIssue.notes[0]!.id}`;
  expectStatus(await app.put(path, { json: { resolved: true } }), 400);
});

test('that all threads are resolved is told once', async () => {
  const row = await makeMergeRequest(app, project);
  const path = on('merge_requests', row.iid);
  const [one, two] = [await start(path), await start(path)];
  const systemNotes = async () => {
    const notes = app.deps.db.selectFrom('notes').select('note').where('noteable_type', '=', 'MergeRequest');
    return (await notes.where('noteable_id', '=', row.id).where('system', '=', 1).execute()).map(({ note }) => note);
  };
  expectStatus(await app.put(`${path}/${one.id}`, { json: { resolved: true } }), 200);
  assert.deepEqual(await systemNotes(), []);
  expectStatus(await app.put(`${path}/${two.id}`, { json: { resolved: true } }), 200);
  expectStatus(await app.put(`${path}/${two.id}`, { json: { resolved: true } }), 200);
  assert.deepEqual(await systemNotes(), ['resolved all threads']);
});

test('writing in threads follows locks, archives, roles, scopes and the limit of notes', async () => {
  const row = await makeMergeRequest(app, project, { discussion_locked: 1 });
  const path = on('merge_requests', row.iid);
  const json = { body: 'x' };
  const thread = await start(path);
  expectStatus(await app.post(path, { json, ...by(users.stranger) }), 403);
  expectStatus(await response(path, thread.id, 'x', users.stranger), 403);
  await start(path, {}, users.guest);
  expectStatus(await app.post(path, { json, token: null }), 401);
  const readApi = await app.make.token(users.owner.user.id, ['read_api']);
  expectStatus(await app.post(path, { json, token: readApi }), 403);
  expectStatus(await app.get(path, { token: readApi }), 200);
  const readCode = await app.make.token(users.owner.user.id, ['read_repository']);
  expectStatus(await app.get(on('repository/commits', 'main'), { token: readCode }), 403);
  expectStatus(await app.get(path, { token: readCode }), 403);
  assert.match(String(expectStatus(await app.post(path, { json: { body: '' } }), 400).message), /can't be blank/);
  const fast = await app.make.user();
  clock.advance(60_000);
  for (let count = 0; count < 150; count += 1) {
    const { id } = await start(onChange(), {}, fast);
    assert.equal((await response(onChange(), id, 'x', fast)).statusCode, 201);
  }
  expectStatus(await app.post(onChange(), { json, ...by(fast) }), 429);
  const closed = await app.make.project();
  const staff = await app.make.members(closed);
  const hidden = await makeMergeRequest(app, closed);
  const there = `/projects/${closed.id}/merge_requests/${hidden.iid}/discussions`;
  expectStatus(await app.get(there, by(staff.stranger)), 404);
  expectStatus(await app.get(there, by(staff.guest)), 403);
  expectStatus(await app.post(there, { json, ...by(staff.reporter) }), 201);
  const archived = await app.make.project({ visibility: 'public', columns: { archived: 1 } });
  const old = await makeMergeRequest(app, archived);
  expectStatus(await app.post(`/projects/${archived.id}/merge_requests/${old.iid}/discussions`, { json }), 403);
});

test('confidential of a new thread was passed over: now it and its answers are kept from those below Planners', async () => {
  const path = on('issues', (await rows.issue(project.id)).iid);
  for (const name of ['confidential', 'internal']) {
    const { id, notes } = await start(path, { [name]: true }, users.planner);
    assert.deepEqual([notes[0]!.internal, notes[0]!.confidential], [true, true]);
    const answered = expectStatus<Row>(await response(path, id, 'Because', users.developer), 201);
    assert.equal(answered.internal, true);
    expectStatus(await app.get(`${path}/${id}`, by(users.planner)), 200);
    for (const token of [users.guest.token, users.stranger.token, null]) {
      expectStatus(await app.get(`${path}/${id}`, { token }), 404);
    }
    expectStatus(await app.post(path, { json: { body: 'x', [name]: true }, ...by(users.guest) }), 403);
    expectStatus(await app.post(path, { json: { body: 'x', [name]: false }, ...by(users.guest) }), 201);
  }
  const commit = await app.post(on('repository/commits', 'main'), { json: { body: 'x', confidential: true } });
  assert.match(String(expectStatus<Row>(commit, 400).message), /can not be set here/);
});
