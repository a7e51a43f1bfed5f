import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from './support/app.ts';
import { makeMergeRequest } from './support/merge-request.ts';

/* What parameters of a plan do on a lower one: most are as if they had not been sent; what would protect or hide is refused. */

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** The answer of a request on each of two plans. */
async function onPlans<T>(
  low: 'free' | 'premium',
  high: 'premium' | 'ultimate',
  ask: () => Promise<T>,
): Promise<[T, T]> {
  const { config } = app.deps;
  try {
    config.plan = low;
    const first = await ask();
    config.plan = high;
    return [first, await ask()];
  } finally {
    config.plan = 'ultimate';
  }
}

test('on the free plan an issue has no weight and one assignee, and a merge request one assignee and one reviewer', async () => {
  const project = await app.make.project();
  const { developer, maintainer } = await app.make.members(project);
  const ids = [developer.user.id, maintainer.user.id];
  const path = `/projects/${project.id}/issues`;
  const json = { title: 'x', weight: 3, assignee_ids: ids };
  interface Shown {
    iid: number;
    weight: number | null;
    assignees: { id: number }[];
    reviewers: { id: number }[];
  }
  const made = await onPlans('free', 'premium', async () => expectStatus<Shown>(await app.post(path, { json }), 201));
  assert.deepEqual(
    made.map(({ weight, assignees }) => [weight ?? null, assignees.map(({ id }) => id)]),
    [
      [null, ids.slice(0, 1)],
      [3, ids],
    ],
  );
  const changed = await onPlans('free', 'premium', async () =>
    expectStatus<Shown>(await app.put(`${path}/${made[1].iid}`, { json: { weight: 5 } }), 200),
  );
  assert.deepEqual(
    changed.map(({ weight }) => weight),
    [3, 5],
  );
  await app.post(`/projects/${project.id}/repository/commits`, {
    json: {
      branch: 'main',
      commit_message: 'first',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    },
  });
  let count = 0;
  const requests = await onPlans('free', 'premium', async () => {
    count += 1;
    const branch = `topic-${count}`;
    expectStatus(await app.post(`/projects/${project.id}/repository/branches`, { json: { branch, ref: 'main' } }), 201);
    const input = { title: 'x', source_branch: branch, target_branch: 'main', assignee_ids: ids, reviewer_ids: ids };
    return expectStatus<Shown>(await app.post(`/projects/${project.id}/merge_requests`, { json: input }), 201);
  });
  assert.deepEqual(
    requests.map(({ assignees, reviewers }) => [assignees.length, reviewers.length]),
    [
      [1, 1],
      [2, 2],
    ],
  );
});

