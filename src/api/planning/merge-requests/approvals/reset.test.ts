import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { reviewedProject } from '../../../../../test/support/approvals.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { approve } from './approve.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

test('attack 73: new commits take all approvals away with the push itself', async () => {
  const { people, push, approve, approvals, approvedBy, project, mergeRequest } = await reviewedProject(app);
  const { owner, maintainer, developer } = people;
  const rule = { name: 'All Members', approvals_required: 2 };
  expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
  for (const who of [owner, maintainer]) expectStatus(await approve(who), 201);
  assert.equal((await approvals()).approved, true);
  expectStatus(await push({ 'b.txt': 'two\n' }, developer), 201);
  // Nothing has run in the background yet.
  assert.deepEqual(await approvedBy(), []);
  assert.equal((await approvals()).approvals_left, 2);
  const notes = await app.deps.db
    .selectFrom('notes')
    .select(['note', 'author_id'])
    .where('noteable_id', '=', mergeRequest.id)
    .where('system_action', '=', 'approvals_reset')
    .execute();
  const names = [maintainer, owner].map(({ user }) => `@${user.username}`).join(' and ');
  const text = `reset approvals from ${names} by pushing to the branch`;
  assert.deepEqual(
    notes.map(({ note, author_id }) => [note, author_id]),
    [[text, developer.user.id]],
  );
  expectStatus(await approve(owner), 201);
  await app.drain();
  assert.deepEqual(await approvedBy(), [owner.user.id]);
});

test('approvals stay where the project keeps them, and when other branches or the same commit are pushed', async () => {
  const { people, push, approve, approvedBy, configure, project, git, path } = await reviewedProject(app);
  const { owner } = people;
  expectStatus(await approve(owner), 201);
  expectStatus(await push({ 'a.txt': 'two\n' }, undefined, 'main'), 201);
  const head = git.run(['rev-parse', 'side']);
  const branch = { branch: 'other', ref: head };
  expectStatus(await app.post(`/projects/${project.id}/repository/branches`, { query: branch }), 201);
  expectStatus(await push({ 'c.txt': 'x\n' }, undefined, 'other'), 201);
  expectStatus(await app.delete(`/projects/${project.id}/repository/branches/side`), 204);
  assert.deepEqual(await approvedBy(), [owner.user.id]);
  expectStatus(
    await app.post(`/projects/${project.id}/repository/branches`, { query: { branch: 'side', ref: head } }),
    201,
  );
  expectStatus(await app.put(path, { json: { state_event: 'reopen' } }), 200);
  assert.deepEqual(await approvedBy(), [owner.user.id]);
  await configure({ reset_approvals_on_push: false });
  expectStatus(await push({ 'b.txt': 'two\n' }), 201);
  assert.deepEqual(await approvedBy(), [owner.user.id]);
  await configure({ reset_approvals_on_push: true });
  assert.deepEqual(await approvedBy(), [owner.user.id]);
  expectStatus(await push({ 'b.txt': 'three\n' }), 201);
  assert.deepEqual(await approvedBy(), []);
});

test('only approvals of the owners of changed files go, where the project says so', async () => {
  const app = await buildTestApp();
  try {
    const ann = await app.make.user({ username: 'ann' });
    const bob = await app.make.user({ username: 'bob' });
    const group = await app.make.group({ path: 'writers' });
    const carl = await app.make.user({ username: 'carl' });
    await app.make.member({ group }, carl.user, 30);
    const owners = '*.ts @ann\n/docs/ @writers\n*.md @bob\n';
    const { project, people, push, approve, approvedBy, configure } = await reviewedProject(app, {
      CODEOWNERS: owners,
    });
    for (const { user } of [ann, bob, carl]) await app.make.member({ project }, user, 30);
    await configure({ reset_approvals_on_push: false, selective_code_owner_removals: true });
    const everybody = [ann, bob, carl, people.owner];
    for (const who of everybody) expectStatus(await approve(who), 201);
    const without = (...gone: typeof everybody) =>
      everybody.filter((who) => !gone.includes(who)).map(({ user }) => user.id);
    expectStatus(await push({ 'b.txt': 'two\n' }), 201);
    assert.deepEqual(await approvedBy(), without());
    expectStatus(await push({ 'x.ts': 'two\n' }), 201);
    assert.deepEqual(await approvedBy(), without(ann));
    expectStatus(await push({ 'docs/a.txt': 'two\n' }), 201);
    assert.deepEqual(await approvedBy(), without(ann, carl));
    expectStatus(await push({ 'docs/a.md': 'two\n' }), 201);
    assert.deepEqual(await approvedBy(), without(ann, carl, bob));
  } finally {
    await app.close();
  }
});

