import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { protectDefaultBranch } from '../../../repositories/default-branch.ts';

let app: TestApp;
let project: Project;
let git: ProjectGit;
let root: string;
let change: string;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  git = new ProjectGit(app, project);
  root = git.commit('main', { 'a.txt': '1\n2\n3\n' });
  change = git.commit('topic', { 'a.txt': '1\ntwo\n3\n' }, { start: root, message: 'Name two\n\nBecause.\n' });
  git.commit('main', { other: 'x' });
});

const at = (sha: string, what: 'cherry_pick' | 'revert', of: Project = project) =>
  `/projects/${of.id}/repository/commits/${encodeURIComponent(sha)}/${what}`;
const pick = (sha: string, json: object) => app.post(at(sha, 'cherry_pick'), { json });
const revert = (sha: string, json: object) => app.post(at(sha, 'revert'), { json });
const tip = (branch: string) => git.run(['rev-parse', `refs/heads/${branch}`]);

test('POST cherry_pick applies a commit, keeps its author and names it in the message', async () => {
  const before = tip('main');
  const body = expectStatus(await pick(change, { branch: 'main' }), 201);
  assert.equal(body.id, tip('main'));
  assert.deepEqual(body.parent_ids, [before]);
  assert.equal(body.title, 'Name two');
  assert.equal(body.message, `Name two\n\nBecause.\n\n(cherry picked from commit ${change})`);
  assert.deepEqual([body.author_name, body.author_email], ['Ada', 'ada@example.com']);
  assert.match(String(body.authored_date), /^2023-11-15T00:15:20\.000\+02:00$/);
  assert.equal(body.committer_name, 'Administrator');
  assert.equal(git.run(['show', 'main:a.txt']), '1\ntwo\n3');
  assert.equal(git.run(['show', 'main:other']), 'x');
  assert.equal(git.run(['fsck', '--strict', '--no-dangling']), '');
  const event = await app.deps.db
    .selectFrom('domain_events')
    .select(['actor_id', 'payload'])
    .where('project_id', '=', project.id)
    .where('type', '=', 'push')
    .executeTakeFirstOrThrow();
  assert.equal(event.actor_id, 1);
  const [{ commit, configured, ...moved }] = JSON.parse(event.payload).updates;
  assert.deepEqual(moved, { ref: 'refs/heads/main', old: before, new: body.id });
  assert.deepEqual([commit, configured], [{ message: body.message }, false]);
});

test('POST cherry_pick of what the branch has already is refused, the second time too', async () => {
  expectStatus(await pick('topic', { branch: 'main' }), 201);
  const after = tip('main');
  const body = expectStatus(await pick('topic', { branch: 'main' }), 400);
  assert.equal(body.error_code, 'empty');
  assert.match(String(body.message), /^Sorry, we cannot cherry-pick this commit automatically\./);
  assert.equal(body.dry_run, undefined);
  assert.equal(tip('main'), after);
});

test('POST cherry_pick of a conflicting change is refused', async () => {
  git.commit('main', { 'a.txt': '1\nzwei\n3\n' });
  const before = tip('main');
  assert.equal(expectStatus(await pick(change, { branch: 'main' }), 400).error_code, 'conflict');
  assert.equal(tip('main'), before);
});

test('POST cherry_pick takes a message of the caller', async () => {
  const body = expectStatus(await pick(change, { branch: 'main', message: 'Own words' }), 201);
  assert.equal(body.message, 'Own words');
});

test('POST cherry_pick of a merge takes its change against the first parent', async () => {
  const merge = git.merge('merged', [tip('main'), change], { 'a.txt': '1\ntwo\n3\n' });
  git.run(['branch', 'release', root]);
  expectStatus(await pick(merge, { branch: 'release' }), 201);
  assert.equal(git.run(['show', 'release:a.txt']), '1\ntwo\n3');
  assert.throws(() => git.run(['show', 'release:other']));
});

test('POST cherry_pick and revert with dry_run change nothing', async () => {
  const before = tip('main');
  assert.deepEqual(expectStatus(await pick(change, { branch: 'main', dry_run: true }), 200), { dry_run: 'success' });
  assert.deepEqual(expectStatus(await revert('main', { branch: 'main', dry_run: true }), 200), { dry_run: 'success' });
  git.commit('release', { 'a.txt': 'new\n' }, { start: root });
  const body = expectStatus(await pick(change, { branch: 'release', dry_run: true }), 400);
  assert.deepEqual([body.dry_run, body.error_code], ['error', 'conflict']);
  assert.equal(tip('main'), before);
});

