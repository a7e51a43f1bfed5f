import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest } from '../../../../../test/support/merge-request.ts';
import { timestamp } from '../../../../core/clock.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Rule {
  id: number;
  name: string;
  rule_type: string;
  report_type: string | null;
  approvals_required: number;
  eligible_approvers: { id: number }[];
  users: { id: number }[];
  groups: { id: number; full_path: string }[];
  contains_hidden_groups: boolean;
  protected_branches: { id: number; name: string; code_owner_approval_required: string }[];
  applies_to_all_protected_branches: boolean;
}

const pathOf = ({ id }: { id: number }) => `/projects/${id}/approval_rules`;
const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id);
const message = (body: unknown) => (body as { message: string }).message;

test('a rule names users by id and name, and only those with access may approve', async () => {
  const project = await app.make.project();
  const { reporter, maintainer, stranger, guest } = await app.make.members(project);
  const json = {
    name: 'security',
    approvals_required: 2,
    user_ids: [maintainer.user.id, stranger.user.id, guest.user.id],
    usernames: [reporter.user.username.toUpperCase(), 'nobody-of-this-name'],
  };
  const rule = expectStatus<Rule>(await app.post(pathOf(project), { json }), 201);
  assert.deepEqual(
    ids(rule.users),
    [guest.user.id, reporter.user.id, maintainer.user.id].sort((a, b) => a - b),
  );
  assert.deepEqual(ids(rule.eligible_approvers), [reporter.user.id, maintainer.user.id]);
  const { id, users, eligible_approvers, ...rest } = rule;
  assert.deepEqual(rest, {
    name: 'security',
    rule_type: 'regular',
    report_type: null,
    approvals_required: 2,
    groups: [],
    contains_hidden_groups: false,
    protected_branches: [],
    applies_to_all_protected_branches: false,
  });
  assert.deepEqual(expectStatus(await app.get(`${pathOf(project)}/${id}`), 200), rule);
  const form = `name=form&approvals_required=1&user_ids[]=${maintainer.user.id}&user_ids[]=${reporter.user.id}`;
  const second = expectStatus<Rule>(await app.post(pathOf(project), { form }), 201);
  assert.equal(second.users.length, 2);
  const list = await app.get(pathOf(project), { query: { per_page: 1, page: 2 } });
  assert.deepEqual(ids(expectStatus<Rule[]>(list, 200)), [second.id]);
  assert.equal(list.headers['x-total'], '2');
});

test('groups are named by those who see them; hidden ones stay unless they are to go', async () => {
  const group = await app.make.group();
  const hidden = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const admin = await app.make.user();
  const member = await app.make.user();
  await app.make.member({ project }, admin.user, 40);
  await app.make.member({ group }, member.user, 30);
  const json = { name: 'g', approvals_required: 1, group_ids: [group.id, hidden.id] };
  const seen = expectStatus<Rule>(await app.post(pathOf(project), { token: admin.token, json }), 201);
  assert.deepEqual([ids(seen.groups), seen.contains_hidden_groups], [[group.id], false]);
  assert.deepEqual(ids(seen.eligible_approvers), [1, member.user.id]);
  const path = `${pathOf(project)}/${seen.id}`;
  const byRoot = expectStatus<Rule>(await app.put(path, { json: { group_ids: [hidden.id] } }), 200);
  assert.deepEqual([ids(byRoot.groups), byRoot.contains_hidden_groups], [[hidden.id], false]);
  const put = async (json: object) => {
    const rule = expectStatus<Rule>(await app.put(path, { token: admin.token, json }), 200);
    return [ids(rule.groups), rule.contains_hidden_groups];
  };
  assert.deepEqual(await put({ name: 'other' }), [[], true]);
  assert.deepEqual(await put({ group_ids: [group.id] }), [[group.id], true]);
  assert.deepEqual(await put({ remove_hidden_groups: true }), [[group.id], false]);
});

test('PUT replaces the lists that are given, and leaves the rest', async () => {
  const project = await app.make.project();
  const { reporter, maintainer } = await app.make.members(project);
  const json = { name: 'r', approvals_required: 1, user_ids: [reporter.user.id] };
  const { id } = expectStatus<Rule>(await app.post(pathOf(project), { json }), 201);
  const put = async (json: object) => expectStatus<Rule>(await app.put(`${pathOf(project)}/${id}`, { json }), 200);
  assert.deepEqual(ids((await put({ approvals_required: 4 })).users), [reporter.user.id]);
  const changed = await put({ name: 'renamed', usernames: [maintainer.user.username] });
  assert.deepEqual(
    [changed.name, changed.approvals_required, ids(changed.users)],
    ['renamed', 4, [maintainer.user.id]],
  );
  assert.deepEqual((await put({ user_ids: [] })).users, []);
  assert.equal(message(expectStatus(await app.put(`${pathOf(project)}/999999`, { json }), 404)), '404 Not found');
});

