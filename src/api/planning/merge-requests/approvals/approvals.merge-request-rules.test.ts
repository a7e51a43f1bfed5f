import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { timestamp } from '../../../../core/clock.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Rule {
  id: number;
  name: string;
  rule_type: string;
  approvals_required: number;
  users: { id: number }[];
  groups: { id: number }[];
  eligible_approvers: { id: number }[];
  contains_hidden_groups: boolean;
  section: string | null;
  source_rule: { approvals_required: number } | null;
  overridden: boolean;
}

const pathOf = ({ project_id, iid }: MergeRequest) => `/projects/${project_id}/merge_requests/${iid}/approval_rules`;
const message = (body: unknown) => (body as { message: string }).message;
const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id);

async function world() {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const mergeRequest = await makeMergeRequest(app, project, { author_id: people.developer.user.id });
  const path = pathOf(mergeRequest);
  const left = async () => {
    const summary = await app.get(path.replace('approval_rules', 'approvals'));
    return expectStatus<{ approvals_left: number }>(summary, 200).approvals_left;
  };
  return { project, ...people, mergeRequest, path, left };
}

const addRule = async (project: { id: number }, json: object) =>
  expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/approval_rules`, { json }), 201).id;

test('a merge request has the rules of its project, page by page', async () => {
  const { project, owner, path } = await world();
  const first = await addRule(project, { name: 'a', approvals_required: 1, user_ids: [owner.user.id] });
  const second = await addRule(project, { name: 'b', approvals_required: 2, user_ids: [owner.user.id] });
  const response = await app.get(path, { query: { per_page: 1 } });
  const [rule] = expectStatus<Rule[]>(response, 200);
  assert.equal(response.headers['x-total'], '2');
  const { users, eligible_approvers, ...rest } = rule!;
  assert.deepEqual([ids(users), ids(eligible_approvers)], [[owner.user.id], [owner.user.id]]);
  assert.deepEqual(rest, {
    id: first,
    name: 'a',
    rule_type: 'regular',
    report_type: null,
    approvals_required: 1,
    groups: [],
    contains_hidden_groups: false,
    section: null,
    source_rule: { approvals_required: 1 },
    overridden: false,
  });
  assert.equal(expectStatus<Rule>(await app.get(`${path}/${second}`), 200).name, 'b');
  expectStatus(await app.get(`${path}/999999`), 404);
});

test('a rule of its own: create, change, remove', async () => {
  const { reporter, maintainer, owner, path, left } = await world();
  const json = {
    name: 'mine',
    approvals_required: 1,
    user_ids: [maintainer.user.id],
    usernames: [owner.user.username],
  };
  const made = expectStatus<Rule>(await app.post(path, { json }), 201);
  assert.deepEqual([made.source_rule, made.overridden, made.rule_type], [null, false, 'regular']);
  assert.deepEqual(ids(made.users), [maintainer.user.id, owner.user.id]);
  assert.equal(await left(), 1);
  const one = `${path}/${made.id}`;
  const put = { name: 'renamed', approvals_required: 2, user_ids: [reporter.user.id, owner.user.id] };
  const changed = expectStatus<Rule>(await app.put(one, { json: put }), 200);
  assert.deepEqual(
    [changed.name, changed.approvals_required, ids(changed.users)],
    ['renamed', 2, [reporter.user.id, owner.user.id]],
  );
  const any = expectStatus<Rule>(await app.post(path, { json: { name: 'Whoever', approvals_required: 1 } }), 201);
  assert.deepEqual([any.name, any.rule_type, await left()], ['Whoever', 'any_approver', 3]);
  expectStatus(await app.delete(one), 204);
  expectStatus(await app.delete(one), 404);
  assert.equal(await left(), 1);
});

test("a project's rule is copied or changed for one merge request, and counts again when that goes", async () => {
  const { project, reporter, owner, path, left } = await world();
  const source = await addRule(project, { name: 's', approvals_required: 1, user_ids: [owner.user.id] });
  const json = { name: 'ignored', approvals_required: 2, approval_project_rule_id: source };
  const copy = expectStatus<Rule>(await app.post(path, { json }), 201);
  assert.deepEqual([copy.name, ids(copy.users), copy.approvals_required], ['s', [owner.user.id], 2]);
  assert.deepEqual([copy.source_rule, copy.overridden], [{ approvals_required: 1 }, true]);
  assert.deepEqual(ids(expectStatus<Rule[]>(await app.get(path), 200)), [copy.id]);
  assert.equal(message(expectStatus(await app.post(path, { json }), 400)), 'name has already been taken');
  const viaSource = expectStatus<Rule>(
    await app.put(`${path}/${source}`, { json: { user_ids: [reporter.user.id] } }),
    200,
  );
  assert.deepEqual(
    [viaSource.id, ids(viaSource.users), viaSource.approvals_required],
    [copy.id, [reporter.user.id], 2],
  );
  expectStatus(await app.delete(`${path}/${copy.id}`), 204);
  assert.equal(await left(), 1);
  const overridden = expectStatus<Rule>(await app.put(`${path}/${source}`, { json: { approvals_required: 5 } }), 200);
  assert.deepEqual([overridden.overridden, ids(overridden.users), await left()], [true, [owner.user.id], 5]);
  expectStatus(await app.post(path, { json: { ...json, approval_project_rule_id: 999_999 } }), 404);
});

test('what is wrong is told', async () => {
  const { owner, path } = await world();
  const post = async (json: object) => message(expectStatus(await app.post(path, { json }), 400));
  assert.equal(await post({}), 'name is missing, approvals_required is missing');
  assert.equal(await post({ name: '', approvals_required: 1 }), "name can't be blank");
  assert.equal(
    await post({ name: 'x', approvals_required: 101 }),
    'approvals_required must be less than or equal to 100',
  );
  const named = { name: 'x', approvals_required: 0, user_ids: [owner.user.id] };
  expectStatus(await app.post(path, { json: named }), 201);
  assert.equal(await post(named), 'name has already been taken');
  const any = { name: 'y', approvals_required: 1 };
  const { id } = expectStatus<Rule>(await app.post(path, { json: any }), 201);
  assert.equal(
    await post({ name: 'z', approvals_required: 1, user_ids: [] }),
    'rule_type any-approver for the merge request already exists',
  );
  expectStatus(await app.put(`${path}/${id}`, { json: { approvals_required: -1 } }), 400);
});

test('attack 71: no rules by Developers where overriding is off, by an author who has left, by strangers', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { developer, stranger, guest, reporter, maintainer, owner } = await app.make.members(project);
  const author = await app.make.user();
  await app.make.member({ project }, author.user, 20);
  const mergeRequest = await makeMergeRequest(app, project, { author_id: author.user.id });
  const path = pathOf(mergeRequest);
  const source = await addRule(project, { name: 's', approvals_required: 1, user_ids: [owner.user.id] });
  const json = { name: 'r', approvals_required: 1 };
  const made = expectStatus<Rule>(await app.post(path, { token: author.token, json }), 201);
  const refusedTo = async (token: string) => {
    for (const response of [
      await app.post(path, { token, json: { ...json, name: 'other' } }),
      await app.put(`${path}/${made.id}`, { token, json: { approvals_required: 0 } }),
      await app.put(`${path}/${source}`, { token, json: { user_ids: [] } }),
      await app.delete(`${path}/${made.id}`, { token }),
    ]) {
      assert.equal(message(expectStatus(response, 403)), 'Prohibited');
    }
  };
  for (const { token } of [stranger, guest, reporter]) await refusedTo(token);
  for (const token of [null]) expectStatus(await app.post(path, { token, json }), 401);
  expectStatus(await app.put(`${path}/${made.id}`, { token: developer.token, json: { approvals_required: 2 } }), 200);
  await app.deps.db.deleteFrom('members').where('user_id', '=', author.user.id).execute();
  await refusedTo(author.token);
  const off = { disable_overriding_approvers_per_merge_request: true };
  expectStatus(await app.post(`/projects/${project.id}/approvals`, { json: off }), 201);
  for (const { token } of [developer, maintainer, owner]) await refusedTo(token);
  const rules = expectStatus<Rule[]>(await app.get(path), 200);
  assert.deepEqual(ids(rules), [source]);
  const hidden = await world();
  expectStatus(await app.post(hidden.path, { token: stranger.token, json }), 404);
  expectStatus(await app.put(`${hidden.path}/${made.id}`, { json: { approvals_required: 0 } }), 404);
  const readOnly = await app.make.token(owner.user.id, ['read_api']);
  expectStatus(await app.get(path, { token: readOnly }), 200);
  expectStatus(await app.post(path, { token: readOnly, json }), 403);
});

test('attack 72: the author names themselves, or a group of theirs alone, or asks for less: not approved', async () => {
  const { project, developer: author, owner, maintainer, path, left, mergeRequest } = await world();
  const { token } = author;
  const source = await addRule(project, {
    name: 's',
    approvals_required: 2,
    user_ids: [owner.user.id, maintainer.user.id, 1],
  });
  const any = await addRule(project, { name: 'All Members', approvals_required: 1 });
  for (const required of [0, 1]) {
    const put = await app.put(`${path}/${source}`, { token, json: { approvals_required: required } });
    assert.equal(message(expectStatus(put, 400)), 'approvals_required must be greater than or equal to 2');
    const json = { name: 's', approvals_required: required, approval_project_rule_id: source };
    expectStatus(await app.post(path, { token, json }), 400);
  }
  expectStatus(await app.put(`${path}/${any}`, { token, json: { approvals_required: 0 } }), 400);
  expectStatus(await app.post(path, { token, json: { name: 'All Members', approvals_required: 0 } }), 400);
  for (const id of [source, any]) expectStatus(await app.delete(`${path}/${id}`, { token }), 403);
  const lower = await app.put(path.replace('/approval_rules', ''), { token, json: { approvals_before_merge: 0 } });
  expectStatus(lower, 200);
  assert.equal(await left(), 3);
  const group = await app.make.group({ owner: author.user });
  const json = { user_ids: [author.user.id], group_ids: [group.id] };
  const changed = expectStatus<Rule>(await app.put(`${path}/${source}`, { token, json }), 200);
  assert.deepEqual([changed.approvals_required, ids(changed.eligible_approvers)], [2, []]);
  const approve = path.replace('approval_rules', 'approve');
  expectStatus(await app.post(approve, { token }), 401);
  expectStatus(await app.post(approve, { token: owner.token }), 201);
  assert.equal(await left(), 2);
  expectStatus(await app.delete(`${path}/${changed.id}`, { token }), 204);
  assert.equal(await left(), 1);
  const { db } = app.deps;
  await db.updateTable('approval_rules').set({ approvals_required: 3 }).where('id', '=', source).execute();
  assert.equal(await left(), 2);
  await db.updateTable('merge_requests').set({ state: 'merged' }).where('id', '=', mergeRequest.id).execute();
  expectStatus(await app.put(`${path}/${source}`, { json: { approvals_required: 9 } }), 403);
});

test('rules of code owners and reports are read, not changed', async () => {
  const { project, owner, mergeRequest, path } = await world();
  const report = {
    name: 'Coverage-Check',
    approvals_required: 1,
    rule_type: 'report_approver',
    report_type: 'code_coverage',
  };
  const reportId = await addRule(project, report);
  const now = timestamp(app.deps.clock);
  const { id: ownerId } = await app.deps.db
    .insertInto('approval_rules')
    .values({
      project_id: project.id,
      merge_request_id: mergeRequest.id,
      source_rule_id: null,
      name: '*.ts',
      rule_type: 'code_owner',
      report_type: null,
      section: 'Docs',
      approvals_required: 1,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const id of [reportId, ownerId]) {
    expectStatus(await app.get(`${path}/${id}`), 200);
    for (const token of [owner.token, undefined]) {
      const options = token === undefined ? {} : { token };
      const put = await app.put(`${path}/${id}`, { ...options, json: { approvals_required: 1 } });
      assert.equal(message(expectStatus(put, 403)), 'Prohibited');
      expectStatus(await app.delete(`${path}/${id}`, options), 403);
    }
  }
  const copy = { name: 'c', approvals_required: 1, approval_project_rule_id: reportId };
  expectStatus(await app.post(path, { json: copy }), 403);
  assert.equal(expectStatus<Rule>(await app.get(`${path}/${ownerId}`), 200).section, 'Docs');
});

test('groups that the caller does not see stay with a rule that they override', async () => {
  const { project, developer, path } = await world();
  const hidden = await app.make.group();
  const source = await addRule(project, { name: 's', approvals_required: 1, group_ids: [hidden.id] });
  const put = async (json: object) => {
    const rule = expectStatus<Rule>(await app.put(`${path}/${source}`, { token: developer.token, json }), 200);
    return [ids(rule.groups), rule.contains_hidden_groups];
  };
  assert.deepEqual(await put({ group_ids: [] }), [[], true]);
  assert.deepEqual(await put({ remove_hidden_groups: true }), [[], false]);
});
