import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../../test/support/app.ts';
import { commitFiles } from '../../../../../test/support/commits.ts';
import type { TestUser } from '../../../../../test/support/factories.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let project: Project;
let git: ProjectGit;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let count = 0;
before(async () => {
  app = await buildTestApp({ clock });
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'a\n' });
});
after(() => app.close());

const by = (user?: TestUser) => (user === undefined ? {} : { token: user.token });
const pathOf = ({ id }: Project) => `/projects/${id}/external_status_checks`;
const addCheck = async (json: Row = {}, of = project) => {
  count += 1;
  const body = { name: `Check ${count}`, external_url: `https://example.com/${count}`, ...json };
  return expectStatus<Row & { id: number }>(await app.post(pathOf(of), { json: body }), 201);
};
const removeCheck = async ({ id }: { id: number }) => {
  expectStatus(await app.delete(`${pathOf(project)}/${id}`), 204);
};

async function mergeRequest(json: Row = {}) {
  count += 1;
  const source_branch = `change-${count}`;
  git.commit(source_branch, { [`${count}.txt`]: 'x\n' }, { start: git.run(['rev-parse', 'main']) });
  const body = { source_branch, target_branch: 'main', title: 'Change', ...json };
  const made = expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json: body }), 201);
  return {
    path: `/projects/${project.id}/merge_requests/${made.iid}`,
    sha: made.sha as string,
    id: made.id,
    source_branch,
  };
}

const statuses = async (path: string, user?: TestUser) => {
  const rows = expectStatus<Row[]>(await app.get(`${path}/status_checks`, by(user)), 200);
  return rows.map(({ status }) => status);
};
const respond = (path: string, json: Row, user?: TestUser) =>
  app.post(`${path}/status_check_responses`, { json, ...by(user) });

test('a check is made, listed, changed and removed, and its secret never shown', async () => {
  const protectedBranch = expectStatus<Row & { id: number }>(
    await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'stable-*' } }),
    201,
  );
  const made = await addCheck({ shared_secret: 'very-secret', protected_branch_ids: [protectedBranch.id] });
  const [branch] = made.protected_branches as Row[];
  assert.deepEqual(made, {
    id: made.id,
    name: made.name,
    project_id: project.id,
    external_url: made.external_url,
    hmac: true,
    protected_branches: [
      {
        id: protectedBranch.id,
        project_id: project.id,
        name: 'stable-*',
        created_at: branch!.created_at,
        updated_at: branch!.updated_at,
        code_owner_approval_required: false,
      },
    ],
  });
  assert.deepEqual(expectStatus(await app.get(pathOf(project)), 200), [made]);
  const one = `${pathOf(project)}/${made.id}`;
  const json = { name: 'Other', shared_secret: '', protected_branch_ids: [] };
  const changed = expectStatus(await app.put(one, { json }), 200);
  assert.deepEqual(changed, { ...made, name: 'Other', hmac: false, protected_branches: [] });
  expectStatus(await app.delete(one), 204);
  for (const response of [await app.delete(one), await app.put(one, { json: { name: 'x' } })])
    expectStatus(response, 404);
  assert.deepEqual(expectStatus(await app.get(pathOf(project)), 200), []);
  assert.ok(!app.logLines.join('\n').includes('very-secret'));
});

test('names and addresses that are none or taken, and branches of others, are refused', async () => {
  const made = await addCheck();
  const other = await addCheck();
  const elsewhere = await app.make.project();
  const foreign = expectStatus<Row>(
    await app.post(`/projects/${elsewhere.id}/protected_branches`, { json: { name: 'main' } }),
    201,
  );
  for (const [json, text] of [
    [{ name: made.name }, 'name has already been taken'],
    [{ external_url: made.external_url }, 'external_url has already been taken'],
    [{ external_url: 'ftp://example.com' }, 'external_url is blocked: Only allowed schemes are http, https'],
    [{ external_url: 'no address' }, 'external_url is blocked: URI is invalid'],
    [{ protected_branch_ids: [foreign.id] }, 'protected_branch_ids must all belong to this project'],
  ] as const) {
    assert.equal(expectStatus(await app.put(`${pathOf(project)}/${other.id}`, { json }), 422).message, text);
    const body = { name: 'fresh', external_url: 'https://example.com/fresh', ...json };
    assert.equal(expectStatus(await app.post(pathOf(project), { json: body }), 422).message, text);
  }
  for (const json of [{}, { name: 'x' }, { name: ' ', external_url: 'https://example.com/x' }]) {
    expectStatus(await app.post(pathOf(project), { json }), 400);
  }
  for (const check of [made, other]) await removeCheck(check);
});

