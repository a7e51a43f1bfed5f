import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { meanwhile } from '../../../../test/support/meanwhile.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { block, lines, type Suggestion, SuggestionScene } from '../../../../test/support/suggestions.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { recoverIntents } from '../../../repositories/recover-intents.ts';

type Row = Record<string, unknown>;

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const apply = (id: number, json: Row = {}, user?: TestUser) =>
  app.put(`/suggestions/${id}/apply`, { json, ...(user === undefined ? {} : { token: user.token }) });
const batch = (ids: readonly number[], json: Row = {}) =>
  app.put('/suggestions/batch_apply', { json: { ids, ...json } });
const refusal = (response: { statusCode: number; body: string }) => [
  response.statusCode,
  (JSON.parse(response.body) as { message: string }).message,
];
const head = async ({ id }: Project, branch = 'topic') =>
  expectStatus<Row & { id: string; message: string; author_name: string }>(
    await app.get(`/projects/${id}/repository/commits/${branch}`),
    200,
  );
const open = async (options: Parameters<typeof SuggestionScene.open>[2] = {}) =>
  SuggestionScene.open(app, await app.make.project(), options);

const LINE = "Can't apply as this line was changed in a more recent version.";
const LINES = "Can't apply as these lines were changed in a more recent version.";
const GONE = "Can't apply as the source branch was deleted.";
const NONE = 'Suggestion is not applicable as the suggestion was not found.';
const NO_PUSH = '403 Forbidden';

describe('one suggestion', () => {
  test('is applied by a commit of its author, and its thread is resolved by the caller', async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const scene = await SuggestionScene.open(app, project);
    const { note } = await scene.comment(block('five\n5\n', ':-1+0'), 5, { token: developer.token });
    const before = await head(project);
    const [suggestion] = note.suggestions!;
    const applied = expectStatus<Suggestion>(await apply(suggestion!.id, {}, maintainer), 200);
    assert.deepEqual(applied, { ...suggestion, appliable: false, applied: true });
    assert.equal(await scene.content(), lines(20).toSpliced(3, 2, 'five\n', '5\n').join(''));
    const commit = await head(project);
    assert.deepEqual(commit.parent_ids, [before.id]);
    assert.equal(
      commit.message,
      `Apply 1 suggestion(s) to 1 file(s)\n\nCo-authored-by: ${developer.user.name} <${developer.user.email}>`,
    );
    assert.deepEqual(
      [commit.author_name, commit.author_email, commit.committer_name, commit.committer_email],
      [developer.user.name, developer.user.email, maintainer.user.name, maintainer.user.email],
    );
    await app.drain();
    const now = await scene.note(note.id);
    assert.equal(now.resolved, true);
    assert.equal(now.resolved_by!.id, maintainer.user.id);
    assert.deepEqual(now.suggestions, [applied]);
    assert.equal(expectStatus<Row>(await app.get(scene.path), 200).sha, commit.id);
    const notes = expectStatus<{ body: string; system: boolean }[]>(
      await app.get(`${scene.path}/notes?sort=asc&activity_filter=only_activity`),
      200,
    );
    assert.deepEqual(
      notes.map(({ body }) => body.split('\n')[0]),
      ['added 1 commit', 'resolved all threads'],
    );
    assert.deepEqual(refusal(await apply(suggestion!.id)), [400, "Can't apply this suggestion."]);
    assert.equal((await head(project)).id, commit.id);
    const changed = await app.put(`${scene.path}/notes/${note.id}`, { json: { body: `Thanks ${note.body}` } });
    assert.deepEqual(expectStatus<Row>(changed, 200).suggestions, []);
  });

  test('removes lines, and applies at the end of a file', async () => {
    const scene = await open({ files: { 'a.txt': 'one\ntwo\nthree' } });
    expectStatus(await apply((await scene.suggest('', 2)).id), 200);
    assert.equal(await scene.content(), 'one\nthree');
    expectStatus(await apply((await open({ files: { 'a.txt': 'a' } }).then((one) => one.suggest('b\n', 1))).id), 200);
    await app.drain();
    const { id } = await (await open({ files: { 'a.txt': 'a\r\nb\r\n' } })).suggest('c\nd\n', 2);
    expectStatus(await apply(id), 200);
  });

  test('leaves bytes of other lines as they are', async () => {
    const project = await app.make.project();
    const scene = await SuggestionScene.open(app, project);
    const content = Buffer.from('caf\xe9\r\nb\n', 'latin1').toString('base64');
    const actions = [{ action: 'update', file_path: 'a.txt', content, encoding: 'base64' }];
    const json = { branch: 'topic', commit_message: 'x', actions };
    expectStatus(await app.post(`/projects/${project.id}/repository/commits`, { json }), 201);
    await app.drain();
    const { diff_refs } = expectStatus<{ diff_refs: Row }>(await app.get(scene.path), 200);
    const position = { ...scene.position(2), ...diff_refs };
    const thread = expectStatus<{ notes: { suggestions: Suggestion[] }[] }>(
      await app.post(`${scene.path}/discussions`, { json: { body: block('ü\n'), position } }),
      201,
    );
    expectStatus(await apply(thread.notes[0]!.suggestions[0]!.id), 200);
    const file = expectStatus<{ content: string }>(
      await app.get(`/projects/${project.id}/repository/files/a.txt?ref=topic`),
      200,
    );
    assert.deepEqual(Buffer.from(file.content, 'base64'), Buffer.from('caf\xe9\r\n\xc3\xbc\n', 'latin1'));
  });

  test('follows its line, and the file, to the head of the branch', async () => {
    const scene = await open();
    const { id } = await scene.suggest('five\n', 5);
    await scene.push(['zero\n', ...lines(20)].join(''));
    const move = [{ action: 'move', file_path: 'c.txt', previous_path: 'a.txt' }];
    const json = { branch: 'topic', commit_message: 'x', actions: move };
    expectStatus(await app.post(`/projects/${scene.project.id}/repository/commits`, { json }), 201);
    expectStatus(await apply(id), 200);
    assert.equal(await scene.content('c.txt'), ['zero\n', ...lines(20).with(4, 'five\n')].join(''));
  });
});

