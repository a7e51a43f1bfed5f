import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Award {
  id: number;
  name: string;
  user: { id: number };
  awardable_id: number;
  awardable_type: string;
  created_at: string;
  updated_at: string;
  url: null;
}
let app: TestApp;
let rows: Rows;
before(async () => {
  app = await buildTestApp();
  rows = new Rows(app.deps);
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;
const json = (name: string) => ({ json: { name } });
const ABSENT = '404 Award Emoji Not Found';

async function targets(project: Project) {
  const issue = await rows.issue(project.id);
  const mergeRequest = await makeMergeRequest(app, project);
  const snippet = await rows.snippet(project.id, 'public');
  return [
    { type: 'Issue', table: 'issues', id: issue.id, path: `/projects/${project.id}/issues/${issue.iid}` },
    {
      type: 'MergeRequest',
      table: 'merge_requests',
      id: mergeRequest.id,
      path: `/projects/${project.id}/merge_requests/${mergeRequest.iid}`,
    },
    { type: 'Snippet', table: 'snippets', id: snippet.id, path: `/projects/${project.id}/snippets/${snippet.id}` },
  ] as const;
}

test('issues, merge requests, snippets and their notes are reacted to', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { user, token } = await app.make.user();
  for (const { type, table, id, path } of await targets(project)) {
    const note = await rows.note({ type, id, projectId: project.id });
    for (const [awardableType, awardableId, base] of [
      [type, id, `${path}/award_emoji`],
      ['Note', note.id, `${path}/notes/${note.id}/award_emoji`],
    ] as const) {
      const first = expectStatus<Award>(await app.post(base, { token, ...json('rocket') }), 201);
      const expected = { name: 'rocket', awardable_type: awardableType, awardable_id: awardableId, url: null };
      assert.partialDeepStrictEqual(first, expected);
      assert.equal(first.user.id, user.id);
      const up = expectStatus<Award>(await app.post(base, { token, ...json('+1') }), 201);
      assert.equal(up.name, 'thumbsup');
      const list = await app.get(base, { token: null });
      assert.deepEqual(expectStatus(list, 200), [first, up]);
      assert.equal(list.headers['x-total'], '2');
      const page = await app.get(base, { query: { per_page: 1, page: 2 } });
      assert.deepEqual(expectStatus(page, 200), [up]);
      assert.deepEqual(expectStatus(await app.get(`${base}/${up.id}`, { token: null }), 200), up);
      expectStatus(await app.delete(`${base}/${first.id}`, { token }), 204);
      assert.equal(message(expectStatus(await app.get(`${base}/${first.id}`), 404)), '404 Not found');
      assert.equal(message(expectStatus(await app.delete(`${base}/${first.id}`, { token }), 404)), '404 Not found');
    }
    const votes = () =>
      app.deps.db.selectFrom(table).select(['upvotes', 'downvotes']).where('id', '=', id).executeTakeFirstOrThrow();
    assert.deepEqual({ ...(await votes()) }, { upvotes: 1, downvotes: 0 });
    const down = expectStatus<Award>(await app.post(`${path}/award_emoji`, json('thumbsdown')), 201);
    assert.deepEqual({ ...(await votes()) }, { upvotes: 1, downvotes: 1 });
    expectStatus(await app.delete(`${path}/award_emoji/${down.id}`), 204);
    assert.deepEqual({ ...(await votes()) }, { upvotes: 1, downvotes: 0 });
  }
});

test('POST takes known names only, each once from a user', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const [{ path }] = await targets(project);
  const base = `${path}/award_emoji`;
  const name = async (input: string) => expectStatus<Award>(await app.post(base, json(input)), 201).name;
  assert.equal(await name('thumbsup_tone1'), 'thumbsup_tone1');
  assert.equal(await name('+1_tone2'), 'thumbsup_tone2');
  assert.equal(await name('100'), '100');
  assert.equal(await name('tada'), 'tada');
  assert.equal(await name('slightly_smiling_face'), 'slight_smile');
  // One of several characters, by a name of other forges.
  assert.equal(await name('red_haired_man'), 'man_red_haired');
  assert.equal(await name('blonde_woman'), 'blond-haired_woman');
  for (const odd of ['no-emoji', ':tada:', 'Tada', '__proto__', 'x'.repeat(10_000)]) {
    const response = await app.post(base, json(odd));
    assert.equal(message(expectStatus(response, 404)), '404 Award Emoji Name is not a valid emoji name Not Found');
  }
  assert.equal(message(expectStatus(await app.post(base, { json: {} }), 400)), 'name is missing, name is empty');
  const again = await app.post(base, json('tada'));
  assert.equal(message(expectStatus(again, 404)), '404 Award Emoji Name has already been taken Not Found');
  const { token } = await app.make.user();
  expectStatus(await app.post(base, { token, ...json('tada') }), 201);
});

