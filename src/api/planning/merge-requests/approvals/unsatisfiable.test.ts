import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { reviewedProject } from '../../../../../test/support/approvals.ts';
import { reloadMergeRequest } from '../../../../../test/support/merge-request.ts';
import { payloadsOf, sentPayloadsOf } from '../../../../../test/support/payloads.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Summary {
  approved: boolean;
  approvals_left: number;
  approvals_required: number;
  approval_rules_left: { name: string }[];
  invalid_approvers_rules: { name: string }[];
}

type World = Awaited<ReturnType<typeof world>>;

async function world() {
  const reviewed = await reviewedProject(app);
  const { project, path, mergeRequest } = reviewed;
  const add = async (json: object, at = `/projects/${project.id}`) =>
    expectStatus<{ id: number }>(
      await app.post(`${at}/approval_rules`, { json: { name: 'r', approvals_required: 1, ...json } }),
      201,
    ).id;
  const look = async () => {
    const summary = expectStatus<Summary>(await app.get(`${path}/approvals`), 200);
    const state = expectStatus<{ rules: { approved: boolean }[] }>(await app.get(`${path}/approval_state`), 200);
    await app.deps.db
      .updateTable('merge_requests')
      .set({ merge_status: 'can_be_merged' })
      .where('id', '=', mergeRequest.id)
      .execute();
    const { detailed_merge_status } = expectStatus<{ detailed_merge_status: string }>(await app.get(path), 200);
    return {
      approved: [summary.approved, summary.approvals_left, state.rules.map(({ approved }) => approved)],
      named: [summary.approval_rules_left, summary.invalid_approvers_rules].map((list) => list.map(({ name }) => name)),
      status: detailed_merge_status,
    };
  };
  return { ...reviewed, add, look };
}

const APPROVED = { approved: [true, 0, [true]], named: [[], ['r']], status: 'mergeable' };
const MISSING = { approved: [false, 1, [false]], named: [['r'], []], status: 'not_approved' };

const HOPELESS: readonly [string, (world: World) => Promise<object>][] = [
  ['names nobody', async () => ({ rule_type: 'regular' })],
  ['names nobody who is a member', async ({ people }) => ({ user_ids: [people.stranger.user.id] })],
  ['names a Guest', async ({ people }) => ({ user_ids: [people.guest.user.id] })],
  ['names the author alone', async ({ people }) => ({ user_ids: [people.developer.user.id] })],
  ['names a group without members', async () => ({ group_ids: [await emptyGroup()] })],
];

async function emptyGroup(): Promise<number> {
  const group = await app.make.group();
  await app.deps.db
    .deleteFrom('members')
    .where('source_id', '=', group.id)
    .where('source_type', '=', 'group')
    .execute();
  return group.id;
}

for (const [what, input] of HOPELESS) {
  test(`a rule that ${what} counts as approved`, async () => {
    const it = await world();
    await it.add(await input(it));
    assert.deepEqual(await it.look(), APPROVED);
    expectStatus(await app.put(`${it.path}/merge`), 200);
  });
}

test('a rule that asks for more people than it has counts as approved, until there are enough', async () => {
  const { add, look, people, project } = await world();
  const { reporter, maintainer } = people;
  const user_ids = [reporter.user.id, maintainer.user.id];
  const id = await add({ approvals_required: 3, user_ids });
  assert.deepEqual(await look(), APPROVED);
  const path = `/projects/${project.id}/approval_rules/${id}`;
  expectStatus(await app.put(path, { json: { user_ids: [...user_ids, people.owner.user.id] } }), 200);
  assert.deepEqual(await look(), { ...MISSING, approved: [false, 3, [false]] });
});

test('a rule counts as approved once its approver has left, is blocked, or is deleted', async () => {
  const { add, look, people, project } = await world();
  const { reporter } = people;
  await add({ user_ids: [reporter.user.id] });
  assert.deepEqual(await look(), MISSING);
  expectStatus(await app.delete(`/projects/${project.id}/members/${reporter.user.id}`), 204);
  assert.deepEqual(await look(), APPROVED);
  await app.make.member({ project }, reporter.user, 20);
  assert.deepEqual(await look(), MISSING);
  expectStatus(await app.post(`/users/${reporter.user.id}/block`), 201);
  assert.deepEqual(await look(), APPROVED);
  expectStatus(await app.post(`/users/${reporter.user.id}/unblock`), 201);
  assert.deepEqual(await look(), MISSING);
  expectStatus(await app.delete(`/users/${reporter.user.id}`), 204);
  assert.deepEqual(await look(), APPROVED);
});

