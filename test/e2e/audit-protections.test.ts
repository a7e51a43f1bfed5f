import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Namespace } from '../../src/db/tables/namespaces.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { auditedRequest, auditOf, gist } from '../support/audit-trail.ts';
import { makeMergeRequest } from '../support/merge-request.ts';

let app: TestApp;
let group: Namespace;
let project: Project;
before(async () => {
  app = await buildTestApp();
  group = await app.make.group();
  project = await app.make.project({ namespace: group });
});
after(() => app.close());

const audited = (method: Parameters<typeof auditedRequest>[1], path: string, json?: object) =>
  auditedRequest(app, method, path, json);

test('protected branches of projects and groups are told of with who may push and merge', async () => {
  for (const [path, on] of [
    [`/projects/${project.id}/protected_branches`, `Project ${project.id}`],
    [`/groups/${group.id}/protected_branches`, `Group ${group.id}`],
  ] as const) {
    const json = { name: 'stable-*', push_access_level: 40, merge_access_level: 30 };
    const added = await audited('POST', path, json);
    const message = 'Added protected branch';
    assert.deepEqual(added.gist, {
      event: 'protected_branch_created',
      on,
      target: 'ProtectedBranch stable-*',
      message,
    });
    const { allowed_to_push, allowed_to_merge } = added.event.details;
    assert.deepEqual([allowed_to_push, allowed_to_merge], ['Maintainer', 'Developer']);
    const one = `${path}/stable-*`;
    const change = { allow_force_push: true, allowed_to_push: [{ access_level: 30 }] };
    const events = await auditOf(app, async () => expectStatus(await app.request('PATCH', one, { json: change }), 200));
    assert.deepEqual(
      events.map(({ event_name, details }) => [event_name, details.change, details.from, details.to]),
      [
        ['protected_branch_updated', 'allowed to push', 'Maintainer', 'Developer, Maintainer'],
        ['protected_branch_allow_force_push_updated', 'allow force push', false, true],
      ],
    );
    const same = async () => expectStatus(await app.request('PATCH', one, { json: { allow_force_push: true } }), 200);
    assert.deepEqual(await auditOf(app, same), []);
    const removed = await audited('DELETE', one);
    assert.deepEqual(removed.gist.message, 'Unprotected branch');
    assert.equal(removed.gist.event, 'protected_branch_removed');
    assert.deepEqual(await auditOf(app, () => app.delete(one)), []);
  }
});

test('protected tags are told of', async () => {
  const path = `/projects/${project.id}/protected_tags`;
  const added = await audited('POST', path, { name: 'v*', create_access_level: 40 });
  assert.deepEqual(added.gist, {
    event: 'protected_tag_created',
    on: `Project ${project.id}`,
    target: 'ProtectedTag v*',
    message: 'Added protected tag',
  });
  assert.equal(added.event.details.allowed_to_create, 'Maintainer');
  assert.equal((await audited('DELETE', `${path}/v*`)).gist.event, 'protected_tag_removed');
});

test('approval rules are told of, and what is changed of them', async () => {
  const path = `/projects/${project.id}/approval_rules`;
  const { made, ...added } = await audited('POST', path, { name: 'Security', approvals_required: 2, user_ids: [1] });
  assert.deepEqual(added.gist, {
    event: 'approval_rule_created',
    on: `Project ${project.id}`,
    target: 'ApprovalProjectRule Security',
    message: 'Added approval rule',
  });
  const json = { name: 'Safety', approvals_required: 1, user_ids: [] };
  const events = await auditOf(app, async () => expectStatus(await app.put(`${path}/${made.id}`, { json }), 200));
  assert.deepEqual(
    events.map((event) => [gist(event).event, gist(event).message]),
    [
      ['update_approval_rules', 'Changed name from Security to Safety'],
      ['update_approval_rules', 'Changed number of required approvals from 2 to 1'],
      ['update_approval_rules', 'Changed approvers from [1] to []'],
    ],
  );
  assert.equal((await audited('DELETE', `${path}/${made.id}`)).gist.event, 'approval_rule_deleted');
});

