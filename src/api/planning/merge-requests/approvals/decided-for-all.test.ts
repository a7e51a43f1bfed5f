import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest, writeVersion } from '../../../../../test/support/merge-request.ts';
import { changeSettings, resetSettings } from '../../../../../test/support/settings.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
afterEach(() => resetSettings(app));

const set = (json: Json) => changeSettings(app, json);

/** A project that lets everybody approve, and a merge request of its Developer. */
async function world() {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const path = `/projects/${project.id}`;
  const json = { merge_requests_author_approval: true, merge_requests_disable_committers_approval: false };
  expectStatus(await app.post(`${path}/approvals`, { json }), 201);
  const mergeRequest = await makeMergeRequest(app, project, {
    head_sha: 'a'.repeat(40),
    author_id: people.developer.user.id,
  });
  const one = `${path}/merge_requests/${mergeRequest.iid}`;
  return { ...people, mergeRequest, path, one };
}

test('authors do not approve where administrators say so, whatever their project says', async () => {
  const { path, one, developer, maintainer } = await world();
  const rule = { name: 'All Members', approvals_required: 1 };
  expectStatus(await app.post(`${path}/approval_rules`, { json: rule }), 201);
  expectStatus(await app.post(`${one}/approve`, { token: developer.token }), 201);
  const left = async () => expectStatus<Json>(await app.get(`${one}/approvals`), 200).approvals_left;
  assert.equal(await left(), 0);
  await set({ prevent_merge_requests_author_approval: true });
  assert.equal(await left(), 1);
  expectStatus(await app.post(`${one}/unapprove`, { token: developer.token }), 201);
  expectStatus(await app.post(`${one}/approve`, { token: developer.token }), 401);
  expectStatus(await app.post(`${one}/approve`, { token: maintainer.token }), 201);
  assert.equal(await left(), 0);
  await resetSettings(app);
  expectStatus(await app.post(`${one}/approve`, { token: developer.token }), 201);
});

test('nor do those who committed', async () => {
  const { one, mergeRequest, maintainer, owner } = await world();
  await writeVersion(app, mergeRequest, [maintainer.user.email]);
  await set({ prevent_merge_requests_committers_approval: true });
  expectStatus(await app.post(`${one}/approve`, { token: maintainer.token }), 401);
  expectStatus(await app.post(`${one}/approve`, { token: owner.token }), 201);
  await set({ prevent_merge_requests_committers_approval: false });
  expectStatus(await app.post(`${one}/approve`, { token: maintainer.token }), 201);
});

test('rules are changed by administrators alone, and merge requests have none of their own', async () => {
  const { path, one, developer, owner } = await world();
  const rule = { name: 'Two eyes', approvals_required: 1, user_ids: [owner.user.id] };
  const { id } = expectStatus<Json>(await app.post(`${path}/approval_rules`, { json: rule, token: owner.token }), 201);
  const own = () => app.post(`${one}/approval_rules`, { json: { ...rule, name: 'Own' }, token: developer.token });
  expectStatus(await own(), 201);
  const names = async () => expectStatus<Json[]>(await app.get(`${one}/approval_rules`), 200).map(({ name }) => name);
  assert.deepEqual(await names(), ['Two eyes', 'Own']);
  await set({ disable_overriding_approvers_per_merge_request: true });
  assert.deepEqual(await names(), ['Two eyes']);
  for (const response of [
    await own(),
    await app.post(`${path}/approval_rules`, { json: { ...rule, name: 'More' }, token: owner.token }),
    await app.put(`${path}/approval_rules/${id}`, { json: { approvals_required: 0 }, token: owner.token }),
    await app.delete(`${path}/approval_rules/${id}`, { token: owner.token }),
  ]) {
    expectStatus(response, 403);
  }
  expectStatus(await app.put(`${path}/approval_rules/${id}`, { json: { approvals_required: 2 } }), 200);
  await set({ disable_overriding_approvers_per_merge_request: false });
  assert.deepEqual(await names(), ['Two eyes', 'Own']);
  expectStatus(await app.delete(`${path}/approval_rules/${id}`, { token: owner.token }), 204);
});

test('what is decided is shown as locked, and stays as it is', async () => {
  const { path, owner } = await world();
  const setting = `${path}/merge_request_approval_setting`;
  const free = { value: true, locked: false, inherited_from: null };
  const shown = async () => {
    const response = expectStatus<Json>(await app.get(setting), 200);
    return [
      response.allow_author_approval,
      response.allow_committer_approval,
      response.allow_overrides_to_approver_list_per_merge_request,
    ];
  };
  assert.deepEqual(await shown(), [free, free, free]);
  await set({
    prevent_merge_requests_author_approval: true,
    prevent_merge_requests_committers_approval: true,
    disable_overriding_approvers_per_merge_request: true,
  });
  const locked = { value: false, locked: true, inherited_from: 'instance' };
  assert.deepEqual(await shown(), [locked, locked, locked]);
  const json = { allow_author_approval: false, allow_committer_approval: false, retain_approvals_on_push: true };
  const changed = expectStatus<Json>(await app.put(setting, { json, token: owner.token }), 200);
  assert.deepEqual([changed.allow_author_approval, changed.retain_approvals_on_push], [locked, free]);
  const older = { merge_requests_disable_committers_approval: false, reset_approvals_on_push: true };
  const config = expectStatus<Json>(await app.post(`${path}/approvals`, { json: older }), 201);
  assert.deepEqual(
    [
      config.merge_requests_author_approval,
      config.merge_requests_disable_committers_approval,
      config.disable_overriding_approvers_per_merge_request,
      config.reset_approvals_on_push,
    ],
    [false, true, true, true],
  );
  await resetSettings(app);
  assert.deepEqual(await shown(), [free, free, free]);
});