test('POST revert undoes a commit in the name of the caller; the second time it is refused', async () => {
  const { user, token } = await app.make.user();
  await app.make.member({ project }, user, 40);
  const options = { token, json: { branch: 'topic' } };
  const body = expectStatus(await app.post(at(change, 'revert'), options), 201);
  assert.equal(body.title, 'Revert "Name two"');
  assert.equal(body.message, `Revert "Name two"\n\nThis reverts commit ${change}`);
  assert.deepEqual([body.author_name, body.committer_email], [user.name, user.email]);
  assert.equal(git.run(['show', 'topic:a.txt']), '1\n2\n3');
  const again = expectStatus(await app.post(at(change, 'revert'), options), 400);
  assert.match(String(again.message), /^Sorry, we cannot revert this commit automatically\./);
  assert.equal(again.error_code, 'empty');
});

test('POST revert of the first commit removes what it added', async () => {
  git.run(['branch', 'first', root]);
  expectStatus(await revert(root, { branch: 'first' }), 201);
  assert.equal(git.run(['ls-tree', '-r', 'first']), '');
});

test('two commits picked at once both arrive', async () => {
  const second = git.commit('another', { 'b.txt': 'b\n' }, { start: root });
  const answers = await Promise.all([pick(change, { branch: 'main' }), pick(second, { branch: 'main' })]);
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [201, 201],
  );
  assert.equal(git.run(['show', 'main:a.txt']), '1\ntwo\n3');
  assert.equal(git.run(['show', 'main:b.txt']), 'b');
});

test('POST cherry_pick keeps an author whom git would refuse today', async () => {
  const tree = git.run(['rev-parse', `${change}^{tree}`]);
  const text = `tree ${tree}\nparent ${root}\nauthor  <> 1700000000 +9959\ncommitter B <b@c> 1700000000 +0000\n\nodd\n`;
  const odd = git.run(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], text);
  const body = expectStatus(await pick(odd, { branch: 'main' }), 201);
  assert.deepEqual([body.author_name, body.authored_date], ['Unknown', '2023-11-14T22:13:20.000+00:00']);
});

test('POST cherry_pick and revert refuse unknown commits and branches, and options of git', async () => {
  for (const sha of ['--abort', '--continue', 'nope', '-n', 'f'.repeat(40), 'main..topic']) {
    for (const what of ['cherry_pick', 'revert'] as const) {
      const { message } = expectStatus(await app.post(at(sha, what), { json: { branch: 'main' } }), 404);
      assert.equal(message, '404 Commit Not Found');
    }
  }
  for (const branch of ['nope', '--force', 'refs/heads/main', 'HEAD', '../main', 'a b', change]) {
    assert.equal(expectStatus(await pick(change, { branch }), 404).message, '404 Branch Not Found', branch);
    assert.equal(expectStatus(await revert(change, { branch, dry_run: true }), 404).message, '404 Branch Not Found');
  }
  assert.equal(expectStatus(await pick(change, {}), 400).message, 'branch is missing, branch is empty');
});

test('POST cherry_pick and revert follow roles and protections', async () => {
  await app.deps.db.transaction().execute((db) => protectDefaultBranch(app.deps, db, project.id, 'main'));
  git.run(['branch', 'open', root]);
  const users = await app.make.members(project);
  for (const what of ['cherry_pick', 'revert'] as const) {
    const post = (branch: string, token: string | null) =>
      app.post(at(change, what), { token, json: { branch, dry_run: what === 'cherry_pick' } });
    expectStatus(await post('open', null), 401);
    expectStatus(await post('open', users.stranger.token), 404);
    for (const name of ['guest', 'planner', 'reporter'] as const)
      expectStatus(await post('open', users[name].token), 403);
    const { message } = expectStatus(await post('main', users.developer.token), 403);
    assert.equal(message, '403 Forbidden - You are not allowed to push into this branch');
    expectStatus(await post('open', await app.make.token(users.owner.user.id, ['read_api'])), 403);
  }
  for (const [name, branch] of [
    ['developer', 'open'],
    ['maintainer', 'main'],
    ['owner', 'main'],
  ] as const) {
    const json = { branch, dry_run: true };
    expectStatus(await app.post(at(change, 'cherry_pick'), { token: users[name].token, json }), 200);
  }
});