test('pushes to a fork reset the approvals of its merge request', async () => {
  const { project, people, git, path } = await reviewedProject(app);
  const forked = await app.post(`/projects/${project.id}/fork`, { token: people.developer.token });
  const fork = expectStatus<{ id: number }>(forked, 201);
  await app.drain();
  const { token } = people.developer;
  const commit = (content: string, start: object = {}) =>
    app.post(`/projects/${fork.id}/repository/commits`, {
      token,
      json: {
        branch: 'mine',
        commit_message: 'c',
        actions: [{ action: 'branch' in start || content === 'one' ? 'create' : 'update', file_path: 'f', content }],
        ...start,
      },
    });
  expectStatus(await commit('one', { start_branch: 'main' }), 201);
  const json = { source_branch: 'mine', target_branch: 'main', title: 'From a fork', target_project_id: project.id };
  const made = await app.post(`/projects/${fork.id}/merge_requests`, { token, json });
  const { iid } = expectStatus<{ iid: number }>(made, 201);
  const at = path.replace(/\d+$/, String(iid));
  expectStatus(await app.post(`${at}/approve`, { token: people.owner.token }), 201);
  expectStatus(await commit('two'), 201);
  const { approved_by } = expectStatus<{ approved_by: unknown[] }>(await app.get(`${at}/approvals`), 200);
  assert.deepEqual(approved_by, []);
  assert.notEqual(git.run(['rev-parse', 'main']), '');
});

test('attack 73: approve, push and unapprove at once: what stays was given for the head', async () => {
  const { project, people, push, approve, unapprove, mergeRequest } = await reviewedProject(app);
  const { db } = app.deps;
  const { refs } = repositoryOf(app.deps, project);
  const crowd: TestUser[] = [];
  for (let count = 0; count < 30; count += 1) {
    const made = await app.make.user();
    await app.make.member({ project }, made.user, 30);
    crowd.push(made);
  }
  for (let round = 0; round < 15; round += 1) {
    await db.deleteFrom('approvals').where('merge_request_id', '=', mergeRequest.id).execute();
    const old = await refs.resolve('refs/heads/side');
    let pushing = true;
    const pushed = push({ 'b.txt': `round ${round}\n` }).finally(() => {
      pushing = false;
    });
    // One after the other approves once, from when the branch has moved: before, while and after that is recorded.
    const waiting = [...crowd];
    const approving = async () => {
      while (pushing && (await refs.resolve('refs/heads/side')) === old) await setImmediate();
      for (let next = waiting.pop(); next !== undefined && pushing; next = waiting.pop()) await approve(next);
    };
    const wavering = async () => {
      while (pushing && waiting.length > 0) for (const act of [approve, unapprove]) await act(people.owner);
    };
    const [response] = await Promise.all([pushed, approving(), approving(), approving(), wavering()]);
    assert.equal(response.statusCode, 201);
    const { head_sha } = await db
      .selectFrom('merge_requests')
      .select('head_sha')
      .where('id', '=', mergeRequest.id)
      .executeTakeFirstOrThrow();
    const rows = await db
      .selectFrom('approvals')
      .select('head_sha')
      .where('merge_request_id', '=', mergeRequest.id)
      .execute();
    assert.deepEqual(
      rows.filter((row) => row.head_sha !== head_sha),
      [],
    );
  }
});

test('an approval counts for the head that is there when it is entered, not when it was asked for', async () => {
  const { people, mergeRequest, push } = await reviewedProject(app);
  const { db } = app.deps;
  const load = () =>
    db.selectFrom('merge_requests').selectAll().where('id', '=', mergeRequest.id).executeTakeFirstOrThrow();
  const before = await load();
  expectStatus(await push({ 'b.txt': 'two\n' }), 201);
  const { user } = people.owner;
  const caller = { user, admin: false, scopes: null, credential: { kind: 'none' }, sudoBy: null } as const;
  await approve(app.deps, caller, before, {});
  const input = await db.selectFrom('approvals').select('head_sha').where('merge_request_id', '=', before.id).execute();
  const { head_sha } = await load();
  assert.deepEqual(
    input.map((row) => row.head_sha),
    [head_sha],
  );
  assert.notEqual(before.head_sha, head_sha);
  const { user: other } = people.maintainer;
  await assert.rejects(approve(app.deps, { ...caller, user: other }, before, { sha: before.head_sha! }), {
    status: 409,
  });
});