describe('the message of the commit', () => {
  const TEMPLATE =
    '%{branch_name}|%{files_count}|%{file_path}|%{file_paths}|%{project_path}|%{project_name}|%{suggestions_count}|' +
    '%{username}|%{user_full_name}|%{other}\n\n%{co_authored_by}';

  test('is that of the project, of the request, or the default one, with variables', async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const scene = await SuggestionScene.open(app, project);
    expectStatus(await app.put(`/projects/${project.id}`, { json: { suggestion_commit_message: TEMPLATE } }), 200);
    const ids = [
      (await scene.suggest('1\n', 1, { token: maintainer.token })).id,
      (await scene.suggest('2\n', 2, { path: 'b.txt', token: developer.token })).id,
      (await scene.suggest('3\n', 3, { token: developer.token })).id,
    ];
    const applied = expectStatus<Suggestion[]>(await batch(ids), 200);
    assert.deepEqual(
      applied.map((each) => [each.id, each.applied]),
      ids.map((id) => [id, true]),
    );
    const commit = await head(project);
    const trailer = ({ user: { name, email } }: TestUser) => `Co-authored-by: ${name} <${email}>`;
    const { full_path, name } = project;
    assert.equal(
      commit.message,
      `topic|2|a.txt, b.txt|a.txt, b.txt|${full_path}|${name}|3|root|Administrator|%{other}\n\n` +
        `${trailer(maintainer)}\n${trailer(developer)}`,
    );
    assert.equal(commit.author_name, 'Administrator');
    assert.equal(await scene.content(), lines(20).with(0, '1\n').with(2, '3\n').join(''));
    assert.equal(await scene.content('b.txt'), lines(3).with(1, '2\n').join(''));
    const own = await scene.suggest('4\n', 4);
    expectStatus(await apply(own.id, { commit_message: 'By %{username}' }), 200);
    assert.equal((await head(project)).message, 'By root');
    expectStatus(await app.put(`/projects/${project.id}`, { json: { suggestion_commit_message: ' ' } }), 200);
    expectStatus(await apply((await scene.suggest('5\n', 5)).id, { commit_message: ' ' }), 200);
    assert.match((await head(project)).message, /^Apply 1 suggestion\(s\) to 1 file\(s\)\n\nCo-authored-by: Adm/);
  });
});