test('external status checks are told of with the host that they are on, and nothing else of the address', async () => {
  const path = `/projects/${project.id}/external_status_checks`;
  const address = { name: 'Scan', external_url: 'https://scan.example.org/hook?token=hidden-in-the-address' };
  const { made, ...added } = await audited('POST', path, { ...address, shared_secret: 'a-shared-secret' });
  assert.deepEqual(added.gist, {
    event: 'create_status_check',
    on: `Project ${project.id}`,
    target: 'MergeRequests::ExternalStatusCheck Scan',
    message: 'Added external status check Scan on scan.example.org',
  });
  assert.doesNotMatch(JSON.stringify(added.event), /hidden|shared-secret/);
  assert.equal((await audited('PUT', `${path}/${made.id}`, { name: 'Check' })).gist.event, 'update_status_check');
  assert.equal((await audited('DELETE', `${path}/${made.id}`)).gist.event, 'delete_status_check');
});

test('a protection that is refused is told of to nobody', async () => {
  const { token } = await app.make.user();
  const path = `/projects/${project.id}/protected_branches`;
  const refused = async () => {
    expectStatus(await app.post(path, { token, json: { name: 'x' } }), 404);
    expectStatus(await app.post(path, { json: { name: ' ' } }), 422);
  };
  assert.deepEqual(await auditOf(app, refused), []);
});

test("rules of a merge request are told of to its project: its own, and those that take the place of the project's", async () => {
  const place = await app.make.project();
  const json = { name: 'Safety', approvals_required: 1 };
  const source = (await audited('POST', `/projects/${place.id}/approval_rules`, { ...json, user_ids: [1] })).made;
  const mergeRequest = await makeMergeRequest(app, place);
  const path = `/projects/${place.id}/merge_requests/${mergeRequest.iid}/approval_rules`;
  const { made, ...added } = await audited('POST', path, { name: 'Extra', approvals_required: 1, user_ids: [1] });
  assert.deepEqual(added.gist, {
    event: 'approval_rule_created',
    on: `Project ${place.id}`,
    target: 'ApprovalMergeRequestRule Extra',
    message: 'Added approval rule',
  });
  assert.equal(added.event.details.merge_request_id, mergeRequest.id);
  const changed = await audited('PUT', `${path}/${made.id}`, { approvals_required: 3 });
  assert.deepEqual(
    [changed.gist.event, changed.gist.message],
    ['update_approval_rules', 'Changed number of required approvals from 1 to 3'],
  );
  assert.deepEqual(await auditOf(app, () => app.put(`${path}/${made.id}`, { json: { approvals_required: 3 } })), []);
  const instead = await audited('PUT', `${path}/${source.id}`, { approvals_required: 2 });
  assert.deepEqual(
    [instead.gist.target, instead.gist.message],
    ['ApprovalMergeRequestRule Safety', 'Changed number of required approvals from 1 to 2'],
  );
  assert.equal((await audited('DELETE', `${path}/${made.id}`)).gist.event, 'approval_rule_deleted');
});

test('package protection rules are told of', async () => {
  const path = `/projects/${project.id}/packages/protection/rules`;
  const json = { package_name_pattern: 'a-*', package_type: 'generic', minimum_access_level_for_push: 'owner' };
  const { made, ...added } = await audited('POST', path, json);
  assert.deepEqual(added.gist, {
    event: 'package_protection_rule_created',
    on: `Project ${project.id}`,
    target: 'Packages::Protection::Rule a-*',
    message: 'Added package protection rule',
  });
  const changed = await audited('PATCH', `${path}/${made.id}`, { minimum_access_level_for_push: 'admin' });
  assert.deepEqual(
    [changed.gist.event, changed.gist.message],
    ['package_protection_rule_updated', 'Changed minimum access level for push from owner to admin'],
  );
  assert.equal((await audited('DELETE', `${path}/${made.id}`)).gist.event, 'package_protection_rule_deleted');
});

test('freeze periods are told of', async () => {
  const path = `/projects/${project.id}/freeze_periods`;
  const { made, ...added } = await audited('POST', path, { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' });
  assert.deepEqual(added.gist, {
    event: 'freeze_period_created',
    on: `Project ${project.id}`,
    target: 'Ci::FreezePeriod 0 23 * * 5 to 0 7 * * 1',
    message: 'Added freeze period',
  });
  const changed = await audited('PUT', `${path}/${made.id}`, { cron_timezone: 'Europe/Berlin' });
  assert.deepEqual(
    [changed.gist.event, changed.gist.message],
    ['freeze_period_updated', 'Changed cron timezone from UTC to Europe/Berlin'],
  );
  assert.equal((await audited('DELETE', `${path}/${made.id}`)).gist.event, 'freeze_period_deleted');
});
