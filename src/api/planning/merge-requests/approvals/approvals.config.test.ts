import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const DEFAULTS = {
  approvers: [],
  approver_groups: [],
  approvals_before_merge: 0,
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
  require_reauthentication_to_approve: false,
};

test('a new project resets approvals on push and lets nobody approve their own work', async () => {
  const project = await app.make.project();
  assert.deepEqual(expectStatus(await app.get(`/projects/${project.id}/approvals`), 200), DEFAULTS);
});

test('POST changes what is given; both names of re-authentication are one', async () => {
  const project = await app.make.project();
  const post = async (json: object) => expectStatus(await app.post(`/projects/${project.id}/approvals`, { json }), 201);
  const first = { merge_requests_author_approval: true, approvals_before_merge: 2, require_password_to_approve: true };
  assert.deepEqual(await post(first), { ...DEFAULTS, ...first, require_reauthentication_to_approve: true });
  const second = await post({ require_reauthentication_to_approve: false, require_password_to_approve: true });
  assert.equal(second.require_password_to_approve, false);
  assert.equal(second.merge_requests_author_approval, true);
  const form = 'disable_overriding_approvers_per_merge_request=true&merge_requests_disable_committers_approval=1';
  const third = expectStatus(await app.post(`/projects/${project.id}/approvals`, { form }), 201);
  assert.equal(third.disable_overriding_approvers_per_merge_request, true);
  assert.equal(third.merge_requests_disable_committers_approval, true);
});

test('POST needs something to change, and refuses to reset owners only where all are reset', async () => {
  const project = await app.make.project();
  const post = (json: object) => app.post(`/projects/${project.id}/approvals`, { json });
  const empty = expectStatus<{ message: string }>(await post({}), 400).message;
  assert.match(empty, /^approvals_before_merge, .* are missing, at least one parameter must be provided$/);
  const both = expectStatus<{ message: string; errors: object }>(
    await post({ selective_code_owner_removals: true }),
    400,
  );
  const text = 'selective_code_owner_removals can only be enabled when reset_approvals_on_push is disabled';
  assert.deepEqual([both.message, both.errors], [text, { base: [text] }]);
  const good = expectStatus(await post({ selective_code_owner_removals: true, reset_approvals_on_push: false }), 201);
  assert.deepEqual([good.selective_code_owner_removals, good.reset_approvals_on_push], [true, false]);
  expectStatus(await post({ reset_approvals_on_push: true }), 400);
  expectStatus(await post({ approvals_before_merge: -1 }), 400);
  expectStatus(await post({ reset_approvals_on_push: 'perhaps' }), 400);
});

test('the old number of approvals and the rule for everybody are one', async () => {
  const project = await app.make.project();
  const rule = { name: 'All Members', approvals_required: 3, rule_type: 'any_approver' };
  const made = expectStatus(await app.post(`/projects/${project.id}/approval_rules`, { json: rule }), 201);
  assert.equal(expectStatus(await app.get(`/projects/${project.id}/approvals`), 200).approvals_before_merge, 3);
  const json = { approvals_before_merge: 1 };
  const changed = expectStatus(await app.post(`/projects/${project.id}/approvals`, { json }), 201);
  assert.equal(changed.approvals_before_merge, 1);
  const after = expectStatus(await app.get(`/projects/${project.id}/approval_rules/${made.id}`), 200);
  assert.equal(after.approvals_required, 1);
});

test('the newer settings say the same the other way round', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/merge_request_approval_setting`;
  type Settings = Record<string, { value: boolean; locked: boolean; inherited_from: null }>;
  const values = (settings: Settings) => Object.fromEntries(Object.entries(settings).map(([k, v]) => [k, v.value]));
  const input = expectStatus<Settings>(await app.get(path), 200);
  assert.deepEqual(input.allow_author_approval, { value: false, locked: false, inherited_from: null });
  const defaults = {
    allow_author_approval: false,
    allow_committer_approval: true,
    allow_overrides_to_approver_list_per_merge_request: true,
    retain_approvals_on_push: false,
    selective_code_owner_removals: false,
    require_password_to_approve: false,
    require_reauthentication_to_approve: false,
  };
  assert.deepEqual(values(input), defaults);
  const json = {
    allow_author_approval: true,
    allow_committer_approval: false,
    allow_overrides_to_approver_list_per_merge_request: false,
    retain_approvals_on_push: true,
    selective_code_owner_removals: true,
    require_password_to_approve: true,
  };
  const changed = expectStatus<Settings>(await app.put(path, { json }), 200);
  assert.deepEqual(values(changed), { ...json, require_reauthentication_to_approve: true });
  const old = expectStatus(await app.get(`/projects/${project.id}/approvals`), 200);
  assert.deepEqual(old, {
    ...DEFAULTS,
    reset_approvals_on_push: false,
    selective_code_owner_removals: true,
    disable_overriding_approvers_per_merge_request: true,
    merge_requests_author_approval: true,
    merge_requests_disable_committers_approval: true,
    require_password_to_approve: true,
    require_reauthentication_to_approve: true,
  });
  expectStatus(await app.put(path, { json: { retain_approvals_on_push: false } }), 400);
  expectStatus(await app.put(path, { json: {} }), 400);
});

test('changes at once do not undo each other', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/approvals`;
  const flags = [
    'merge_requests_author_approval',
    'require_reauthentication_to_approve',
    'merge_requests_disable_committers_approval',
  ];
  await Promise.all(flags.map((flag) => app.post(path, { json: { [flag]: true } })));
  const config = expectStatus(await app.get(path), 200);
  assert.deepEqual(
    flags.map((flag) => config[flag]),
    [true, true, true],
  );
});

test('the configuration is for Maintainers', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, guest, reporter, developer, maintainer, owner } = await app.make.members(project);
  const setting = `/projects/${project.id}/merge_request_approval_setting`;
  const config = `/projects/${project.id}/approvals`;
  const json = { merge_requests_author_approval: true };
  const newer = { allow_author_approval: true };
  for (const { token } of [stranger, guest, reporter, developer]) {
    expectStatus(await app.get(config, { token }), 403);
    expectStatus(await app.post(config, { token, json }), 403);
    expectStatus(await app.get(setting, { token }), 403);
    expectStatus(await app.put(setting, { token, json: newer }), 403);
  }
  expectStatus(await app.get(config, { token: null }), 401);
  expectStatus(await app.post(config, { token: null, json }), 401);
  for (const { token } of [maintainer, owner]) {
    expectStatus(await app.get(config, { token }), 200);
    expectStatus(await app.post(config, { token, json }), 201);
    expectStatus(await app.put(setting, { token, json: newer }), 200);
  }
  const token = await app.make.token(maintainer.user.id, ['read_api']);
  expectStatus(await app.get(config, { token }), 200);
  expectStatus(await app.post(config, { token, json }), 403);
  const hidden = await app.make.project();
  expectStatus(await app.get(`/projects/${hidden.id}/approvals`, { token: stranger.token }), 404);
});