describe('a batch', () => {
  test('is refused where lines overlap, in one file only', async () => {
    const scene = await open();
    const one = await scene.suggest('1\n', 5, { offsets: ':-1+1' });
    const two = await scene.suggest('2\n', 6);
    const three = await scene.suggest('3\n', 7);
    const elsewhere = await scene.suggest('4\n', 2, { path: 'b.txt', offsets: ':-1+1' });
    const text = 'Suggestions are not applicable as their lines cannot overlap.';
    assert.deepEqual(refusal(await batch([two.id, one.id])), [400, text]);
    assert.equal((await scene.note((await scene.comment('x', 1)).note.id)).resolved, false);
    expectStatus(await batch([three.id, elsewhere.id, one.id]), 200);
    assert.equal(await scene.content(), lines(20).toSpliced(3, 4, '1\n', '3\n').join(''));
    assert.equal(await scene.content('b.txt'), '4\n');
  });

  test('is of one merge request, of suggestions that are all there, and each once', async () => {
    const [scene, other] = [await open(), await open()];
    const { id } = await scene.suggest('1\n', 1);
    const text = 'Suggestions are not applicable as one or more suggestions were not found.';
    assert.deepEqual(refusal(await batch([id, (await other.suggest('1\n', 1)).id])), [
      400,
      'Suggestions must all be on the same branch.',
    ]);
    assert.deepEqual(refusal(await batch([id, 999_999])), [404, text]);
    assert.deepEqual(refusal(await batch([id, id])), [404, text]);
    for (const ids of [[], 'x', Array.from({ length: 101 }, (_, index) => index)]) {
      assert.equal((await app.put('/suggestions/batch_apply', { json: { ids } })).statusCode, 400);
    }
    assert.equal((await app.put('/suggestions/batch_apply', { json: {} })).statusCode, 400);
    assert.equal(await scene.content(), lines(20).join(''));
  });

  test('is applied as a whole, or not at all', async () => {
    const scene = await open();
    const ids = [(await scene.suggest('1\n', 1)).id, (await scene.suggest('2\n', 2, { path: 'b.txt' })).id];
    await scene.push('other\n', 'b.txt');
    assert.deepEqual(refusal(await batch(ids)), [400, LINE]);
    assert.equal(await scene.content(), lines(20).join(''));
    expectStatus(await apply(ids[0]!), 200);
  });
});

describe('a suggestion is refused', () => {
  test('where its lines are others, told before and after the threads have followed', async () => {
    const scene = await open();
    const one = await scene.suggest('x\n', 5);
    const many = await scene.suggest('x\n', 10, { offsets: ':-0+2' });
    const same = await scene.suggest('line 7\n', 7);
    assert.deepEqual(refusal(await apply(same.id)), [400, 'This suggestion already matches its content.']);
    await scene.push(lines(20).with(4, 'five\n').with(11, 'twelve\n').join(''));
    for (const _ of ['before', 'after']) {
      assert.deepEqual(refusal(await apply(one.id)), [400, LINE]);
      assert.deepEqual(refusal(await apply(many.id)), [400, LINES]);
      await app.drain();
    }
    const json = { branch: 'topic', commit_message: 'x', actions: [{ action: 'delete', file_path: 'a.txt' }] };
    expectStatus(await app.post(`/projects/${scene.project.id}/repository/commits`, { json }), 201);
    assert.deepEqual(refusal(await apply(same.id)), [400, 'This suggestion already matches its content.']);
    assert.deepEqual(refusal(await apply(many.id)), [400, LINES]);
  });

  test('where the merge request is closed or merged', async () => {
    const scene = await open();
    const { id } = await scene.suggest('x\n', 5);
    expectStatus(await app.put(scene.path, { json: { state_event: 'close' } }), 200);
    const text = (state: string) => `This merge request ${state}. To apply this suggestion, edit this file directly.`;
    assert.deepEqual(refusal(await apply(id)), [400, text('is closed')]);
    expectStatus(await app.put(scene.path, { json: { state_event: 'reopen' } }), 200);
    await app.drain();
    expectStatus(await app.put(`${scene.path}/merge`), 200);
    assert.deepEqual(refusal(await apply(id)), [400, text('was merged')]);
  });

  test('where the branch, the fork or the note is gone', async () => {
    const scene = await open();
    const { note } = await scene.comment(block('x\n'), 5);
    const [{ id }] = note.suggestions as [Suggestion];
    await app.deps.db.updateTable('merge_requests').set({ source_branch: 'none' }).execute();
    assert.deepEqual(refusal(await apply(id)), [400, GONE]);
    assert.equal((await scene.note(note.id)).suggestions![0]!.appliable, false);
    await app.deps.db.updateTable('merge_requests').set({ source_project_id: null }).execute();
    assert.deepEqual(refusal(await apply(id)), [400, GONE]);
    assert.equal((await scene.note(note.id)).suggestions![0]!.appliable, false);
    expectStatus(await app.delete(`${scene.path}/notes/${note.id}`), 204);
    assert.deepEqual(refusal(await apply(id)), [404, NONE]);
    assert.deepEqual(refusal(await apply(999_999)), [404, NONE]);
    assert.equal((await app.put('/suggestions/x/apply')).statusCode, 400);
  });

  test('where its file has become too large', async () => {
    const scene = await open();
    const { id } = await scene.suggest('x\n', 5);
    await scene.push(`${lines(20).join('')}${'x'.repeat(1024 * 1024)}`);
    assert.deepEqual(refusal(await apply(id)), [400, LINE]);
  });
});

