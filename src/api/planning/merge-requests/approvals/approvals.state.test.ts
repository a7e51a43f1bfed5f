import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../../test/support/app.ts';
import { makeMergeRequest, writeVersion } from '../../../../../test/support/merge-request.ts';
import { timestamp } from '../../../../core/clock.ts';
import type { ApprovalRule } from '../../../../db/tables/approval-rules.table.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { changedSettings, type ProjectSettings } from '../../../spaces/projects/projects.settings.ts';
import { approvalsLeft } from './approvals.state.ts';
import { setApprovers } from './rule-store.ts';

/** A head that all know, of a branch that is not there. */
const HEAD = 'a'.repeat(40);

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface RuleOptions extends Partial<ApprovalRule> {
  users?: number[];
  groups?: number[];
  branches?: number[];
}

async function addRule(project: Project, { users = [], groups = [], branches = [], ...columns }: RuleOptions) {
  const { db, clock } = app.deps;
  const now = timestamp(clock);
  const { id } = await db
    .insertInto('approval_rules')
    .values({
      project_id: project.id,
      merge_request_id: null,
      source_rule_id: null,
      name: 'Rule',
      report_type: null,
      section: null,
      approvals_required: 1,
      created_at: now,
      updated_at: now,
      ...columns,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await setApprovers(db, id, { userIds: users, groupIds: groups });
  for (const protected_ref_id of branches) {
    await db.insertInto('approval_rule_branches').values({ rule_id: id, protected_ref_id }).execute();
  }
  return id;
}

async function approve(mergeRequest: MergeRequest, ...userIds: number[]): Promise<void> {
  for (const user_id of userIds) {
    await app.deps.db
      .insertInto('approvals')
      .values({
        merge_request_id: mergeRequest.id,
        user_id,
        head_sha: mergeRequest.head_sha!,
        created_at: timestamp(app.deps.clock),
      })
      .execute();
  }
}

async function set(project: Project, settings: Partial<ProjectSettings>): Promise<void> {
  await app.deps.db
    .updateTable('projects')
    .set({ settings: changedSettings(project, settings) })
    .where('id', '=', project.id)
    .execute();
}

const left = async (input: MergeRequest): Promise<number> => {
  const now = await app.deps.db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', '=', input.id)
    .executeTakeFirstOrThrow();
  return (await approvalsLeft(app.deps, app.deps.db, [now])).get(input.id)!;
};

async function world() {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const mergeRequest = await makeMergeRequest(app, project, { head_sha: HEAD, author_id: people.developer.user.id });
  return { project, people, mergeRequest };
}

test('without rules nothing is needed', async () => {
  const { mergeRequest } = await world();
  assert.equal(await left(mergeRequest), 0);
});

test('a regular rule counts those it names, and only while they have access', async () => {
  const { project, people, mergeRequest } = await world();
  const { reporter, maintainer, owner, stranger, guest } = people;
  const named = [reporter.user.id, owner.user.id, stranger.user.id, guest.user.id];
  await addRule(project, { users: named, approvals_required: 2 });
  assert.equal(await left(mergeRequest), 2);
  await approve(mergeRequest, maintainer.user.id, stranger.user.id, guest.user.id);
  assert.equal(await left(mergeRequest), 2);
  await approve(mergeRequest, reporter.user.id);
  assert.equal(await left(mergeRequest), 1);
  await approve(mergeRequest, owner.user.id);
  assert.equal(await left(mergeRequest), 0);
  await addRule(project, { name: 'also', users: [owner.user.id, reporter.user.id, maintainer.user.id] });
  await app.deps.db.deleteFrom('approvals').where('user_id', '=', maintainer.user.id).execute();
  assert.equal(await left(mergeRequest), 0);
  await app.deps.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', owner.user.id).execute();
  assert.equal(await left(mergeRequest), 0);
  await app.deps.db.deleteFrom('members').where('user_id', '=', reporter.user.id).execute();
  assert.equal(await left(mergeRequest), 1);
});

test('direct members of a named group count where the group gives them access', async () => {
  const parent = await app.make.group();
  const group = await app.make.group({ parent });
  const project = await app.make.project({ namespace: group });
  const outside = await app.make.group();
  const author = await app.make.user();
  const direct = await app.make.user();
  const above = await app.make.user();
  const elsewhere = await app.make.user();
  await app.make.member({ group }, direct.user, 30);
  await app.make.member({ group: parent }, above.user, 30);
  await app.make.member({ group: outside }, elsewhere.user, 50);
  const mergeRequest = await makeMergeRequest(app, project, { head_sha: HEAD, author_id: author.user.id });
  await addRule(project, { groups: [group.id, outside.id] });
  await approve(mergeRequest, above.user.id, elsewhere.user.id);
  assert.equal(await left(mergeRequest), 1);
  await approve(mergeRequest, direct.user.id);
  assert.equal(await left(mergeRequest), 0);
});

test('any approver is whoever may approve: Developers and up', async () => {
  const { project, people, mergeRequest } = await world();
  await addRule(project, { rule_type: 'any_approver', approvals_required: 2 });
  await approve(mergeRequest, people.reporter.user.id, people.maintainer.user.id);
  assert.equal(await left(mergeRequest), 1);
  await approve(mergeRequest, 1);
  assert.equal(await left(mergeRequest), 0);
});

test('the author counts only where the project lets them', async () => {
  const { project, people, mergeRequest } = await world();
  await addRule(project, { users: [people.developer.user.id, people.owner.user.id] });
  await approve(mergeRequest, people.developer.user.id);
  assert.equal(await left(mergeRequest), 1);
  await set(project, { merge_requests_author_approval: true });
  assert.equal(await left(mergeRequest), 0);
});

test('committers count only where the project lets them, and nobody while the commits are not known', async () => {
  const { project, people, mergeRequest } = await world();
  const { maintainer, owner } = people;
  await addRule(project, { rule_type: 'any_approver', approvals_required: 2 });
  await approve(mergeRequest, maintainer.user.id, owner.user.id);
  assert.equal(await left(mergeRequest), 0);
  await set(project, { merge_requests_disable_committers_approval: true });
  assert.equal(await left(mergeRequest), 2);
  await writeVersion(app, mergeRequest, ['else@example.org', maintainer.user.email.toLowerCase()]);
  assert.equal(await left(mergeRequest), 1);
  await app.deps.db
    .updateTable('merge_requests')
    .set({ head_sha: 'c'.repeat(40) })
    .where('id', '=', mergeRequest.id)
    .execute();
  assert.equal(await left(mergeRequest), 2);
});

test('a rule for protected branches counts for what goes into them', async () => {
  const { project, people, mergeRequest } = await world();
  const now = timestamp(app.deps.clock);
  const values = { project_id: project.id, kind: 'branch' as const, created_at: now, updated_at: now };
  const { id } = await app.deps.db
    .insertInto('protected_refs')
    .values({ ...values, name: 'rel-*' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const release = await makeMergeRequest(app, project, {
    head_sha: HEAD,
    author_id: people.developer.user.id,
    target_branch: 'rel-1',
  });
  const users = [people.reporter, people.maintainer, people.owner].map(({ user }) => user.id);
  await addRule(project, { name: 'one', branches: [id], approvals_required: 2, users });
  await addRule(project, { name: 'all', applies_to_all_protected_branches: 1, approvals_required: 3, users });
  assert.deepEqual([await left(mergeRequest), await left(release)], [0, 5]);
});

test("a merge request's own rule stands for the project's, and never asks for less", async () => {
  const { project, people, mergeRequest } = await world();
  const { maintainer, owner } = people;
  const source = await addRule(project, { users: [owner.user.id, 1], approvals_required: 2 });
  const own = { merge_request_id: mergeRequest.id, source_rule_id: source, users: [maintainer.user.id] };
  await addRule(project, { ...own, approvals_required: 0 });
  assert.equal(await left(mergeRequest), 2);
  await approve(mergeRequest, owner.user.id);
  assert.equal(await left(mergeRequest), 2);
  await approve(mergeRequest, maintainer.user.id);
  assert.equal(await left(mergeRequest), 1);
  await set(project, { disable_overriding_approvers_per_merge_request: true });
  assert.equal(await left(mergeRequest), 1);
  await app.deps.db.deleteFrom('approvals').where('user_id', '=', owner.user.id).execute();
  assert.equal(await left(mergeRequest), 2);
});

test('a plain number of approvals counts beside rules for the unnamed, the higher one', async () => {
  const { project, people } = await world();
  const { developer } = people;
  const asked = await makeMergeRequest(app, project, {
    head_sha: HEAD,
    author_id: developer.user.id,
    approvals_before_merge: 2,
    source_branch: 'b',
  });
  assert.equal(await left(asked), 2);
  await addRule(project, { rule_type: 'any_approver', approvals_required: 3 });
  assert.equal(await left(asked), 3);
  await approve(asked, people.maintainer.user.id);
  assert.equal(await left(asked), 2);
});

test('code owners count where the branch asks for them, and keep it waiting while rules are made', async () => {
  const { project, people, mergeRequest } = await world();
  await addRule(project, {
    merge_request_id: mergeRequest.id,
    rule_type: 'code_owner',
    name: '*.ts',
    section: 'codeowners',
    users: [people.owner.user.id],
  });
  const syncing = await makeMergeRequest(app, project, {
    head_sha: HEAD,
    author_id: people.developer.user.id,
    approvals_syncing: 1,
    source_branch: 'b',
  });
  assert.deepEqual([await left(mergeRequest), await left(syncing)], [0, 0]);
  const now = timestamp(app.deps.clock);
  await app.deps.db
    .insertInto('protected_refs')
    .values({
      project_id: project.id,
      kind: 'branch',
      name: 'main',
      code_owner_approval_required: 1,
      created_at: now,
      updated_at: now,
    })
    .execute();
  assert.deepEqual([await left(mergeRequest), await left(syncing)], [1, 1]);
  await approve(mergeRequest, people.owner.user.id);
  assert.equal(await left(mergeRequest), 0);
});

test('many merge requests of several projects are told at once', async () => {
  const first = await world();
  const second = await world();
  await addRule(first.project, { rule_type: 'any_approver' });
  const states = await approvalsLeft(app.deps, app.deps.db, [first.mergeRequest, second.mergeRequest]);
  assert.deepEqual([...states.values()], [1, 0]);
  assert.deepEqual(await approvalsLeft(app.deps, app.deps.db, []), new Map());
});
