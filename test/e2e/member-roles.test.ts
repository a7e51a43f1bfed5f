import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RolePermission } from '../../src/access/role-permissions.ts';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import type { TestUser } from '../support/factories.ts';
import { GitUser } from '../support/git-user.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let git: GitUser;
before(async () => {
  app = await buildTestApp();
  git = await GitUser.of(app);
});
after(() => app.close());

/** A project in a group below another one, with a merge request, and guests who get their roles as clients give them. */
async function scene() {
  const top = await app.make.group();
  const group = await app.make.group({ parent: top });
  const project = await app.make.project({ namespace: group });
  const at = `/projects/${project.id}`;
  const dir = await git.tree();
  const address = git.address(project);
  await git.ok(dir, 'push', '--quiet', address, 'HEAD:refs/heads/main', 'HEAD:refs/heads/next');
  await git.commit(dir, 'work.txt', 'one\n');
  await git.ok(dir, 'push', '--quiet', address, 'HEAD:refs/heads/work');
  const opened = await app.post(`${at}/merge_requests`, {
    json: { source_branch: 'work', target_branch: 'next', title: 'Work' },
  });
  const { iid } = expectStatus<{ iid: number }>(opened, 201);
  return { top, group, project, at, request: `${at}/merge_requests/${iid}` };
}
type Made = Awaited<ReturnType<typeof scene>>;

/** Somebody who becomes a member of the group above by a role with these permissions. */
async function member({ top }: Made, permissions: readonly RolePermission[], level = 10): Promise<TestUser> {
  const flags = Object.fromEntries(permissions.map((name) => [name, true]));
  const role = { name: `role ${Math.random()}`, base_access_level: level, ...flags };
  const { id } = expectStatus<{ id: number }>(await app.post(`/groups/${top.id}/member_roles`, { json: role }), 201);
  const person = await app.make.user();
  const json = { user_id: person.user.id, access_level: level, member_role_id: id };
  expectStatus(await app.post(`/groups/${top.id}/members`, { json }), 201);
  return person;
}

test('a guest with read_code clones and reads files; without it neither, and with it they do not push', async () => {
  const made = await scene();
  const [plain, reader] = [await member(made, []), await member(made, ['read_code'])];
  const file = `${made.at}/repository/files/README.md/raw?ref=main`;
  expectStatus(await app.get(file, { token: plain.token }), 403);
  await git.fails(git.folder, 'clone', '--quiet', git.address(made.project, plain.token), `plain-${made.project.id}`);
  const read = await app.get(file, { token: reader.token });
  assert.deepEqual([read.statusCode, read.body], [200, '# Hello\n']);
  const dir = join(git.folder, `clone-${made.project.id}`);
  await git.ok(git.folder, 'clone', '--quiet', git.address(made.project, reader.token), dir);
  assert.equal(readFileSync(join(dir, 'README.md'), 'utf8'), '# Hello\n');
  await git.commit(dir, 'more.txt', 'x\n');
  await git.fails(dir, 'push', '--quiet', 'origin', 'HEAD:refs/heads/next');
  const commit = { branch: 'next', commit_message: 'x', actions: [{ action: 'create', file_path: 'x', content: 'x' }] };
  expectStatus(await app.post(`${made.at}/repository/commits`, { token: reader.token, json: commit }), 403);
  expectStatus(await app.get(made.request, { token: reader.token }), 403);
  const archive = await app.get(`${made.at}/repository/archive.tar.gz`, { token: reader.token });
  assert.equal(archive.statusCode, 200);
});

test('the code is closed to them again as soon as they lose the role', async () => {
  const made = await scene();
  const reader = await member(made, ['read_code']);
  const tree = () => app.get(`${made.at}/repository/tree`, { token: reader.token });
  expectStatus(await tree(), 200);
  const at = `/groups/${made.top.id}/members/${reader.user.id}`;
  expectStatus(await app.put(at, { json: { access_level: 10 } }), 200);
  expectStatus(await tree(), 403);
});

test('a repository that is kept to members is open to readers of code', async () => {
  const made = await scene();
  const [plain, reader] = [await member(made, []), await member(made, ['read_code'])];
  const settings = {
    repository_access_level: 'private',
    builds_access_level: 'private',
    merge_requests_access_level: 'private',
  };
  expectStatus(await app.put(made.at, { json: settings }), 200);
  expectStatus(await app.get(`${made.at}/repository/tree`, { token: reader.token }), 200);
  expectStatus(await app.get(`${made.at}/repository/tree`, { token: plain.token }), 403);
  const closed = { repository_access_level: 'disabled', builds_access_level: 'disabled' };
  expectStatus(await app.put(made.at, { json: { ...closed, merge_requests_access_level: 'disabled' } }), 200);
  expectStatus(await app.get(`${made.at}/repository/tree`, { token: reader.token }), 403);
});