test('rules of one branch, or of all that are protected', async () => {
  const project = await app.make.project();
  const other = await app.make.project();
  const protect = async (at: { id: number }, name: string) =>
    expectStatus<{ id: number }>(
      await app.post(`/projects/${at.id}/protected_branches`, { json: { name, code_owner_approval_required: true } }),
      201,
    ).id;
  const main = await protect(project, 'main');
  const release = await protect(project, 'rel-*');
  const foreign = await protect(other, 'main');
  const json = { name: 'b', approvals_required: 1, protected_branch_ids: [main, foreign] };
  const rule = expectStatus<Rule>(await app.post(pathOf(project), { json }), 201);
  assert.deepEqual(ids(rule.protected_branches), [main]);
  const [branch] = rule.protected_branches;
  assert.deepEqual(branch, {
    id: main,
    name: 'main',
    push_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
    merge_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
    unprotect_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
    code_owner_approval_required: 'true',
  });
  const put = async (json: object) => expectStatus<Rule>(await app.put(`${pathOf(project)}/${rule.id}`, { json }), 200);
  const all = await put({ applies_to_all_protected_branches: true });
  assert.deepEqual(ids(all.protected_branches), [main, release]);
  const one = await put({ applies_to_all_protected_branches: false, protected_branch_ids: [release] });
  assert.deepEqual(ids(one.protected_branches), [release]);
});

test('what is wrong is told in the words of the platform', async () => {
  const project = await app.make.project();
  const post = async (json: object) => message(expectStatus(await app.post(pathOf(project), { json }), 400));
  const good = { name: 'r', approvals_required: 1 };
  assert.equal(await post({}), 'name is missing, approvals_required is missing');
  assert.equal(await post({ ...good, name: ' ' }), "name can't be blank");
  assert.equal(await post({ ...good, name: 'x'.repeat(1_025) }), 'name is too long (maximum is 1024 characters)');
  assert.equal(
    await post({ ...good, approvals_required: 101 }),
    'approvals_required must be less than or equal to 100',
  );
  assert.equal(
    await post({ ...good, approvals_required: -1 }),
    'approvals_required must be greater than or equal to 0',
  );
  assert.equal(await post({ ...good, approvals_required: 'many' }), 'approvals_required is invalid');
  assert.equal(await post({ ...good, rule_type: 'code_owner' }), 'rule_type does not have a valid value');
  assert.equal(await post({ ...good, rule_type: 'report_approver' }), 'report_type is missing');
  const report = { ...good, rule_type: 'report_approver', report_type: 'code_coverage' };
  assert.equal(await post(report), 'report_type code_coverage only supports Coverage-Check name');
  const named = { ...good, user_ids: [1] };
  expectStatus(await app.post(pathOf(project), { json: named }), 201);
  assert.equal(await post(named), 'name has already been taken');
  const any = { ...good, name: 'All Members', rule_type: 'any_approver' };
  const made = expectStatus<Rule>(await app.post(pathOf(project), { json: { ...any, user_ids: [1] } }), 201);
  assert.deepEqual([made.rule_type, made.users], ['any_approver', []]);
  assert.equal(await post({ ...any, name: 'again' }), 'rule_type any-approver for the project already exists');
  assert.equal(
    await post({ name: 'Security', approvals_required: 1, user_ids: [], group_ids: [] }),
    'rule_type any-approver for the project already exists',
  );
  const coverage = { ...report, name: 'Coverage-Check' };
  const checked = expectStatus<Rule>(await app.post(pathOf(project), { json: coverage }), 201);
  assert.deepEqual([checked.rule_type, checked.report_type], ['report_approver', 'code_coverage']);
  expectStatus(await app.put(`${pathOf(project)}/${checked.id}`, { json: { name: 'Other' } }), 400);
  const second = expectStatus<Rule>(await app.post(pathOf(project), { json: { ...named, name: 's' } }), 201);
  const taken = await app.put(`${pathOf(project)}/${second.id}`, { json: { name: 'r' } });
  assert.equal(message(expectStatus(taken, 400)), 'name has already been taken');
});