describe('who may apply', () => {
  test('are those who may push to the source branch', async () => {
    const project = await app.make.project({ visibility: 'private' });
    const people = await app.make.members(project);
    const scene = await SuggestionScene.open(app, project);
    const ids: number[] = [];
    for (let line = 1; line <= 4; line += 1) ids.push((await scene.suggest('x\n', line)).id);
    const [first] = ids as [number];
    const anonymous = await app.put(`/suggestions/${first}/apply`, { token: null });
    assert.equal(anonymous.statusCode, 401);
    assert.equal((await app.put('/suggestions/batch_apply', { token: null, json: { ids } })).statusCode, 401);
    for (const user of [people.stranger, people.guest, people.planner])
      assert.deepEqual(refusal(await apply(first, {}, user)), [404, NONE]);
    assert.deepEqual(refusal(await apply(first, {}, people.reporter)), [403, NO_PUSH]);
    for (const [index, user] of [people.developer, people.maintainer, people.owner, undefined].entries()) {
      expectStatus(await apply(ids[index]!, {}, user), 200);
    }
  });

  test('not those who only see a public project, or whose token only reads', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const { stranger, guest, developer } = await app.make.members(project);
    const scene = await SuggestionScene.open(app, project);
    const { id } = await scene.suggest('x\n', 1);
    for (const user of [stranger, guest]) assert.deepEqual(refusal(await apply(id, {}, user)), [403, NO_PUSH]);
    const reading = await app.make.token(developer.user.id, ['read_api']);
    assert.equal((await app.put(`/suggestions/${id}/apply`, { token: reading })).statusCode, 403);
    expectStatus(await app.post(`/projects/${project.id}/archive`), 201);
    assert.deepEqual(refusal(await apply(id, {}, developer)), [403, NO_PUSH]);
  });

  test('where a branch is protected, those whom the protection allows', async () => {
    const project = await app.make.project();
    const { developer, maintainer } = await app.make.members(project);
    const scene = await SuggestionScene.open(app, project);
    const { id } = await scene.suggest('x\n', 1);
    const json = { name: 'topic', push_access_level: 40 };
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json }), 201);
    assert.deepEqual(refusal(await apply(id, {}, developer)), [403, NO_PUSH]);
    expectStatus(await apply(id, {}, maintainer), 200);
  });

  test('of an internal note, those who may read it', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const author = await app.make.user();
    const fork = await forkOf(project, author);
    const scene = await SuggestionScene.open(app, project, { author, source: fork });
    const { id } = await scene.suggest('x\n', 1, { internal: true });
    assert.deepEqual(refusal(await apply(id, {}, author)), [404, NONE]);
    expectStatus(await apply(id), 200);
  });
});