test('checks are for maintainers; what they say is read by all who read the merge request', async () => {
  const check = await addCheck();
  const { path, sha } = await mergeRequest();
  for (const user of [users.developer, users.guest, users.stranger]) {
    expectStatus(await app.get(pathOf(project), by(user)), 403);
    expectStatus(
      await app.post(pathOf(project), { json: { name: 'x', external_url: 'http://x.org' }, ...by(user) }),
      403,
    );
    expectStatus(await app.put(`${pathOf(project)}/${check.id}`, { json: { name: 'x' }, ...by(user) }), 403);
    expectStatus(await app.delete(`${pathOf(project)}/${check.id}`, by(user)), 403);
  }
  expectStatus(await app.get(pathOf(project), { token: null }), 401);
  expectStatus(await app.get(pathOf(project), by(users.maintainer)), 200);
  assert.deepEqual(await statuses(path, users.stranger), ['pending']);
  expectStatus(await app.get(`${path}/status_checks`, { token: null }), 401);
  const response = { sha, external_status_check_id: check.id };
  for (const user of [users.reporter, users.stranger]) expectStatus(await respond(path, response, user), 403);
  expectStatus(await respond(path, response, users.developer), 201);
  expectStatus(await app.post(`${path}/status_checks/${check.id}/retry`, by(users.reporter)), 403);
  const hidden = await app.make.project();
  expectStatus(await app.get(pathOf(hidden), by(users.owner)), 404);
  await removeCheck(check);
});

test('a service says what it thinks of a head, and of that head alone', async () => {
  const check = await addCheck();
  const { path, sha, id, source_branch } = await mergeRequest();
  assert.deepEqual(expectStatus(await app.get(`${path}/status_checks`), 200), [
    { id: check.id, name: check.name, external_url: check.external_url, status: 'pending' },
  ]);
  const checkResponse = expectStatus(
    await respond(path, { sha, external_status_check_id: check.id, status: 'failed' }),
    201,
  );
  assert.deepEqual(
    [(checkResponse.merge_request as Row).id, checkResponse.external_status_check, checkResponse.status],
    [id, check, 'failed'],
  );
  assert.deepEqual(await statuses(path), ['failed']);
  expectStatus(await respond(path, { sha, external_status_check_id: check.id }), 201);
  assert.deepEqual(await statuses(path), ['passed']);
  const wrong = await respond(path, { sha: 'f'.repeat(40), external_status_check_id: check.id });
  assert.equal(expectStatus(wrong, 409).message, `SHA does not match HEAD of source branch: ${sha}`);
  expectStatus(await respond(path, { sha, external_status_check_id: 999_999 }), 404);
  expectStatus(await respond(path, { sha }), 400);
  expectStatus(await respond(path, { sha, external_status_check_id: check.id, status: 'maybe' }), 400);
  await commitFiles(app, project.id, { 'later.txt': 'x' }, { branch: source_branch });
  assert.deepEqual(await statuses(path), ['pending']);
  await removeCheck(check);
});

test('a service that is at work for too long has failed, and can be asked again', async () => {
  const check = await addCheck();
  const { path, sha } = await mergeRequest();
  const retry = () => app.post(`${path}/status_checks/${check.id}/retry`);
  assert.equal(expectStatus(await retry(), 422).message, 'External status check must be failed');
  expectStatus(await respond(path, { sha, external_status_check_id: check.id, status: 'pending' }), 201);
  assert.deepEqual(await statuses(path), ['pending']);
  clock.advance(121_000);
  assert.deepEqual(await statuses(path), ['failed']);
  assert.deepEqual(expectStatus(await retry(), 202), { message: '202 Accepted' });
  assert.deepEqual(await statuses(path), ['pending']);
  expectStatus(await app.post(`${path}/status_checks/999999/retry`), 404);
  await removeCheck(check);
});

test('a check of protected branches is for merge requests into these alone', async () => {
  git.commit('release-1', { 'r.txt': 'r\n' }, { start: git.run(['rev-parse', 'main']) });
  const branch = expectStatus<Row & { id: number }>(
    await app.post(`/projects/${project.id}/protected_branches`, { json: { name: 'release-*' } }),
    201,
  );
  const check = await addCheck({ protected_branch_ids: [branch.id] });
  const [there, elsewhere] = [await mergeRequest({ target_branch: 'release-1' }), await mergeRequest()];
  assert.deepEqual(await statuses(there.path), ['pending']);
  assert.deepEqual(await statuses(elsewhere.path), []);
  expectStatus(await respond(elsewhere.path, { sha: elsewhere.sha, external_status_check_id: check.id }), 404);
  await removeCheck(check);
});

test('nothing is merged before all checks passed where the project wants that', async () => {
  const check = await addCheck();
  const { path, sha } = await mergeRequest();
  const status = async () => expectStatus(await app.get(path), 200).detailed_merge_status;
  assert.equal(await status(), 'mergeable');
  const json = { only_allow_merge_if_all_status_checks_passed: true };
  expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
  assert.equal(await status(), 'status_checks_must_pass');
  expectStatus(await app.put(`${path}/merge`), 405);
  expectStatus(await respond(path, { sha, external_status_check_id: check.id, status: 'failed' }), 201);
  assert.equal(await status(), 'status_checks_must_pass');
  expectStatus(await respond(path, { sha, external_status_check_id: check.id, status: 'passed' }), 201);
  assert.equal(await status(), 'mergeable');
  expectStatus(await app.put(`${path}/merge`), 200);
  const later = await mergeRequest();
  expectStatus(await app.put(`${later.path}/merge`, { json: { auto_merge: true } }), 200);
  expectStatus(await respond(later.path, { sha: later.sha, external_status_check_id: check.id }), 201);
  await app.drain();
  assert.equal(expectStatus(await app.get(later.path), 200).state, 'merged');
});
