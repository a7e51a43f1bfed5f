import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from './support/app.ts';

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
    const given = { title: 'x', source_branch: branch, target_branch: 'main', assignee_ids: ids, reviewer_ids: ids };
    return expectStatus<Shown>(await app.post(`/projects/${project.id}/merge_requests`, { json: given }), 201);
  });
  assert.deepEqual(
    requests.map(({ assignees, reviewers }) => [assignees.length, reviewers.length]),
    [
      [1, 1],
      [2, 2],
    ],
  );
});

test('issues block each other from Premium on, and are related on every plan', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/issues`;
  for (const title of ['a', 'b', 'c']) expectStatus(await app.post(path, { json: { title } }), 201);
  const link = (target: number, link_type: string) =>
    app.post(`${path}/1/links`, { json: { target_project_id: project.id, target_issue_iid: target, link_type } });
  const [free, premium] = await onPlans('free', 'premium', () => link(2, 'blocks'));
  assert.deepEqual(expectStatus(free, 403), { message: 'Blocked issues not available for current license' });
  expectStatus(premium, 201);
  app.deps.config.plan = 'free';
  expectStatus(await link(3, 'relates_to'), 201);
  app.deps.config.plan = 'ultimate';
});

test('code owners and single users protect a branch from Premium on', async () => {
  const project = await app.make.project();
  const { developer } = await app.make.members(project);
  const path = `/projects/${project.id}/protected_branches`;
  let count = 0;
  const protect = (json: object) => app.post(path, { json: { name: `branch-${(count += 1)}`, ...json } });
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
  let count = 0;
  const make = async (place: string) => {
    const json = { key: `KEY_${(count += 1)}`, value: 'x', environment_scope: 'production' };
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
  const kept = await onPlans('free', 'premium', async () => {
    const shown = expectStatus(await app.put(`/projects/${project.id}`, { json }), 200);
    return [shown.only_allow_merge_if_all_status_checks_passed, shown.issues_template, shown.description];
  });
  assert.deepEqual(kept, [
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