const forkOf = (project: Project, author: TestUser) =>
  app.make.project({
    owner: author.user,
    visibility: 'public',
    columns: { forked_from_id: project.id, fork_root_id: project.id },
  });

describe('a merge request from a fork', () => {
  test('is changed by its author, who may resolve the thread', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const { developer } = await app.make.members(project);
    const author = await app.make.user();
    const fork = await forkOf(project, author);
    const scene = await SuggestionScene.open(app, project, { author, source: fork });
    const { note } = await scene.comment(block('x\n'), 1, { token: developer.token });
    const [{ id }] = note.suggestions as [Suggestion];
    assert.deepEqual(refusal(await apply(id, {}, developer)), [403, NO_PUSH]);
    const template = { suggestion_commit_message: 'Of %{project_path}' };
    expectStatus(await app.put(`/projects/${project.id}`, { json: template }), 200);
    expectStatus(await apply(id, {}, author), 200);
    assert.equal((await head(fork)).message, `Of ${project.full_path}`);
    assert.equal((await scene.note(note.id)).resolved_by!.id, author.user.id);
    await app.drain();
    assert.equal(expectStatus<Row>(await app.get(scene.path), 200).sha, (await head(fork)).id);
  });

  test('is changed by those who may merge it, where the author allows it', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const { developer, reporter } = await app.make.members(project);
    const author = await app.make.user();
    const fork = await forkOf(project, author);
    const scene = await SuggestionScene.open(app, project, { author, source: fork, allow_collaboration: true });
    const { id } = await scene.suggest('x\n', 1);
    assert.deepEqual(refusal(await apply(id, {}, reporter)), [403, NO_PUSH]);
    expectStatus(await apply(id, {}, developer), 200);
    assert.equal(await scene.content(), lines(20).with(0, 'x\n').join(''));
  });

  test('whose fork is hidden is changed by nobody who does not see it; one whose fork is gone by nobody', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const { developer } = await app.make.members(project);
    const author = await app.make.user();
    const fork = await forkOf(project, author);
    const scene = await SuggestionScene.open(app, project, { author, source: fork });
    const { note } = await scene.comment(block('x\n'), 1);
    const [{ id }] = note.suggestions as [Suggestion];
    expectStatus(await app.put(`/projects/${fork.id}`, { json: { visibility: 'private' } }), 200);
    assert.deepEqual(refusal(await apply(id, {}, developer)), [403, NO_PUSH]);
    expectStatus(await app.delete(`/projects/${fork.id}?permanently_remove=true&full_path=${fork.full_path}`), 202);
    await app.drain();
    assert.equal((await apply(id)).statusCode, 400);
    assert.equal((await scene.note(note.id)).suggestions![0]!.appliable, false);
  });

  test('is changed by whoever resolves no thread, and leaves it open', async () => {
    const project = await app.make.project({ visibility: 'public' });
    const author = await app.make.user();
    const helper = await app.make.user();
    const fork = await forkOf(project, author);
    await app.make.member({ project: fork }, helper.user, 30);
    const scene = await SuggestionScene.open(app, project, { author, source: fork });
    const { note } = await scene.comment(block('x\n'), 1);
    expectStatus(await apply(note.suggestions![0]!.id, {}, helper), 200);
    const now = await scene.note(note.id);
    assert.deepEqual([now.resolved, now.suggestions![0]!.applied], [false, true]);
  });
});

