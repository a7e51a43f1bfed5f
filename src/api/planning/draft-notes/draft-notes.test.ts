import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
interface Draft extends Row {
  id: number;
  position: Row;
}
interface Thread {
  id: string;
  individual_note: boolean;
  notes: (Row & { id: number })[];
}
let app: TestApp;
let project: Project;
let git: ProjectGit;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let branches = 0;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\ntwo\n' });
});
after(() => app.close());

const by = (user: TestUser) => ({ token: user.token });

/** A merge request that changes the second line of `a.txt`; gives its path and the versions' commits. */
async function review(json: Row = {}) {
  branches += 1;
  const source_branch = `change-${branches}`;
  git.commit(source_branch, { 'a.txt': `one\n${source_branch}\n` }, { start: git.run(['rev-parse', 'main']) });
  const body = { source_branch, target_branch: 'main', title: 'Change', ...json };
  const made = expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json: body }), 201);
  return {
    path: `/projects/${project.id}/merge_requests/${made.iid}`,
    id: made.id as number,
    refs: made.diff_refs as Record<'base_sha' | 'head_sha' | 'start_sha', string>,
  };
}

const draft = async (path: string, json: Row, user: TestUser) =>
  expectStatus<Draft>(await app.post(`${path}/draft_notes`, { json, ...by(user) }), 201);
const draftsOf = async (path: string, user: TestUser) =>
  expectStatus<Draft[]>(await app.get(`${path}/draft_notes`, by(user)), 200);
const threadsOf = async (path: string) => {
  const threads = expectStatus<Thread[]>(await app.get(`${path}/discussions`), 200);
  return threads.filter(({ notes }) => notes[0]!.system === false);
};
const publishAll = (path: string, user: TestUser, json: Row = {}) =>
  app.post(`${path}/draft_notes/bulk_publish`, { json, ...by(user) });

test('a draft is seen by its author alone until it is published', async () => {
  const { path, id } = await review();
  const made = await draft(path, { note: 'Why?' }, users.developer);
  assert.deepEqual(made, {
    id: made.id,
    author_id: users.developer.user.id,
    merge_request_id: id,
    resolve_discussion: false,
    discussion_id: null,
    note: 'Why?',
    commit_id: null,
    line_code: null,
    position: {
      base_sha: null,
      start_sha: null,
      head_sha: null,
      old_path: null,
      new_path: null,
      position_type: 'text',
      old_line: null,
      new_line: null,
      line_range: null,
    },
  });
  assert.deepEqual(await draftsOf(path, users.developer), [made]);
  assert.deepEqual(await draftsOf(path, users.owner), []);
  const one = `${path}/draft_notes/${made.id}`;
  assert.deepEqual(expectStatus(await app.get(one, by(users.developer)), 200), made);
  for (const other of [users.owner, users.maintainer]) {
    expectStatus(await app.get(one, by(other)), 404);
    expectStatus(await app.put(one, { json: { note: 'x' }, ...by(other) }), 404);
    expectStatus(await app.put(`${one}/publish`, by(other)), 404);
    expectStatus(await app.delete(one, by(other)), 404);
  }
  expectStatus(await app.get(`${path}/draft_notes`, { token: null }), 401);
  assert.deepEqual(await threadsOf(path), []);
  expectStatus(await app.put(`${one}/publish`, by(users.developer)), 204);
  const [thread] = await threadsOf(path);
  assert.deepEqual([thread!.notes[0]!.body, thread!.notes[0]!.type], ['Why?', 'DiscussionNote']);
  expectStatus(await app.put(`${one}/publish`, by(users.developer)), 404);
  assert.equal((await threadsOf(path)).length, 1);
});