test('DELETE takes the rule and what open merge requests have in its place', async () => {
  const project = await app.make.project();
  const { id } = expectStatus<Rule>(
    await app.post(pathOf(project), { json: { name: 'r', approvals_required: 1 } }),
    201,
  );
  const now = timestamp(app.deps.clock);
  const rules: Record<string, number> = {};
  for (const state of ['opened', 'merged'] as const) {
    const mergeRequest = await makeMergeRequest(app, project, { state });
    const own = await app.deps.db
      .insertInto('approval_rules')
      .values({
        project_id: project.id,
        merge_request_id: mergeRequest.id,
        source_rule_id: id,
        name: 'r',
        report_type: null,
        section: null,
        approvals_required: 2,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    rules[state] = own.id;
  }
  const old = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expectStatus(await app.delete(`${pathOf(project)}/${id}`, { headers: old }), 412);
  expectStatus(await app.delete(`${pathOf(project)}/${id}`), 204);
  expectStatus(await app.get(`${pathOf(project)}/${id}`), 404);
  const left = await app.deps.db
    .selectFrom('approval_rules')
    .select('id')
    .where('project_id', '=', project.id)
    .execute();
  assert.deepEqual(ids(left), [rules.merged]);
});

test('rules are read by Developers and changed by Maintainers', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const people = await app.make.members(project);
  const json = { name: 'r', approvals_required: 1 };
  const { id } = expectStatus<Rule>(await app.post(pathOf(project), { json }), 201);
  const one = `${pathOf(project)}/${id}`;
  const { stranger, guest, reporter, developer, maintainer, owner } = people;
  for (const { token } of [stranger, guest, reporter, developer]) {
    expectStatus(await app.post(pathOf(project), { token, json }), 403);
    expectStatus(await app.put(one, { token, json: { approvals_required: 0 } }), 403);
    expectStatus(await app.delete(one, { token }), 403);
  }
  for (const { token } of [stranger, guest, reporter]) {
    expectStatus(await app.get(pathOf(project), { token }), 403);
    for (const path of [one, `${pathOf(project)}/999999`]) expectStatus(await app.get(path, { token }), 403);
  }
  for (const token of [null]) {
    expectStatus(await app.get(pathOf(project), { token }), 401);
    expectStatus(await app.post(pathOf(project), { token, json }), 401);
  }
  expectStatus(await app.get(one, { token: developer.token }), 200);
  for (const { token, user } of [maintainer, owner]) {
    const mine = { name: user.username, approvals_required: 1, user_ids: [user.id] };
    const made = expectStatus<Rule>(await app.post(pathOf(project), { token, json: mine }), 201);
    expectStatus(await app.delete(`${pathOf(project)}/${made.id}`, { token }), 204);
  }
  const readOnly = await app.make.token(maintainer.user.id, ['read_api']);
  expectStatus(await app.get(one, { token: readOnly }), 200);
  expectStatus(await app.put(one, { token: readOnly, json: { approvals_required: 0 } }), 403);
  const other = await app.make.project();
  expectStatus(await app.get(`${pathOf(other)}/${id}`), 404);
  expectStatus(await app.delete(`${pathOf(other)}/${id}`), 404);
  assert.equal(expectStatus<Rule>(await app.get(one), 200).approvals_required, 1);
});

test('rules were listed by id alone: now the rule for everybody comes first, and reports last', async () => {
  const project = await app.make.project();
  const add = async (name: string, more: object = {}) =>
    expectStatus<Rule>(await app.post(pathOf(project), { json: { name, approvals_required: 1, ...more } }), 201).id;
  const report = await add('Coverage-Check', { rule_type: 'report_approver', report_type: 'code_coverage' });
  const [one, two] = [await add('one', { user_ids: [1] }), await add('two', { user_ids: [1] })];
  const any = await add('Whoever');
  const expectedIds = [any, one, two, report];
  assert.deepEqual(ids(expectStatus<Rule[]>(await app.get(pathOf(project)), 200)), expectedIds);
  const paged = async (page: number) =>
    ids(expectStatus<Rule[]>(await app.get(pathOf(project), { query: { per_page: 2, page } }), 200));
  assert.deepEqual([...(await paged(1)), ...(await paged(2))], expectedIds);
  const { iid } = await makeMergeRequest(app, project);
  const path = `/projects/${project.id}/merge_requests/${iid}`;
  assert.deepEqual(ids(expectStatus<Rule[]>(await app.get(`${path}/approval_rules`), 200)), expectedIds);
  const state = expectStatus<{ rules: Rule[] }>(await app.get(`${path}/approval_state`), 200);
  assert.deepEqual(ids(state.rules), expectedIds);
});

test('a rule that names nobody is for everybody, whatever its name, unless its type is given', async () => {
  const project = await app.make.project();
  const add = async (json: object) =>
    expectStatus<Rule>(await app.post(pathOf(project), { json: { approvals_required: 1, ...json } }), 201);
  const any = await add({ name: 'Two eyes', usernames: [] });
  assert.deepEqual([any.name, any.rule_type], ['Two eyes', 'any_approver']);
  const regular = await add({ name: 'Nobody', rule_type: 'regular' });
  assert.equal(regular.rule_type, 'regular');
  const group = await app.make.group();
  assert.equal((await add({ name: 'Group', group_ids: [group.id] })).rule_type, 'regular');
  const second = await app.post(pathOf(project), { form: 'name=Other&approvals_required=2' });
  assert.equal(message(expectStatus(second, 400)), 'rule_type any-approver for the project already exists');
});