describe('a guest with admin_merge_request', () => {
  const REVIEWER: readonly RolePermission[] = ['read_code', 'admin_merge_request'];

  test('sees, approves and merges; without it none of that', async () => {
    const made = await scene();
    const { request } = made;
    const rule = { name: 'Any', approvals_required: 1, rule_type: 'any_approver' };
    expectStatus(await app.post(`${made.at}/approval_rules`, { json: rule }), 201);
    const [reader, reviewer] = [await member(made, ['read_code']), await member(made, REVIEWER)];
    for (const { token, status } of [
      { ...reader, status: 403 },
      { ...reviewer, status: 200 },
    ]) {
      expectStatus(await app.get(request, { token }), status);
      const lists = ['/merge_requests?scope=all', `/groups/${made.group.id}/merge_requests`];
      for (const list of lists) {
        const rows = expectStatus<Json[]>(await app.get(list, { token }), 200);
        assert.equal(rows.length, status === 200 ? 1 : 0, list);
      }
      expectStatus(await app.get(`${made.at}/merge_requests`, { token }), status);
    }
    expectStatus(await app.post(`${request}/approve`, { token: reader.token }), 403);
    expectStatus(await app.put(`${request}/merge`, { token: reader.token }), 404);

    const { token } = reviewer;
    const shown = expectStatus<{ user: { can_merge: boolean } }>(await app.get(request, { token }), 200);
    assert.equal(shown.user.can_merge, true);
    expectStatus(await app.put(`${request}/merge`, { token }), 405);
    expectStatus(await app.post(`${request}/approve`, { token }), 201);
    const approvals = expectStatus<Json>(await app.get(`${request}/approvals`, { token }), 200);
    assert.deepEqual([approvals.approved, approvals.approvals_left], [true, 0]);
    const merged = expectStatus<Json>(await app.put(`${request}/merge`, { token }), 200);
    assert.equal(merged.state, 'merged');
    expectStatus(await app.delete(request, { token }), 403);
  });

  test('counts for a rule that names them, as long as they have the role', async () => {
    const made = await scene();
    const [reader, reviewer] = [await member(made, ['read_code']), await member(made, REVIEWER)];
    const other = await member(made, REVIEWER);
    const user_ids = [reader, reviewer, other].map(({ user }) => user.id);
    const rule = { name: 'Both', approvals_required: 1, user_ids };
    const { eligible_approvers } = expectStatus<{ eligible_approvers: { id: number }[] }>(
      await app.post(`${made.at}/approval_rules`, { json: rule }),
      201,
    );
    assert.deepEqual(
      eligible_approvers.map(({ id }) => id),
      [reviewer.user.id, other.user.id],
    );
    expectStatus(await app.post(`${made.request}/approve`, { token: reviewer.token }), 201);
    const approved = async () => expectStatus<Json>(await app.get(`${made.request}/approvals`), 200).approved;
    assert.equal(await approved(), true);
    const at = `/groups/${made.top.id}/members/${reviewer.user.id}`;
    expectStatus(await app.put(at, { json: { access_level: 10 } }), 200);
    assert.equal(await approved(), false);
  });

  test('merges into a protected branch only where that names them', async () => {
    const made = await scene();
    const { token, user } = await member(made, REVIEWER);
    const protect = (json: object) =>
      app.post(`${made.at}/protected_branches`, { json: { name: 'next', push_access_level: 40, ...json } });
    expectStatus(await protect({ merge_access_level: 30 }), 201);
    expectStatus(await app.put(`${made.request}/merge`, { token }), 401);
    expectStatus(await app.delete(`${made.at}/protected_branches/next`), 204);
    expectStatus(await protect({ allowed_to_merge: [{ user_id: user.id }] }), 201);
    expectStatus(await app.put(`${made.request}/merge`, { token }), 200);
  });

  test('does not push, not even to a branch of a fork that merge requests share with those who push', async () => {
    const made = await scene();
    const open = await app.make.group({ visibility: 'public' });
    const project = await app.make.project({ namespace: open, visibility: 'public' });
    const dir = await git.tree();
    await git.ok(dir, 'push', '--quiet', git.address(project), 'HEAD:refs/heads/main', 'HEAD:refs/heads/next');
    const author = await app.make.user();
    const forked = await app.post(`/projects/${project.id}/fork`, { token: author.token });
    const fork = expectStatus<{ id: number; path_with_namespace: string }>(forked, 201);
    await app.drain();
    const place = { full_path: fork.path_with_namespace };
    await git.commit(dir, 'fork.txt', 'x\n');
    await git.ok(dir, 'push', '--quiet', git.address(place, author.token), 'HEAD:refs/heads/work');
    const json = {
      source_branch: 'work',
      target_branch: 'next',
      target_project_id: project.id,
      title: 'x',
      allow_collaboration: true,
    };
    expectStatus(await app.post(`/projects/${fork.id}/merge_requests`, { token: author.token, json }), 201);
    const reviewer = await member({ ...made, top: open }, REVIEWER);
    await git.commit(dir, 'other.txt', 'x\n');
    await git.fails(dir, 'push', '--quiet', git.address(place, reviewer.token), 'HEAD:refs/heads/work');
    const developer = await app.make.user();
    await app.make.member({ project }, developer.user, 30);
    await git.ok(dir, 'push', '--quiet', git.address(place, developer.token), 'HEAD:refs/heads/work');
  });
});

