import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { changesLine } from './diff-position.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let sha: string;
before(async () => {
  app = await buildTestApp({ clock });
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': '1\n2\n3\n' });
  sha = git.commit('main', { 'a.txt': '1\ntwo\n3\n', 'b.txt': 'b\n' });
});
after(() => app.close());

const at = (of: Project, id: string, what = 'comments') =>
  `/projects/${of.id}/repository/commits/${encodeURIComponent(id)}/${what}`;
const comment = (json: Row, id = sha) => app.post(at(project, id), { json });

test('POST comments writes a comment on a commit, and GET lists them from the oldest on', async () => {
  const other = git.run(['rev-parse', 'main~1']);
  const first = expectStatus(await comment({ note: 'First' }, other), 201);
  assert.deepEqual([first.note, first.path, first.line, first.line_type], ['First', null, null, null]);
  assert.equal((first.author as Row).username, 'root');
  assert.equal(first.created_at, '2026-06-15T12:00:00.000Z');
  clock.advance(1_000);
  expectStatus(await comment({ note: 'Second' }, 'main~1'), 201);
  const response = await app.get(at(project, other));
  assert.deepEqual(
    expectStatus<Row[]>(response, 200).map(({ note }) => note),
    ['First', 'Second'],
  );
  assert.equal(response.headers['x-total'], '2');
  const page = expectStatus<Row[]>(await app.get(`${at(project, other)}?per_page=1&page=2`), 200);
  assert.equal(page[0]!.note, 'Second');
  const note = await app.deps.db.selectFrom('notes').selectAll().where('note', '=', 'First').executeTakeFirstOrThrow();
  const event = await app.deps.db
    .selectFrom('domain_events')
    .select(['payload', 'actor_id'])
    .where('type', '=', 'note.created')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const { note: noteFacts, ...about } = JSON.parse(event.payload);
  assert.deepEqual(about, { note_id: note.id, noteable_type: 'Commit', project_id: project.id, confidential: false });
  assert.deepEqual([noteFacts.note, noteFacts.author_id, noteFacts.commit_id], ['First', 1, note.commit_id]);
  assert.equal(event.actor_id, 1);
});

test('POST comments keeps the line of a comment only where the commit changes it', async () => {
  const place = async (json: Row) => {
    const body = expectStatus(await comment({ note: 'x', ...json }), 201);
    return [body.path, body.line, body.line_type];
  };
  assert.deepEqual(await place({ path: 'a.txt', line: 2 }), ['a.txt', 2, 'new']);
  assert.deepEqual(await place({ path: 'a.txt', line: 2, line_type: 'old' }), ['a.txt', 2, 'old']);
  assert.deepEqual(await place({ path: 'b.txt', line: 1, line_type: 'new' }), ['b.txt', 1, 'new']);
  const none = [null, null, null];
  assert.deepEqual(await place({ path: 'a.txt', line: 1 }), none);
  assert.deepEqual(await place({ path: 'a.txt', line: -1 }), none);
  assert.deepEqual(await place({ path: 'nope', line: 2 }), none);
  assert.deepEqual(await place({ path: '../a.txt', line: 2 }), none);
  assert.deepEqual(await place({ line: 2 }), none);
});

test('POST comments refuses blank notes, missing lines and unknown commits', async () => {
  const message = async (json: Row) => expectStatus(await comment(json), 400).message;
  assert.equal(await message({}), 'note is missing, note is empty');
  assert.equal(await message({ note: ' ' }), 'note is empty');
  assert.equal(await message({ note: 'x', path: 'a.txt' }), 'line is missing');
  assert.equal(
    await message({ note: 'x', path: 'a.txt', line: 2, line_type: 'both' }),
    'line_type does not have a valid value',
  );
  assert.match(String(await message({ note: 'x'.repeat(1_000_001) })), /note is too long/);
  for (const id of ['nope', '--all', 'f'.repeat(40), 'main..main']) {
    assert.equal(expectStatus(await comment({ note: 'x' }, id), 404).message, '404 Commit Not Found');
    expectStatus(await app.get(at(project, id)), 404);
    expectStatus(await app.get(at(project, id, 'discussions')), 404);
  }
});