test('of the same reactions at the same time one wins, and votes are counted once', async () => {
  const project = await app.make.project();
  const [{ path, id }] = await targets(project);
  const answers = await Promise.all(Array.from({ length: 6 }, () => app.post(`${path}/award_emoji`, json('thumbsup'))));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 404, 404, 404, 404, 404]);
  for (const response of answers.filter(({ statusCode }) => statusCode === 404)) {
    assert.equal(message(response.json()), '404 Award Emoji Name has already been taken Not Found');
  }
  const award = answers.find(({ statusCode }) => statusCode === 201)!.json() as Award;
  const removals = await Promise.all(Array.from({ length: 4 }, () => app.delete(`${path}/award_emoji/${award.id}`)));
  assert.deepEqual(removals.map(({ statusCode }) => statusCode).sort(), [204, 404, 404, 404]);
  const { upvotes } = await app.deps.db
    .selectFrom('issues')
    .select('upvotes')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(upvotes, 0);
});

test('DELETE is for the author and administrators, and heeds If-Unmodified-Since', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, maintainer, owner } = await app.make.members(project);
  const [{ path }] = await targets(project);
  const base = `${path}/award_emoji`;
  const { token } = stranger;
  const { id } = expectStatus<Award>(await app.post(base, { token, ...json('heart') }), 201);
  expectStatus(await app.delete(`${base}/${id}`, { token: null }), 401);
  for (const other of [maintainer, owner]) {
    const response = await app.delete(`${base}/${id}`, { token: other.token });
    assert.equal(message(expectStatus(response, 401)), '401 Unauthorized');
  }
  const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(`${base}/${id}`, { token, headers }), 412);
  const readOnly = await app.make.token(stranger.user.id, ['read_api']);
  expectStatus(await app.delete(`${base}/${id}`, { token: readOnly }), 403);
  expectStatus(await app.post(base, { token: readOnly, ...json('eyes') }), 403);
  expectStatus(await app.get(base, { token: readOnly }), 200);
  expectStatus(await app.delete(`${base}/${id}`), 204);
});

test('a reaction is found only below what it was given to', async () => {
  const project = await app.make.project();
  const other = await app.make.project();
  const all = await targets(project);
  const [issue, mergeRequest, snippet] = all;
  const [elsewhere] = await targets(other);
  const note = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id });
  const ofNote = `${issue.path}/notes/${note.id}/award_emoji`;
  const award = expectStatus<Award>(await app.post(`${issue.path}/award_emoji`, json('eyes')), 201);
  const onNote = expectStatus<Award>(await app.post(ofNote, json('eyes')), 201);
  for (const path of [
    `${mergeRequest.path}/award_emoji/${award.id}`,
    `${snippet.path}/award_emoji/${award.id}`,
    `${elsewhere.path}/award_emoji/${award.id}`,
    `${ofNote}/${award.id}`,
    `${issue.path}/award_emoji/${onNote.id}`,
  ]) {
    assert.equal(message(expectStatus(await app.get(path), 404)), '404 Not found', path);
    expectStatus(await app.delete(path), 404);
  }
  // The note of one thing below another.
  for (const { path } of [mergeRequest, snippet, elsewhere]) {
    const below = `${path}/notes/${note.id}/award_emoji`;
    assert.equal(message(expectStatus(await app.get(below), 404)), ABSENT);
    assert.equal(message(expectStatus(await app.get(`${below}/${onNote.id}`), 404)), ABSENT);
    assert.equal(message(expectStatus(await app.post(below, json('tada')), 404)), ABSENT);
    expectStatus(await app.delete(`${below}/${onNote.id}`), 404);
  }
});

test('who may not read it learns nothing of it, and who may not comment does not react', async () => {
  const project = await app.make.project();
  const { stranger, guest, reporter } = await app.make.members(project);
  for (const { path } of await targets(project)) {
    const base = `${path}/award_emoji`;
    assert.equal(message(expectStatus(await app.get(base, { token: null }), 404)), '404 Project Not Found');
    expectStatus(await app.get(base, { token: stranger.token }), 404);
    expectStatus(await app.post(base, { token: null, ...json('eyes') }), 401);
    expectStatus(await app.post(base, { token: stranger.token, ...json('eyes') }), 404);
    expectStatus(await app.post(base, { token: reporter.token, ...json('eyes') }), 201);
  }
  const [, mergeRequest] = await targets(project);
  assert.equal(
    message(expectStatus(await app.get(`${mergeRequest.path}/award_emoji`, { token: guest.token }), 404)),
    ABSENT,
  );
  const missing = await app.get(`/projects/${project.id}/issues/987654/award_emoji`);
  assert.equal(message(expectStatus(missing, 404)), ABSENT);
});