describe('what changes while a commit waits for its turn', () => {
  const after = async (act: (scene: SuggestionScene, note: { id: number }, user: TestUser) => Promise<unknown>) => {
    const project = await app.make.project();
    const { developer } = await app.make.members(project);
    const scene = await SuggestionScene.open(app, project);
    const { note } = await scene.comment(block('x\n'), 5);
    meanwhile(app, () => act(scene, note, developer));
    const answer = refusal(await apply(note.suggestions![0]!.id, {}, developer));
    assert.match(await scene.content(), /^line 1\n/);
    assert.doesNotMatch(await scene.content(), /x/);
    return answer;
  };

  test('is seen: another content, merge request, note, right or suggestion', async () => {
    const { db } = app.deps;
    assert.deepEqual(await after((scene) => scene.push(lines(20).with(4, '5\n').join(''))), [400, LINE]);
    const closed = await after((scene) => app.put(scene.path, { json: { state_event: 'close' } }));
    assert.match(String(closed[1]), /^This merge request is closed/);
    assert.deepEqual(await after((scene, { id }) => app.delete(`${scene.path}/notes/${id}`)), [404, NONE]);
    const other = await after((scene, { id }) =>
      app.put(`${scene.path}/notes/${id}`, { json: { body: block('y\n') } }),
    );
    assert.deepEqual(other, [404, NONE]);
    const removed = await after((scene, _note, { user }) =>
      app.delete(`/projects/${scene.project.id}/members/${user.id}`),
    );
    assert.ok([403, 404].includes(Number(removed[0])), String(removed));
    const changed = await after(() => db.updateTable('suggestions').set({ to_content: 'z\n' }).execute());
    assert.match(String(changed[1]), /changed in the meantime/);
    const applied = await after((_scene, { id }) =>
      db.updateTable('suggestions').set({ commit_id: 'a' }).where('note_id', '=', id).execute(),
    );
    assert.deepEqual(applied, [400, "Can't apply this suggestion."]);
  });

  test('two who apply the same suggestion make one commit', async () => {
    const scene = await open();
    const { id } = await scene.suggest('x\n', 5);
    const answers = await Promise.all([apply(id), apply(id)]);
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 400]);
    assert.equal(await scene.content(), lines(20).with(4, 'x\n').join(''));
  });
});

describe('a commit whose process died', () => {
  /** What the process left: its intent, and the branch, moved or not. */
  async function leave(moves: boolean) {
    const scene = await open();
    const { note } = await scene.comment(block('line 2\n'), 1);
    const [{ id }] = note.suggestions as [Suggestion];
    const git = new ProjectGit(app, scene.project);
    const { id: old } = await head(scene.project);
    const commit_id = git.run(['commit-tree', `${old}^{tree}`, '-p', old, '-m', 'x']).trim();
    const { id: merge_request_id } = expectStatus<{ id: number }>(await app.get(scene.path), 200);
    const cause = { type: 'suggestions', merge_request_id, suggestion_ids: [id], commit_id, resolves: true };
    await app.deps.db
      .insertInto('ref_intents')
      .values({
        project_id: scene.project.id,
        user_id: 1,
        updates: JSON.stringify([{ ref: 'refs/heads/topic', old, new: commit_id }]),
        context: JSON.stringify({ via: 'api', pushOptions: [], cause, wasEmpty: false }),
        created_at: app.deps.clock.now().toISOString(),
      })
      .execute();
    if (moves) git.run(['update-ref', 'refs/heads/topic', commit_id]);
    app.deps.alone = true;
    await recoverIntents(app.deps);
    const now = await scene.note(note.id);
    return [now.resolved, now.suggestions![0]!.applied];
  }

  test('after the branch has moved has applied its suggestions', async () => {
    assert.deepEqual(await leave(true), [true, true]);
  });

  test('before the branch has moved has applied nothing', async () => {
    assert.deepEqual(await leave(false), [false, false]);
  });
});

test('the suggestions of a user who is gone are applied as those of the ghost', async () => {
  const project = await app.make.project();
  const { developer } = await app.make.members(project);
  const scene = await SuggestionScene.open(app, project);
  const { id } = await scene.suggest('x\n', 5, { token: developer.token });
  expectStatus(await app.delete(`/users/${developer.user.id}`), 204);
  await app.drain();
  expectStatus(await apply(id), 200);
  assert.equal((await head(project)).author_name, 'Ghost User');
});

test('push rules and push limits hold for suggestions, too', async () => {
  const project = await app.make.project();
  const scene = await SuggestionScene.open(app, project);
  const { note } = await scene.comment(block('x\n'), 5);
  const rule = { commit_message_regex: '^Fix' };
  expectStatus(await app.post(`/projects/${project.id}/push_rule`, { json: rule }), 201);
  const [{ id }] = note.suggestions as [Suggestion];
  assert.equal((await apply(id)).statusCode, 400);
  assert.equal((await scene.note(note.id)).resolved, false);
  expectStatus(await apply(id, { commit_message: 'Fix it' }), 200);
});