test('attack 73: approve, push and merge at once: nothing is merged that was not approved', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { project, people, git, push, approve, approvedBy, path, mergeRequest } = await reviewedProject(app);
    const rule = { name: 'All Members', approvals_required: 1 };
    expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
    const seen = git.run(['rev-parse', 'side']);
    if (round % 2 === 0) expectStatus(await approve(people.owner, { sha: seen }), 201);
    const merge = () => app.put(`${path}/merge`, { token: people.maintainer.token });
    await Promise.all([merge(), push({ 'evil.txt': 'x\n' }), approve(people.owner, { sha: seen }), merge()]);
    await app.drain();
    const row = await app.deps.db
      .selectFrom('merge_requests')
      .select(['state', 'head_sha'])
      .where('id', '=', mergeRequest.id)
      .executeTakeFirstOrThrow();
    assert.ok(row.state === 'opened' || row.state === 'merged', row.state);
    assert.equal(git.run(['ls-tree', '--name-only', 'main', '--', 'evil.txt']), '');
    if (row.state === 'merged') {
      assert.equal(row.head_sha, seen);
    } else {
      assert.deepEqual(await approvedBy(), []);
      const refused = await merge();
      assert.ok(refused.statusCode >= 400, refused.body);
    }
  }
});

test('another target branch takes all approvals away with the change itself, where pushes do', async () => {
  const { people, approve, approvals, approvedBy, configure, project, mergeRequest, path, git } =
    await reviewedProject(app);
  git.run(['branch', 'production', 'main']);
  const { owner, maintainer, developer } = people;
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'production' } }), 201);
  const protections = await app.get(`/projects/${project.id}/protected_branches/production`);
  const { id } = expectStatus<{ id: number }>(protections, 200);
  const rule = { name: 'Careful', approvals_required: 1, user_ids: [maintainer.user.id], protected_branch_ids: [id] };
  expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
  const retarget = (target_branch: string) => app.put(path, { token: developer.token, json: { target_branch } });
  expectStatus(await approve(owner), 201);
  expectStatus(await retarget('production'), 200);
  assert.deepEqual(await approvedBy(), []);
  const notes = await app.deps.db
    .selectFrom('notes')
    .select(['note', 'author_id'])
    .where('noteable_id', '=', mergeRequest.id)
    .where('system_action', '=', 'approvals_reset')
    .execute();
  const text = `reset approvals from @${owner.user.username} by changing the target branch`;
  assert.deepEqual(
    notes.map(({ note, author_id }) => [note, author_id]),
    [[text, developer.user.id]],
  );
  // The rules of the new target apply.
  expectStatus(await approve(owner), 201);
  assert.equal((await approvals()).approved, false);
  expectStatus(await app.put(`${path}/merge`, { token: owner.token }), 405);
  expectStatus(await approve(maintainer), 201);
  assert.equal((await approvals()).approved, true);
  await configure({ reset_approvals_on_push: false });
  expectStatus(await retarget('main'), 200);
  assert.deepEqual((await approvedBy()).sort(), [owner.user.id, maintainer.user.id].sort());
});

test('another target branch asks code owners again, where only these are minded', async () => {
  const { people, approve, approvedBy, configure, project, path, git } = await reviewedProject(app, {
    CODEOWNERS: '*.txt @minder\n',
  });
  const minder = await app.make.user({ username: 'minder' });
  await app.make.member({ project }, minder.user, 30);
  const protection = { name: 'main', code_owner_approval_required: true };
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: protection }), 201);
  git.run(['branch', 'other', 'main']);
  await configure({ reset_approvals_on_push: false, selective_code_owner_removals: true });
  const retarget = (target_branch: string) => app.put(path, { json: { target_branch } });
  expectStatus(await retarget('other'), 200);
  expectStatus(await retarget('main'), 200);
  await app.drain();
  for (const who of [minder, people.owner]) expectStatus(await approve(who), 201);
  expectStatus(await retarget('other'), 200);
  assert.deepEqual(await approvedBy(), [people.owner.user.id]);
});

test('an approval does not count for another target branch than its giver was asked about', async () => {
  const made = await reviewedProject(app);
  const { people, approvedBy, configure, path, git } = made;
  git.run(['branch', 'production', 'main']);
  const { owner } = people;
  await app.deps.db.updateTable('users').set({ password_hash: 'x' }).where('id', '=', owner.user.id).execute();
  await configure({ require_reauthentication_to_approve: true });
  const { passwords } = app.deps;
  const { check } = passwords;
  passwords.check = async () => {
    passwords.check = check;
    expectStatus(await app.put(path, { json: { target_branch: 'production' } }), 200);
    return true;
  };
  const response = expectStatus(await made.approve(owner, { approval_password: 'secret' }), 409);
  assert.match(String(response.message), /target branch was changed in the meantime/);
  assert.deepEqual(await approvedBy(), []);
});