test('issues block each other and are related on every plan', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/issues`;
  for (const title of ['a', 'b', 'c']) expectStatus(await app.post(path, { json: { title } }), 201);
  const link = (target: number, link_type: string) =>
    app.post(`${path}/1/links`, { json: { target_project_id: project.id, target_issue_iid: target, link_type } });
  const [free, premium] = await onPlans('free', 'premium', () => link(2, 'blocks'));
  assert.deepEqual([expectStatus(free, 201).link_type, premium.statusCode], ['blocks', 409]);
  app.deps.config.plan = 'free';
  expectStatus(await link(3, 'relates_to'), 201);
  for (const type of ['relates_to', 'blocks', 'is_blocked_by']) expectStatus(await link(1, type), 422);
  app.deps.config.plan = 'ultimate';
});

test('code owners and single users protect a branch from Premium on', async () => {
  const project = await app.make.project();
  const { developer } = await app.make.members(project);
  const path = `/projects/${project.id}/protected_branches`;
  const protect = (json: object) => app.post(path, { json: { name: `branch-${randomUUID()}`, ...json } });
  const owned = await onPlans('free', 'premium', () => protect({ code_owner_approval_required: true }));
  assert.deepEqual(
    owned.map((answer) => expectStatus(answer, 201).code_owner_approval_required),
    [false, true],
  );
  const entry = [{ user_id: developer.user.id }];
  const [free, premium] = await onPlans('free', 'premium', () => protect({ allowed_to_push: entry }));
  assert.match(expectStatus<{ message: string }>(free, 403).message, /This needs the plan Premium or Ultimate/);
  expectStatus(premium, 201);
  app.deps.config.plan = 'free';
  expectStatus(await protect({ allowed_to_push: [{ access_level: 30 }] }), 201);
  const tag = { name: 'v*', allowed_to_create: entry };
  expectStatus(await app.post(`/projects/${project.id}/protected_tags`, { json: tag }), 403);
  app.deps.config.plan = 'ultimate';
});

test('variables of groups have environments from Premium on, those of projects on every plan', async () => {
  const group = await app.make.group();
  const project = await app.make.project();
  const make = async (place: string) => {
    const json = { key: `KEY_${randomUUID().replaceAll('-', '_')}`, value: 'x', environment_scope: 'production' };
    return expectStatus(await app.post(`/${place}/variables`, { json }), 201).environment_scope;
  };
  assert.deepEqual(await onPlans('free', 'premium', () => make(`groups/${group.id}`)), ['*', 'production']);
  assert.deepEqual(await onPlans('free', 'premium', () => make(`projects/${project.id}`)), [
    'production',
    'production',
  ]);
});

test('settings of a plan stay as they are on a lower one', async () => {
  const project = await app.make.project();
  const json = { only_allow_merge_if_all_status_checks_passed: true, issues_template: 'Why?', description: 'd' };
  const values = await onPlans('free', 'premium', async () => {
    const shown = expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
    return [shown.only_allow_merge_if_all_status_checks_passed, shown.issues_template, shown.description];
  });
  assert.deepEqual(values, [
    [false, null, 'd'],
    [false, 'Why?', 'd'],
  ]);
  app.deps.config.plan = 'premium';
  const paid = { auditor: true };
  const user = await app.make.user();
  assert.equal(expectStatus(await app.put(`/users/${user.user.id}`, { json: paid }), 200).is_auditor, true);
  app.deps.config.plan = 'free';
  assert.equal(
    expectStatus(await app.put(`/users/${user.user.id}`, { json: { auditor: false } }), 200).is_auditor,
    true,
  );
  app.deps.config.plan = 'ultimate';
});

test('a merge request waits for approvals from Premium on, and for checks of other services on Ultimate', async () => {
  const create = { json: { name: 'checked', initialize_with_readme: true } };
  const project = expectStatus<{ id: number }>(await app.post('/projects', create), 201);
  const commit = {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'a',
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  };
  expectStatus(await app.post(`/projects/${project.id}/repository/commits`, { json: commit }), 201);
  const { iid } = await makeMergeRequest(app, project, { source_branch: 'topic' });
  const path = `/projects/${project.id}/merge_requests/${iid}`;
  const rule = { name: 'two', approvals_required: 2 };
  expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
  const check = { name: 'scan', external_url: 'https://scan.example/hook' };
  expectStatus(await app.post(`/projects/${project.id}/external_status_checks`, { json: check }), 201);
  const json = { only_allow_merge_if_all_status_checks_passed: true };
  expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
  await app.drain();
  const status = async () => expectStatus(await app.get(path), 200).detailed_merge_status;
  assert.deepEqual(await onPlans('free', 'premium', status), ['mergeable', 'not_approved']);
  const [first] = expectStatus<{ id: number }[]>(await app.get(`/projects/${project.id}/approval_rules`), 200);
  expectStatus(await app.delete(`/projects/${project.id}/approval_rules/${first!.id}`), 204);
  assert.deepEqual(await onPlans('premium', 'ultimate', status), ['mergeable', 'status_checks_must_pass']);
  assert.equal((await app.put(`${path}/merge`)).statusCode, 405);
  app.deps.config.plan = 'premium';
  expectStatus(await app.put(`${path}/merge`), 200);
  app.deps.config.plan = 'ultimate';
});

test('a custom role gives nothing beside its level on a plan without it, and can be taken away', async () => {
  const project = await app.make.project({ visibility: 'private' });
  const { user, token } = await app.make.user();
  const json = { name: 'reader', base_access_level: 10, read_code: true };
  const role = expectStatus<{ id: number }>(await app.post('/member_roles', { json }), 201);
  const members = `/projects/${project.id}/members`;
  const member = { user_id: user.id, access_level: 10, member_role_id: role.id };
  expectStatus(await app.post(members, { json: member }), 201);
  const read = async () => (await app.get(`/projects/${project.id}/repository/branches`, { token })).statusCode;
  assert.equal(await read(), 200);
  app.deps.config.plan = 'premium';
  // What was found out about a request is known until something is committed, as every change of a plan is but this one.
  await app.deps.db.updateTable('users').set({ note: 'x' }).where('id', '=', user.id).execute();
  assert.equal(await read(), 403);
  expectStatus(await app.put(`${members}/${user.id}`, { json: { access_level: 20 } }), 200);
  assert.equal(await read(), 200);
  app.deps.config.plan = 'ultimate';
  const shown = expectStatus(await app.get(`${members}/${user.id}`), 200);
  assert.equal(shown.member_role ?? null, null);
});
