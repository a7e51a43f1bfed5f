import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { cloneUrl, mustGit, runGitClient } from '../../../../test/support/git-client.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const pathOf = ({ id }: Namespace, name?: string) =>
  `/groups/${id}/protected_branches${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
const protect = async (group: Namespace, json: Json) =>
  expectStatus<Json>(await app.post(pathOf(group), { json }), 201);
/** A group with people, a subgroup, and a project in that with the branches `main` and `release/1`. */
async function place() {
  const people = await staffedGroup(app);
  const sub = await app.make.group({ parent: people.group });
  const project = await app.make.project({ namespace: sub });
  const git = new ProjectGit(app, project);
  git.commit('main', { a: '1' });
  git.run(['branch', 'release/1', 'main']);
  return { ...people, sub, project, git };
}
const commit = (id: number, token: string, branch: string, more: Json = {}) =>
  app.post(`/projects/${id}/repository/commits`, {
    token,
    json: {
      branch,
      commit_message: 'x',
      actions: [{ action: 'create', file_path: `f${Math.random()}`, content: 'x' }],
      ...more,
    },
  });

test('protected branches of a group are made, shown, changed and removed', async () => {
  const group = await app.make.group();
  const made = await protect(group, { name: 'release/*', push_access_level: 0, allow_force_push: true });
  const level = (access_level: number, access_level_description: string) => ({
    access_level,
    access_level_description,
    user_id: null,
    group_id: null,
  });
  const plain = (levels: unknown) => (levels as Json[]).map(({ id: _, deploy_key_id: __, ...rest }) => rest);
  const { id, name, push_access_levels, merge_access_levels, unprotect_access_levels, ...rest } = made;
  assert.deepEqual([typeof id, name], ['number', 'release/*']);
  assert.deepEqual(rest, { allow_force_push: true, code_owner_approval_required: false });
  assert.deepEqual(plain(push_access_levels), [level(0, 'No one')]);
  assert.deepEqual(plain(merge_access_levels), [level(40, 'Maintainers')]);
  assert.deepEqual(plain(unprotect_access_levels), [level(40, 'Maintainers')]);
  assert.deepEqual(expectStatus(await app.get(pathOf(group, 'release/*')), 200), made);
  assert.deepEqual(expectStatus(await app.get(pathOf(group), { query: { search: 'LEASE' } }), 200), [made]);
  assert.deepEqual(expectStatus(await app.get(pathOf(group), { query: { search: 'nothing' } }), 200), []);
  const [old] = push_access_levels as Json[];
  const json = {
    code_owner_approval_required: true,
    allowed_to_push: [{ access_level: 30 }, { id: old?.id, _destroy: true }],
  };
  const changed = expectStatus<Json>(await app.patch(pathOf(group, 'release/*'), { json }), 200);
  assert.deepEqual(plain(changed.push_access_levels), [level(30, 'Developers + Maintainers')]);
  assert.deepEqual([changed.allow_force_push, changed.code_owner_approval_required], [true, true]);
  expectStatus(await app.delete(pathOf(group, 'release/*')), 204);
  expectStatus(await app.get(pathOf(group, 'release/*')), 404);
  expectStatus(await app.patch(pathOf(group, 'release/*'), { json: {} }), 404);
  expectStatus(await app.delete(pathOf(group, 'release/*')), 404);
});

test('bad protections of a group are refused', async () => {
  const group = await app.make.group();
  const sub = await app.make.group({ parent: group });
  await protect(group, { name: 'main' });
  const message = async (json: Json, status: number, where = group) =>
    expectStatus<Json>(await app.post(pathOf(where), { json }), status).message;
  assert.equal(await message({ name: 'main' }, 409), "Protected branch 'main' already exists");
  assert.equal(await message({ name: ' ' }, 422), "Name can't be blank");
  assert.equal(await message({}, 400), 'name is missing');
  assert.match(String(await message({ name: 'x', allowed_to_push: [{ user_id: 1 }] }, 400)), /exactly one/);
  assert.match(String(await message({ name: 'x', push_access_level: 41 }, 400)), /push_access_level/);
  const twice = { name: 'x', allowed_to_push: [{ access_level: 30 }, { access_level: 30 }] };
  assert.equal(await message(twice, 422), 'Push access levels access level has already been taken');
  assert.match(String(await message({ name: 'x' }, 400, sub)), /top-level groups only/);
  const json = { allowed_to_push: [{ id: 999_999, access_level: 30 }] };
  expectStatus(await app.patch(pathOf(group, 'main'), { json }), 404);
});

test('only owners of the group manage its protections, as these allow', async () => {
  const { group, owner, maintainer } = await staffedGroup(app);
  await protect(group, { name: 'main', unprotect_access_level: 60 });
  const stranger = await app.make.user();
  for (const [token, status] of [
    [maintainer.token, 403],
    [stranger.token, 404],
    [null, 401],
  ] as const) {
    expectStatus(await app.get(pathOf(group), { token }), status);
    expectStatus(await app.get(pathOf(group, 'main'), { token }), status);
    expectStatus(await app.post(pathOf(group), { token, json: { name: 'x' } }), status);
    expectStatus(await app.patch(pathOf(group, 'main'), { token, json: {} }), status);
    expectStatus(await app.delete(pathOf(group, 'main'), { token }), status);
  }
  expectStatus(await app.get(pathOf(group), { token: owner.token }), 200);
  expectStatus(await app.delete(pathOf(group, 'main'), { token: owner.token }), 403);
  expectStatus(await app.patch(pathOf(group, 'main'), { token: owner.token, json: {} }), 403);
  await protect(group, { name: 'other' });
  expectStatus(await app.delete(pathOf(group, 'other'), { token: owner.token }), 204);
});

test('projects show the protections of their groups, and cannot change them', async () => {
  const { group, project, maintainer } = await place();
  await protect(group, { name: 'release/*' });
  const { token } = maintainer;
  const base = `/projects/${project.id}/protected_branches`;
  const listed = expectStatus<Json[]>(await app.get(base, { token }), 200);
  assert.deepEqual(
    listed.map(({ name, inherited }) => [name, inherited]),
    [['release/*', true]],
  );
  const path = `${base}/release%2F*`;
  assert.equal(expectStatus<Json>(await app.get(path, { token }), 200).inherited, true);
  expectStatus(await app.patch(path, { token, json: { allow_force_push: true } }), 403);
  expectStatus(await app.delete(path, { token }), 403);
  const own = expectStatus<Json>(await app.post(base, { token, json: { name: 'main' } }), 201);
  assert.equal(own.inherited, false);
  const paged = await app.get(base, { token, query: { per_page: 1, page: 2 } });
  assert.equal(expectStatus<Json[]>(paged, 200)[0]?.name, 'release/*');
  assert.equal(paged.headers['x-total'], '2');
  const branch = await app.get(`/projects/${project.id}/repository/branches/release%2F1`, { token });
  assert.equal(expectStatus<Json>(branch, 200).protected, true);
});

test('commits, merges, new branches and deletions obey the group, whatever the project says', async () => {
  const { group, project, developer, maintainer, git } = await place();
  await protect(group, { name: 'release/*', push_access_level: 0, merge_access_level: 40 });
  const wide = { name: '*', push_access_level: 30, merge_access_level: 30, allow_force_push: true };
  expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json: wide }), 201);
  for (const { token } of [developer, maintainer]) {
    assert.ok([400, 403].includes((await commit(project.id, token, 'release/1')).statusCode));
    assert.equal((await commit(project.id, token, 'main')).statusCode, 201);
  }
  const branches = `/projects/${project.id}/repository/branches`;
  const query = { branch: 'release/2', ref: 'main' };
  assert.ok([400, 403].includes((await app.post(branches, { token: developer.token, query })).statusCode));
  assert.ok([400, 403].includes((await app.delete(`${branches}/release%2F1`, developer)).statusCode));
  git.run(['branch', 'change', 'main']);
  assert.equal((await commit(project.id, developer.token, 'change')).statusCode, 201);
  const json = { source_branch: 'change', target_branch: 'release/1', title: 'Change' };
  const request = expectStatus<Json>(
    await app.post(`/projects/${project.id}/merge_requests`, { token: developer.token, json }),
    201,
  );
  const path = `/projects/${project.id}/merge_requests/${request.iid}`;
  const canMerge = async (token: string) =>
    (expectStatus<Json>(await app.get(path, { token }), 200).user as Json).can_merge;
  assert.deepEqual([await canMerge(developer.token), await canMerge(maintainer.token)], [false, true]);
  expectStatus(await app.put(`${path}/merge`, { token: developer.token }), 401);
  expectStatus(await app.put(`${path}/merge`, { token: maintainer.token }), 200);
});

test('a push to a branch that a group protects is refused, with the reason', async () => {
  const { group, project, developer, maintainer } = await place();
  await protect(group, { name: 'main', push_access_level: 40 });
  const url = await app.listen();
  const dir = await mkdtemp(join(tmpdir(), 'stithy-group-push-'));
  try {
    const remote = (token: string) => cloneUrl(url, project.full_path, token);
    await mustGit(dir, ['clone', '-q', remote(developer.token), 'work']);
    const work = join(dir, 'work');
    await mustGit(work, ['commit', '-q', '--allow-empty', '-m', 'change']);
    const refused = await runGitClient(work, ['push', remote(developer.token), 'HEAD:refs/heads/main']);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /not allowed to push code to protected branches/);
    await mustGit(work, ['push', '-q', remote(developer.token), 'HEAD:refs/heads/other']);
    const gone = await runGitClient(work, ['push', remote(maintainer.token), ':refs/heads/main']);
    assert.notEqual(gone.code, 0);
    await mustGit(work, ['push', '-q', remote(maintainer.token), 'HEAD:refs/heads/main']);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test('a protection of a group works in projects of its tree alone, and ends with it', async () => {
  const { group, project, developer } = await place();
  const other = await app.make.project();
  await app.make.member({ project: other }, developer.user, 30);
  new ProjectGit(app, other).commit('work', { a: '1' });
  await protect(group, { name: 'main', push_access_level: 40 });
  assert.notEqual((await commit(project.id, developer.token, 'main')).statusCode, 201);
  assert.equal((await commit(other.id, developer.token, 'work')).statusCode, 201);
  expectStatus(await app.delete(pathOf(group, 'main')), 204);
  assert.equal((await commit(project.id, developer.token, 'main')).statusCode, 201);
});

test('rules for protected branches take those of groups for protected', async () => {
  const { group, project, git } = await place();
  await protect(group, { name: 'release/*' });
  const rule = { name: 'All', approvals_required: 1, applies_to_all_protected_branches: true };
  expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
  git.run(['branch', 'change', 'main']);
  expectStatus(await commit(project.id, (await app.make.user({ admin: true })).token, 'change'), 201);
  const needed = async (target_branch: string) => {
    const json = { source_branch: 'change', target_branch, title: 'Change' };
    const made = await app.post(`/projects/${project.id}/merge_requests`, { json });
    const { iid } = expectStatus<Json>(made, 201);
    const approvals = await app.get(`/projects/${project.id}/merge_requests/${iid}/approvals`);
    return expectStatus<Json>(approvals, 200).approvals_required;
  };
  assert.deepEqual([await needed('release/1'), await needed('main')], [1, 0]);
});