test('the author alone is enough where authors may approve', async () => {
  const { add, look, people, configure } = await world();
  await add({ user_ids: [people.developer.user.id] });
  await configure({ merge_requests_author_approval: true });
  assert.deepEqual(await look(), MISSING);
});

test('whose commits they are makes no rule pass, since anybody may write any name into them', async () => {
  const { add, look, people, configure, project, mergeRequest } = await world();
  await add({ user_ids: [people.maintainer.user.id] });
  await configure({ merge_requests_disable_committers_approval: true });
  const { email } = people.maintainer.user;
  const json = {
    branch: 'side',
    commit_message: 'm',
    author_email: email,
    actions: [{ action: 'create', file_path: 'd' }],
  };
  expectStatus(await app.post(`/projects/${project.id}/repository/commits`, { json }), 201);
  await app.drain();
  assert.equal((await reloadMergeRequest(app, mergeRequest)).state, 'opened');
  assert.equal((await look()).approved[0], false);
});

test('a rule for everybody waits for whoever may come', async () => {
  const { add, look, project } = await world();
  await add({ name: 'r', approvals_required: 100 });
  await app.deps.db.deleteFrom('members').where('source_id', '=', project.id).execute();
  assert.deepEqual((await look()).named, [['r'], []]);
});

test("a merge request's own rule counts as approved; one in the place of the project's only where that does", async () => {
  const { add, look, path, people } = await world();
  const { developer, maintainer } = people;
  const own = await add({ rule_type: 'regular', user_ids: [developer.user.id] }, path);
  assert.deepEqual(await look(), APPROVED);
  expectStatus(await app.delete(`${path}/approval_rules/${own}`), 204);
  const source = await add({ user_ids: [maintainer.user.id] });
  const change = (json: object) => app.put(`${path}/approval_rules/${source}`, { token: developer.token, json });
  expectStatus(await change({ user_ids: [developer.user.id] }), 200);
  assert.deepEqual(await look(), MISSING);
  expectStatus(await change({ user_ids: [maintainer.user.id], approvals_required: 2 }), 200);
  assert.deepEqual((await look()).approved, [false, 2, [false]]);
  await app.deps.db.deleteFrom('members').where('user_id', '=', maintainer.user.id).execute();
  assert.deepEqual(await look(), APPROVED);
});

for (const [what, act] of [
  ['leaves', ({ project, people }: World) => app.delete(`/projects/${project.id}/members/${people.reporter.user.id}`)],
  ['is blocked', ({ people }: World) => app.post(`/users/${people.reporter.user.id}/block`)],
  ['is deleted', ({ people }: World) => app.delete(`/users/${people.reporter.user.id}`)],
] as const) {
  test(`an automatic merge goes on when the only approver ${what}`, async () => {
    const it = await world();
    await it.add({ user_ids: [it.people.reporter.user.id] });
    expectStatus(await app.put(`${it.path}/merge`, { json: { auto_merge: true } }), 200);
    await app.drain();
    assert.equal((await reloadMergeRequest(app, it.mergeRequest)).state, 'opened');
    assert.ok([200, 201, 204].includes((await act(it)).statusCode));
    await app.drain();
    assert.equal((await reloadMergeRequest(app, it.mergeRequest)).state, 'merged');
  });
}

test('an automatic merge goes on when its rule goes, or asks for nobody any more', async () => {
  for (const change of ['delete', 'put'] as const) {
    const it = await world();
    const id = await it.add({ user_ids: [it.people.reporter.user.id] });
    expectStatus(await app.put(`${it.path}/merge`, { json: { auto_merge: true } }), 200);
    await app.drain();
    const rule = `/projects/${it.project.id}/approval_rules/${id}`;
    if (change === 'delete') expectStatus(await app.delete(rule), 204);
    else expectStatus(await app.put(rule, { json: { user_ids: [] } }), 200);
    await app.drain();
    assert.equal((await reloadMergeRequest(app, it.mergeRequest)).state, 'merged');
  }
});

test('hooks are told that an approval is all that was needed beside such a rule', async () => {
  const it = await world();
  await it.add({ name: 'gone', user_ids: [it.people.stranger.user.id] });
  await it.add({ user_ids: [it.people.maintainer.user.id] });
  const sentPayloads = await sentPayloadsOf(app, async () => expectStatus(await it.approve(it.people.maintainer), 201));
  assert.deepEqual(
    payloadsOf<{ object_attributes: { action: string } }>(sentPayloads, 'merge_requests').map(
      ({ object_attributes }) => object_attributes.action,
    ),
    ['approved'],
  );
});