test('a guest with manage_merge_request_settings sets what is about merge requests, and nothing else', async () => {
  const made = await scene();
  const { token } = await member(made, ['manage_merge_request_settings']);
  const put = async (json: object, status: number) =>
    expectStatus<Json>(await app.put(made.at, { token, json }), status);
  await put({ merge_method: 'ff', squash_option: 'never' }, 200);
  assert.equal(expectStatus<Json>(await app.get(made.at), 200).merge_method, 'ff');
  for (const json of [
    { description: 'x' },
    { merge_method: 'merge', description: 'x' },
    { name: 'other' },
    { visibility: 'public' },
    { default_branch: 'next' },
    { issues_access_level: 'disabled' },
  ]) {
    await put(json, 403);
  }
  const rule = { name: 'One', approvals_required: 1 };
  expectStatus(await app.post(`${made.at}/approval_rules`, { token, json: rule }), 201);
});

test('remove_group is for groups below the one at the top', async () => {
  const made = await scene();
  const { token } = await member(made, ['remove_group']);
  expectStatus(await app.delete(`/groups/${made.top.id}`, { token }), 403);
  expectStatus(await app.delete(`/projects/${made.project.id}`, { token }), 403);
  expectStatus(await app.delete(`/groups/${made.group.id}`, { token }), 202);
});

test('read_runners shows runners and changes none', async () => {
  const made = await scene();
  const { token } = await member(made, ['read_runners']);
  const create = async (json: object) =>
    expectStatus<{ id: number }>(await app.post('/user/runners', { json }), 201).id;
  const runners = [
    await create({ runner_type: 'group_type', group_id: made.group.id }),
    await create({ runner_type: 'project_type', project_id: made.project.id }),
  ];
  const listed = expectStatus<{ id: number }[]>(await app.get('/runners', { token }), 200).map(({ id }) => id);
  assert.deepEqual(listed.sort(), runners.sort());
  for (const id of runners) {
    expectStatus(await app.get(`/runners/${id}`, { token }), 200);
    expectStatus(await app.put(`/runners/${id}`, { token, json: { paused: true } }), 403);
    expectStatus(await app.delete(`/runners/${id}`, { token }), 403);
  }
});

test('permissions are held by conditions as levels are: an archived project keeps its secrets of CI changeable, and no more', async () => {
  const made = await scene();
  const { token } = await member(made, ['read_code', 'admin_cicd_variables', 'admin_merge_request', 'archive_project']);
  expectStatus(await app.post(`${made.at}/archive`, { token }), 201);
  const json = { key: 'KEY', value: 'x' };
  expectStatus(await app.post(`${made.at}/variables`, { token, json }), 201);
  expectStatus(await app.put(`${made.request}/merge`, { token }), 401);
  expectStatus(await app.post(`${made.at}/unarchive`, { token }), 201);
});

test('a guest takes a seat when their role gives more than reading code', async () => {
  const made = await scene();
  const path = `/groups/${made.top.id}`;
  const seats = async ({ user }: TestUser) => {
    const query = { show_seat_info: true, user_ids: [String(user.id)] };
    const [row] = expectStatus<{ is_using_seat: boolean }[]>(await app.get(`${path}/members`, { query }), 200);
    const billed = expectStatus<{ id: number }[]>(await app.get(`${path}/billable_members`), 200);
    assert.equal(
      billed.some(({ id }) => id === user.id),
      row!.is_using_seat,
    );
    return row!.is_using_seat;
  };
  assert.equal(await seats(await member(made, [])), false);
  assert.equal(await seats(await member(made, ['read_code'])), false);
  assert.equal(await seats(await member(made, ['read_code', 'read_vulnerability'])), true);
  assert.equal(await seats(await member(made, ['remove_group'])), true);
  assert.equal(await seats(await member(made, [], 20)), true);
});