test('GET discussions shows each comment as a discussion, with its position', async () => {
  const id = git.commit('talk', { 'c.txt': 'c\n' });
  expectStatus(await comment({ note: 'On all' }, id), 201);
  expectStatus(await comment({ note: 'On a line', path: 'c.txt', line: 1 }, id), 201);
  const response = await app.get(at(project, id, 'discussions'));
  const [whole, line] = expectStatus<{ id: string; individual_note: boolean; notes: Row[] }[]>(response, 200);
  assert.equal(response.headers['x-total'], '2');
  assert.match(whole!.id, /^[0-9a-f]{40}$/);
  assert.equal(whole!.individual_note, true);
  assert.deepEqual([whole!.notes[0]!.body, whole!.notes[0]!.type, whole!.notes[0]!.commit_id], ['On all', null, id]);
  assert.equal(line!.individual_note, false);
  assert.equal(line!.notes[0]!.type, 'DiffNote');
  assert.deepEqual(line!.notes[0]!.position, {
    base_sha: null,
    start_sha: null,
    head_sha: id,
    position_type: 'text',
    old_path: 'c.txt',
    new_path: 'c.txt',
    old_line: null,
    new_line: 1,
  });
  const second = expectStatus<Row[]>(await app.get(`${at(project, id, 'discussions')}?per_page=1&page=2`), 200);
  assert.deepEqual(
    second.map((discussion) => discussion.id),
    [line!.id],
  );
});

test('comments of one project do not show in another with the same commit', async () => {
  const fork = await app.make.project();
  new ProjectGit(app, fork).run(['fetch', '--quiet', git.dir, 'refs/heads/*:refs/heads/*']);
  expectStatus(await comment({ note: 'Here' }), 201);
  assert.deepEqual(expectStatus<Row[]>(await app.get(at(fork, sha)), 200), []);
  assert.deepEqual(expectStatus<Row[]>(await app.get(at(fork, sha, 'discussions')), 200), []);
});

test('comments follow visibility, roles and scopes', async () => {
  const closed = await app.make.project();
  new ProjectGit(app, closed).commit('main', { a: '1' });
  const users = await app.make.members(closed);
  const json = { note: 'x' };
  for (const what of ['comments', 'discussions']) {
    expectStatus(await app.get(at(project, 'main', what), { token: null }), 200);
    expectStatus(await app.get(at(closed, 'main', what), { token: null }), 404);
    expectStatus(await app.get(at(closed, 'main', what), { token: users.stranger.token }), 404);
    expectStatus(await app.get(at(closed, 'main', what), { token: users.guest.token }), 403);
    expectStatus(await app.get(at(closed, 'main', what), { token: users.reporter.token }), 200);
  }
  expectStatus(await app.post(at(project, 'main'), { json, token: null }), 401);
  expectStatus(await app.post(at(project, 'main'), { json, token: users.stranger.token }), 201);
  expectStatus(await app.post(at(closed, 'main'), { json, token: users.stranger.token }), 404);
  expectStatus(await app.post(at(closed, 'main'), { json, token: users.guest.token }), 403);
  for (const name of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
    expectStatus(await app.post(at(closed, 'main'), { json, token: users[name].token }), 201);
  }
  const readApi = await app.make.token(users.owner.user.id, ['read_api']);
  expectStatus(await app.post(at(closed, 'main'), { json, token: readApi }), 403);
  const archived = await app.make.project({ visibility: 'public', columns: { archived: 1 } });
  new ProjectGit(app, archived).commit('main', { a: '1' });
  expectStatus(await app.post(at(archived, 'main'), { json }), 403);
});

test('POST comments takes 300 a minute from one user', async () => {
  const { token } = await app.make.user();
  clock.advance(60_000);
  for (let count = 0; count < 300; count += 1) {
    assert.equal((await app.post(at(project, 'main'), { token, json: { note: 'x' } })).statusCode, 201);
  }
  expectStatus(await app.post(at(project, 'main'), { token, json: { note: 'x' } }), 429);
  clock.advance(60_000);
  expectStatus(await app.post(at(project, 'main'), { token, json: { note: 'x' } }), 201);
});

test('changesLine counts both sides over several hunks', () => {
  const hunks = '@@ -1,3 +1,4 @@\n a\n+b\n c\n d\n@@ -10,2 +11 @@ f()\n-x\n y\n\\ No newline at end of file\n';
  assert.deepEqual(
    [1, 2, 3, 11].map((line) => changesLine(hunks, line, 'new')),
    [false, true, false, false],
  );
  assert.deepEqual(
    [2, 10, 11].map((line) => changesLine(hunks, line, 'old')),
    [false, true, false],
  );
});