test('a draft on a line becomes a thread on that line', async () => {
  const { path, refs } = await review();
  const position = { ...refs, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt', new_line: 2 };
  const made = await draft(path, { note: 'Here', position }, users.developer);
  assert.deepEqual([made.position.new_line, made.position.head_sha], [2, refs.head_sha]);
  assert.match(String(made.line_code), /^[0-9a-f]{40}_0_2$/);
  const wrong = { ...position, new_line: 40 };
  expectStatus(await app.post(`${path}/draft_notes`, { json: { note: 'x', position: wrong } }), 400);
  const moved = { json: { position: { ...position, new_line: 1, old_line: 1 } }, ...by(users.developer) };
  const changed = expectStatus<Draft>(await app.put(`${path}/draft_notes/${made.id}`, moved), 200);
  assert.deepEqual([changed.note, changed.position.old_line], ['Here', 1]);
  expectStatus(await publishAll(path, users.developer), 204);
  const [thread] = await threadsOf(path);
  assert.equal(thread!.notes[0]!.type, 'DiffNote');
  assert.equal((thread!.notes[0]!.position as Row).old_line, 1);
});

test('drafts are changed and deleted', async () => {
  const { path } = await review();
  const made = await draft(path, { note: 'First' }, users.developer);
  const one = `${path}/draft_notes/${made.id}`;
  expectStatus(await app.put(one, { json: {}, ...by(users.developer) }), 400);
  expectStatus(await app.put(one, { json: { note: '' }, ...by(users.developer) }), 400);
  assert.equal(
    expectStatus(await app.put(one, { json: { note: 'Second' }, ...by(users.developer) }), 200).note,
    'Second',
  );
  expectStatus(await app.delete(one, by(users.developer)), 204);
  expectStatus(await app.delete(one, by(users.developer)), 404);
  for (const json of [{}, { note: '' }, { note: 'x', commit_id: 'f'.repeat(40) }]) {
    expectStatus(await app.post(`${path}/draft_notes`, { json, ...by(users.developer) }), 400);
  }
});

test('an answer resolves its thread, or opens it again', async () => {
  const { path } = await review();
  const start = (body: string) => app.post(`${path}/discussions`, { json: { body } });
  const first = expectStatus<Thread>(await start('Fix this'), 201);
  const response = { note: 'Done', in_reply_to_discussion_id: first.id, resolve_discussion: true };
  const made = await draft(path, response, users.developer);
  assert.deepEqual([made.discussion_id, made.resolve_discussion], [first.id, true]);
  expectStatus(await publishAll(path, users.developer), 204);
  let [thread] = await threadsOf(path);
  assert.deepEqual(
    thread!.notes.map(({ body, resolved }) => [body, resolved]),
    [
      ['Fix this', true],
      ['Done', true],
    ],
  );
  await draft(path, { note: 'Not quite', in_reply_to_discussion_id: first.id }, users.maintainer);
  expectStatus(await publishAll(path, users.maintainer), 204);
  [thread] = await threadsOf(path);
  assert.deepEqual(
    thread!.notes.map(({ resolved }) => resolved),
    [false, false, false],
  );
});

test('an answer to a single comment makes a thread of it; one to a thread that has gone begins one', async () => {
  const { path } = await review();
  const note = expectStatus<{ id: number }>(await app.post(`${path}/notes`, { json: { body: 'Nice' } }), 201);
  const [single] = await threadsOf(path);
  assert.equal(single!.individual_note, true);
  await draft(path, { note: 'Thanks', in_reply_to_discussion_id: single!.id }, users.developer);
  expectStatus(await publishAll(path, users.developer), 204);
  const [thread] = await threadsOf(path);
  assert.deepEqual([thread!.individual_note, thread!.notes.length], [false, 2]);
  await draft(path, { note: 'Late', in_reply_to_discussion_id: thread!.id }, users.developer);
  for (const { id } of [note, thread!.notes[1]!]) expectStatus(await app.delete(`${path}/notes/${id}`), 204);
  expectStatus(await publishAll(path, users.developer), 204);
  const [begun] = await threadsOf(path);
  assert.deepEqual([begun!.notes[0]!.body, begun!.id === thread!.id], ['Late', false]);
});

test('threads that are not there, or not to be resolved by the caller, are refused', async () => {
  const { path } = await review();
  const other = expectStatus<Thread>(
    await app.post(`${(await review()).path}/discussions`, { json: { body: 'x' } }),
    201,
  );
  const own = expectStatus<Thread>(await app.post(`${path}/discussions`, { json: { body: 'x' } }), 201);
  const refused = async (json: Row, user: TestUser) =>
    expectStatus(await app.post(`${path}/draft_notes`, { json: { note: 'x', ...json }, ...by(user) }), 400).message;
  for (const id of ['0', other.id]) {
    assert.equal(await refused({ in_reply_to_discussion_id: id }, users.owner), 'Thread to reply to cannot be found');
  }
  const resolve = { in_reply_to_discussion_id: own.id, resolve_discussion: true };
  for (const [json, user] of [
    [{ resolve_discussion: true }, users.owner],
    [resolve, users.reporter],
  ] as const) {
    assert.equal(await refused(json, user), 'User is not allowed to resolve thread');
  }
});

test('all drafts are published at once, with a comment on the whole; those of others stay', async () => {
  const reviewer = users.developer;
  const { path } = await review({ reviewer_ids: [reviewer.user.id] });
  const states = async () => expectStatus<Row[]>(await app.get(`${path}/reviewers`), 200).map(({ state }) => state);
  await draft(path, { note: 'One' }, reviewer);
  assert.deepEqual(await states(), ['review_started']);
  await draft(path, { note: 'Two' }, reviewer);
  await draft(path, { note: 'Mine' }, users.owner);
  expectStatus(await publishAll(path, reviewer, { note: 'All in all', internal: true }), 204);
  const notes = (await threadsOf(path)).flatMap((thread) => thread.notes);
  assert.deepEqual(
    notes.map(({ body, internal }) => [body, internal]),
    [
      ['One', false],
      ['Two', false],
      ['All in all', true],
    ],
  );
  assert.deepEqual(await states(), ['reviewed']);
  assert.deepEqual(await draftsOf(path, reviewer), []);
  assert.equal((await draftsOf(path, users.owner)).length, 1);
  expectStatus(await publishAll(path, reviewer, { reviewer_state: 'requested_changes' }), 204);
  assert.deepEqual(await states(), ['requested_changes']);
  expectStatus(await publishAll(path, users.owner, { reviewer_state: 'reviewed' }), 400);
  assert.equal((await draftsOf(path, users.owner)).length, 1);
});

test('an approval publishes the review with it where that is asked for', async () => {
  const { path } = await review({ reviewer_ids: [users.developer.user.id] });
  await draft(path, { note: 'Well done' }, users.developer);
  const json = { publish_review: true };
  expectStatus(await app.post(`${path}/approve`, { json, ...by(users.developer) }), 201);
  assert.deepEqual((await threadsOf(path))[0]!.notes[0]!.body, 'Well done');
  assert.equal(expectStatus<Row[]>(await app.get(`${path}/reviewers`), 200)[0]!.state, 'approved');
});

test('clients that send null instead of options publish all the same', async () => {
  const { path } = await review();
  await draft(path, { note: 'One' }, users.developer);
  const headers = { 'content-type': 'application/json' };
  const response = await app.post(`${path}/draft_notes/bulk_publish`, {
    body: 'null',
    headers,
    ...by(users.developer),
  });
  expectStatus(response, 204);
  assert.equal((await threadsOf(path)).length, 1);
});

test('two publications at once publish each draft once', async () => {
  const { path } = await review();
  for (const note of ['One', 'Two', 'Three']) await draft(path, { note }, users.developer);
  const answers = await Promise.all([1, 2, 3].map(() => publishAll(path, users.developer)));
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([204]));
  assert.equal((await threadsOf(path)).length, 3);
});

test('who may not comment, or see the merge request, drafts nothing and publishes nothing', async () => {
  const { path } = await review();
  const made = await draft(path, { note: 'x' }, users.stranger);
  expectStatus(await app.put(path, { json: { discussion_locked: true } }), 200);
  expectStatus(await app.post(`${path}/draft_notes`, { json: { note: 'x' }, ...by(users.stranger) }), 403);
  expectStatus(await app.put(`${path}/draft_notes/${made.id}/publish`, by(users.stranger)), 403);
  expectStatus(await publishAll(path, users.stranger), 403);
  assert.equal((await draftsOf(path, users.stranger)).length, 1);
  expectStatus(await app.post(`/projects/${project.id}/merge_requests/9999/draft_notes`, { json: { note: 'x' } }), 404);
  const hidden = await app.make.project();
  const there = `/projects/${hidden.id}/merge_requests/1/draft_notes`;
  expectStatus(await app.post(there, { json: { note: 'x' }, ...by(users.developer) }), 404);
});