test('confidential issues and internal notes are as if they were not there', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, guest, planner } = await app.make.members(project);
  const secret = await rows.issue(project.id, { confidential: 1 });
  const open = await rows.issue(project.id);
  const note = await rows.note({ type: 'Issue', id: open.id, projectId: project.id }, { internal: 1 });
  for (const path of [
    `/projects/${project.id}/issues/${secret.iid}/award_emoji`,
    `/projects/${project.id}/issues/${open.iid}/notes/${note.id}/award_emoji`,
  ]) {
    const { id } = expectStatus<Award>(await app.post(path, { token: planner.token, ...json('eyes') }), 201);
    for (const { token } of [stranger, guest, { token: null }]) {
      assert.equal(message(expectStatus(await app.get(path, { token }), 404)), ABSENT);
      assert.equal(message(expectStatus(await app.get(`${path}/${id}`, { token }), 404)), ABSENT);
    }
    for (const { token } of [stranger, guest]) {
      assert.equal(message(expectStatus(await app.post(path, { token, ...json('eyes') }), 404)), ABSENT);
      expectStatus(await app.delete(`${path}/${id}`, { token }), 404);
    }
  }
});

test('in a locked discussion members react, in an archived project nobody', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, guest } = await app.make.members(project);
  const issue = await rows.issue(project.id, { discussion_locked: 1 });
  const note = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id });
  const system = await rows.note({ type: 'Issue', id: issue.id, projectId: project.id }, { system: 1 });
  const path = `/projects/${project.id}/issues/${issue.iid}`;
  const base = `${path}/award_emoji`;
  const noteBase = `${path}/notes/${note.id}/award_emoji`;
  for (const each of [base, noteBase]) {
    const refused = await app.post(each, { token: stranger.token, ...json('eyes') });
    assert.equal(message(expectStatus(refused, 404)), ABSENT);
    expectStatus(await app.post(each, { token: guest.token, ...json('eyes') }), 201);
  }
  const ofSystem = `${path}/notes/${system.id}/award_emoji`;
  expectStatus(await app.get(ofSystem), 200);
  expectStatus(await app.post(ofSystem, json('eyes')), 404);
  const [award] = expectStatus<Award[]>(await app.get(base), 200);
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
  expectStatus(await app.post(base, json('tada')), 404);
  expectStatus(await app.delete(`${base}/${award!.id}`), 404);
  expectStatus(await app.get(base), 200);
});

test('reactions are recorded as they come and go', async () => {
  const project = await app.make.project();
  const [{ path, id }] = await targets(project);
  const award = expectStatus<Award>(await app.post(`${path}/award_emoji`, json('tada')), 201);
  expectStatus(await app.delete(`${path}/award_emoji/${award.id}`), 204);
  const events = await app.deps.db
    .selectFrom('domain_events')
    .select(['type', 'payload', 'actor_id'])
    .where('project_id', '=', project.id)
    .where('type', 'like', 'emoji.%')
    .orderBy('id')
    .execute();
  const { created_at, updated_at } = award;
  const facts = { name: 'tada', user_id: 1, created_at, updated_at };
  const about = { award: facts, award_id: award.id, awardable_type: 'Issue', awardable_id: id, project_id: project.id };
  assert.deepEqual(
    events.map(({ type, payload, actor_id }) => [type, JSON.parse(payload), actor_id]),
    [
      ['emoji.awarded', about, 1],
      ['emoji.revoked', { ...about, name: 'tada', user_id: 1 }, 1],
    ],
  );
});

test('votes stay when a user is deleted, and go with all that they wrote', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { user, token } = await app.make.user();
  const [issue, mergeRequest] = await targets(project);
  for (const input of [{ token }, {}]) {
    expectStatus(await app.post(`${issue.path}/award_emoji`, { ...input, ...json('thumbsup') }), 201);
    expectStatus(await app.post(`${mergeRequest.path}/award_emoji`, { ...input, ...json('thumbsdown') }), 201);
  }
  const second = await app.make.user();
  for (const name of ['thumbsup', 'thumbsdown']) {
    const options = { token: second.token, ...json(name) };
    expectStatus(await app.post(`${issue.path}/award_emoji`, options), 201);
  }
  expectStatus(await app.delete(`/users/${second.user.id}`, { query: { hard_delete: true } }), 204);
  expectStatus(await app.delete(`/users/${user.id}`), 204);
  const of = (table: 'issues' | 'merge_requests', id: number) =>
    app.deps.db.selectFrom(table).select(['upvotes', 'downvotes']).where('id', '=', id).executeTakeFirstOrThrow();
  assert.deepEqual({ ...(await of('issues', issue.id)) }, { upvotes: 2, downvotes: 0 });
  assert.deepEqual({ ...(await of('merge_requests', mergeRequest.id)) }, { upvotes: 0, downvotes: 2 });
  expectStatus(await app.get(`${issue.path}/award_emoji`), 200);
});

test('reactions go with the comments of a user who is removed with all that they wrote', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const issue = await rows.issue(project.id);
  const { user, token } = await app.make.user();
  const notes = `/projects/${project.id}/issues/${issue.iid}/notes`;
  const note = expectStatus<{ id: number }>(await app.post(notes, { token, json: { body: 'Their' } }), 201);
  const input = expectStatus<Award>(await app.post(`${notes}/${note.id}/award_emoji`, json('rocket')), 201);
  expectStatus(await app.delete(`/users/${user.id}`, { query: { hard_delete: true } }), 204);
  const left = await app.deps.db.selectFrom('award_emoji').select('id').where('id', '=', input.id).execute();
  assert.deepEqual(left, []);
});
