import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../../test/support/app.ts';
import { makeMergeRequest, writeMergeRequest, writeVersion } from '../../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../../test/support/project-git.ts';
import { hashPassword } from '../../../../core/core.secrets.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';

let app: TestApp;
before(async () => {
  // It stands still: what is counted by the minute is all in one.
  app = await buildTestApp({ clock: new TestClock() });
});
after(() => app.close());

interface Summary {
  iid: number;
  approved: boolean;
  approvals_required: number;
  approvals_left: number;
  approved_by: { user: { id: number }; approved_at: string }[];
  suggested_approvers: { id: number }[];
  user_has_approved: boolean;
  user_can_approve: boolean;
  approval_rules_left: { id: number; name: string; rule_type: string }[];
  has_approval_rules: boolean;
  invalid_approvers_rules: { name: string }[];
  require_password_to_approve: boolean;
}

const pathOf = ({ project_id, iid }: MergeRequest) => `/projects/${project_id}/merge_requests/${iid}`;
const message = (body: unknown) => (body as { message: string }).message;
const by = ({ approved_by }: Summary) => approved_by.map(({ user }) => user.id);

async function world(columns: Parameters<typeof makeMergeRequest>[2] = {}) {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const mergeRequest = await makeMergeRequest(app, project, {
    author_id: people.developer.user.id,
    head_sha: 'a'.repeat(40),
    ...columns,
  });
  const approvals = async (): Promise<Summary> =>
    expectStatus<Summary>(await app.get(`${pathOf(mergeRequest)}/approvals`), 200);
  return { project, ...people, mergeRequest, path: pathOf(mergeRequest), approvals };
}

const configure = async (project: { id: number }, json: object) =>
  expectStatus(await app.post(`/projects/${project.id}/approvals`, { json }), 201);
const addRule = async (project: { id: number }, json: object) =>
  expectStatus<{ id: number }>(await app.post(`/projects/${project.id}/approval_rules`, { json }), 201).id;
const approve = (path: string, token: string, json: object = {}) => app.post(`${path}/approve`, { token, json });
const refusedApproval = async (path: string, token: string, json: object = {}) =>
  assert.equal(message(expectStatus(await approve(path, token, json), 401)), '401 Unauthorized');

test('the summary of the enterprise tier, with all its names', async () => {
  const { project, maintainer, owner, path, mergeRequest } = await world({ description: 'Text' });
  const id = await addRule(project, {
    name: 'security',
    approvals_required: 2,
    user_ids: [maintainer.user.id, owner.user.id],
  });
  const body = expectStatus<Summary>(await approve(path, maintainer.token), 201);
  const { approved_by, suggested_approvers, ...rest } = body;
  assert.deepEqual(rest, {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    project_id: project.id,
    title: 'Merge change-1',
    description: 'Text',
    state: 'opened',
    created_at: mergeRequest.created_at,
    updated_at: mergeRequest.updated_at,
    merge_status: 'unchecked',
    approved: false,
    approvals_required: 2,
    approvals_left: 1,
    require_password_to_approve: false,
    approvers: [],
    approver_groups: [],
    user_has_approved: true,
    user_can_approve: false,
    approval_rules_left: [{ id, name: 'security', rule_type: 'regular' }],
    has_approval_rules: true,
    merge_request_approvers_available: true,
    multiple_approval_rules_available: true,
    invalid_approvers_rules: [],
  });
  assert.deepEqual([by(body), approved_by[0]!.approved_at.length], [[maintainer.user.id], 24]);
  assert.deepEqual(
    suggested_approvers.map(({ id }) => id),
    [owner.user.id],
  );
  const done = expectStatus<Summary>(await approve(path, owner.token), 201);
  assert.deepEqual([done.approved, done.approvals_left, done.approval_rules_left], [true, 0, []]);
  assert.deepEqual(by(done), [maintainer.user.id, owner.user.id]);
});

test('without rules Developers and up may approve, others may not', async () => {
  const { stranger, guest, reporter, maintainer, owner, path, approvals } = await world();
  for (const { token } of [stranger, guest])
    expectStatus(await approve(path, token), token === guest.token ? 403 : 404);
  await refusedApproval(path, reporter.token);
  expectStatus(await app.post(`${path}/approve`, { token: null }), 401);
  expectStatus(await approve(path, await app.make.token(maintainer.user.id, ['read_api'])), 403);
  assert.deepEqual(by(await approvals()), []);
  for (const { token } of [maintainer, owner]) expectStatus(await approve(path, token), 201);
  const summary = await approvals();
  assert.deepEqual([summary.approved, summary.has_approval_rules, by(summary).length], [true, false, 2]);
  assert.equal(message(expectStatus(await approve(path.replace(/\d+$/, '99'), owner.token), 404)), '404 Not found');
});

test('approvals of those whom a rule does not name are there, but do not count for it', async () => {
  const { project, reporter, maintainer, path, approvals } = await world();
  await addRule(project, { name: 'r', approvals_required: 1, user_ids: [reporter.user.id] });
  const first = expectStatus<Summary>(await approve(path, maintainer.token), 201);
  assert.deepEqual([by(first), first.approvals_left], [[maintainer.user.id], 1]);
  const asReporter = expectStatus<Summary>(await app.get(`${path}/approvals`, { token: reporter.token }), 200);
  assert.deepEqual([asReporter.user_can_approve, asReporter.user_has_approved], [true, false]);
  expectStatus(await approve(path, reporter.token), 201);
  assert.equal((await approvals()).approvals_left, 0);
});

test('on a public project only those approve who belong to it', async () => {
  const project = await app.make.project({ visibility: 'public' });
  const { stranger, guest, owner } = await app.make.members(project);
  const mergeRequest = await makeMergeRequest(app, project, { author_id: stranger.user.id });
  const path = pathOf(mergeRequest);
  await addRule(project, { name: 'r', approvals_required: 1, user_ids: [guest.user.id] });
  for (const { token } of [stranger, guest]) {
    expectStatus(await app.get(`${path}/approvals`, { token }), 200);
    await refusedApproval(path, token);
  }
  expectStatus(await app.get(`${path}/approvals`, { token: null }), 401);
  expectStatus(await approve(path, owner.token), 201);
});

test('attack 70: author and committers where that is forbidden, twice, or for another head: the count stays', async () => {
  const { project, developer, maintainer, owner, mergeRequest, path, approvals } = await world();
  await addRule(project, { name: 'All Members', approvals_required: 1 });
  await refusedApproval(path, developer.token);
  const stale = await approve(path, owner.token, { sha: 'b'.repeat(40) });
  const text = `SHA does not match HEAD of source branch: ${mergeRequest.head_sha}`;
  assert.equal(message(expectStatus(stale, 409)), text);
  assert.deepEqual([by(await approvals()), (await approvals()).approvals_left], [[], 1]);
  expectStatus(await approve(path, owner.token, { sha: mergeRequest.head_sha }), 201);
  await refusedApproval(path, owner.token);
  await refusedApproval(path, owner.token, { sha: mergeRequest.head_sha });
  const answers = await Promise.all([1, 2, 3, 4].map(() => approve(path, maintainer.token)));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 401, 401, 401]);
  assert.deepEqual(by(await approvals()), [owner.user.id, maintainer.user.id]);
  await configure(project, { merge_requests_disable_committers_approval: true });
  await writeVersion(app, mergeRequest, [owner.user.email]);
  const summary = await approvals();
  assert.deepEqual([summary.approvals_left, by(summary).length], [0, 2]);
  expectStatus(await app.post(`${path}/unapprove`, { token: maintainer.token }), 201);
  assert.equal((await approvals()).approvals_left, 1);
  expectStatus(await app.post(`${path}/unapprove`, { token: owner.token }), 201);
  await refusedApproval(path, owner.token);
  await configure(project, { merge_requests_author_approval: true });
  expectStatus(await approve(path, developer.token), 201);
});

test('attack 70: whoever made the head is a committer before its version has been made', async () => {
  const project = await app.make.project();
  const { maintainer, owner, developer } = await app.make.members(project);
  const git = new ProjectGit(app, project);
  git.commit('main', { a: '1' });
  const base = git.run(['rev-parse', 'refs/heads/main']);
  await app.deps.db
    .insertInto('emails')
    .values({
      user_id: maintainer.user.id,
      email: 'Ada@Example.com',
      confirmed_at: developer.user.created_at,
      created_at: developer.user.created_at,
    })
    .execute();
  const head_sha = git.commit('side', { a: '2' }, { start: base });
  const columns = { author_id: developer.user.id, source_branch: 'side', head_sha };
  const mergeRequest = await writeMergeRequest(app, project, columns);
  await configure(project, { merge_requests_disable_committers_approval: true });
  await refusedApproval(pathOf(mergeRequest), maintainer.token);
  expectStatus(await approve(pathOf(mergeRequest), owner.token), 201);
});

test('a password is asked for where the project wants it', async () => {
  const { project, owner, maintainer, path, approvals } = await world();
  await configure(project, { require_reauthentication_to_approve: true });
  const password_hash = await hashPassword('correct horse', app.deps.config.passwordHash);
  await app.deps.db.updateTable('users').set({ password_hash }).where('id', '=', owner.user.id).execute();
  assert.equal((await approvals()).require_password_to_approve, true);
  await refusedApproval(path, owner.token);
  await refusedApproval(path, owner.token, { approval_password: 'wrong' });
  await refusedApproval(path, owner.token, { approval_password: 'x'.repeat(100_000) });
  await refusedApproval(path, maintainer.token, { approval_password: 'correct horse' });
  expectStatus(await approve(path, owner.token, { approval_password: 'correct horse', publish_review: true }), 201);
  for (let attempt = 0; attempt < 10; attempt += 1) await approve(path, maintainer.token, { approval_password: 'no' });
  expectStatus(await approve(path, maintainer.token, { approval_password: 'no' }), 429);
});

test('approving is told in the discussion, to reviewers and as an event', async () => {
  const { project, owner, maintainer, mergeRequest, path } = await world();
  await addRule(project, { name: 'All Members', approvals_required: 2 });
  const { db, clock } = app.deps;
  for (const { id } of [owner.user, maintainer.user] as User[]) {
    const created_at = clock.now().toISOString();
    await db
      .insertInto('merge_request_reviewers')
      .values({ merge_request_id: mergeRequest.id, user_id: id, created_at })
      .execute();
  }
  expectStatus(await approve(path, owner.token), 201);
  expectStatus(await approve(path, maintainer.token), 201);
  expectStatus(await app.post(`${path}/unapprove`, { token: owner.token }), 201);
  const notes = await db
    .selectFrom('notes')
    .select(['note', 'system_action', 'author_id'])
    .where('noteable_type', '=', 'MergeRequest')
    .where('noteable_id', '=', mergeRequest.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    notes.map(({ note, system_action, author_id }) => [note, system_action, author_id]),
    [
      ['approved this merge request', 'approved', owner.user.id],
      ['approved this merge request', 'approved', maintainer.user.id],
      ['unapproved this merge request', 'unapproved', owner.user.id],
    ],
  );
  const reviewers = await db
    .selectFrom('merge_request_reviewers')
    .select(['user_id', 'state'])
    .where('merge_request_id', '=', mergeRequest.id)
    .execute();
  assert.deepEqual(
    new Map(reviewers.map(({ user_id, state }) => [user_id, state])),
    new Map([
      [owner.user.id, 'unapproved'],
      [maintainer.user.id, 'approved'],
    ]),
  );
  const events = await db
    .selectFrom('domain_events')
    .select(['type', 'payload'])
    .where('project_id', '=', project.id)
    .where('type', 'like', 'merge_request.%')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    events.map(({ type, payload }) => [type, (JSON.parse(payload) as { complete?: boolean }).complete]),
    [
      ['merge_request.approved', false],
      ['merge_request.approved', true],
      ['merge_request.unapproved', true],
    ],
  );
});

test('unapprove takes back what was given, once', async () => {
  const { owner, maintainer, stranger, path, mergeRequest } = await world();
  expectStatus(await approve(path, owner.token), 201);
  const post = (token: string | null) => app.post(`${path}/unapprove`, { token });
  assert.equal(message(expectStatus(await post(maintainer.token), 404)), '404 Not Found');
  expectStatus(await post(stranger.token), 404);
  expectStatus(await post(null), 401);
  const body = expectStatus<Summary>(await post(owner.token), 201);
  assert.deepEqual([by(body), body.user_has_approved], [[], false]);
  expectStatus(await post(owner.token), 404);
  expectStatus(await approve(path, owner.token), 201);
  await app.deps.db.updateTable('merge_requests').set({ state: 'merged' }).where('id', '=', mergeRequest.id).execute();
  expectStatus(await post(owner.token), 401);
});

test('what is merged or closed, or in an archived project, is not approved', async () => {
  for (const state of ['merged', 'closed'] as const) {
    const { owner, path, approvals } = await world({ state });
    await refusedApproval(path, owner.token);
    assert.equal((await approvals()).user_can_approve, false);
  }
  const { project, owner, path } = await world();
  await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
  await refusedApproval(path, owner.token);
});

test('bots reset approvals, people do not', async () => {
  const { project, owner, maintainer, path, mergeRequest, approvals } = await world();
  expectStatus(await approve(path, owner.token), 201);
  const makeBot = async (access_level: number) => {
    const json = { name: 'bot', scopes: ['api'], access_level, expires_at: '2027-01-01' };
    const made = await app.post(`/projects/${project.id}/access_tokens`, { json });
    return expectStatus<{ token: string }>(made, 201).token;
  };
  const [bot, weak] = [await makeBot(30), await makeBot(20)];
  const reset = (token: string | null) => app.put(`${path}/reset_approvals`, { token });
  for (const token of [owner.token, maintainer.token, weak, null]) expectStatus(await reset(token), 401);
  expectStatus(await app.put(`${path}/reset_approvals`), 401);
  assert.deepEqual(by(await approvals()), [owner.user.id]);
  const response = await reset(bot);
  assert.deepEqual([response.statusCode, response.json()], [202, { message: '202 Accepted' }]);
  assert.deepEqual(by(await approvals()), []);
  expectStatus(await reset(bot), 202);
  await app.deps.db.updateTable('merge_requests').set({ state: 'merged' }).where('id', '=', mergeRequest.id).execute();
  expectStatus(await reset(bot), 401);
});

test('approval_state tells of each rule', async () => {
  const { project, owner, maintainer, path } = await world();
  const any = await addRule(project, { name: 'All Members', approvals_required: 1 });
  const regular = await addRule(project, { name: 'r', approvals_required: 1, user_ids: [owner.user.id] });
  expectStatus(await approve(path, maintainer.token), 201);
  const body = expectStatus<{ approval_rules_overwritten: boolean; rules: Record<string, unknown>[] }>(
    await app.get(`${path}/approval_state`, { token: maintainer.token }),
    200,
  );
  assert.equal(body.approval_rules_overwritten, false);
  const shown = body.rules.map(
    ({ id, rule_type, approved, approved_by, code_owner, source_rule, overridden, section }) => ({
      id,
      rule_type,
      approved,
      approved_by: (approved_by as { id: number }[]).map((user) => user.id),
      rest: [code_owner, source_rule, overridden, section],
    }),
  );
  const rest = [false, { approvals_required: 1 }, false, null];
  assert.deepEqual(shown, [
    { id: any, rule_type: 'any_approver', approved: true, approved_by: [maintainer.user.id], rest },
    { id: regular, rule_type: 'regular', approved: false, approved_by: [], rest },
  ]);
});

test('the old way to ask for a number of approvals is gone; the merge request itself still takes it', async () => {
  const { project, developer, owner, path, approvals } = await world();
  for (const options of [{ token: developer.token }, { token: owner.token }, {}]) {
    const refused = await app.post(`${path}/approvals`, { json: { approvals_required: 3 }, ...options });
    assert.deepEqual(expectStatus(refused, 404), { error: '404 Not Found', message: '404 Not Found' });
  }
  const { headers } = await app.get(`${path}/approvals`);
  assert.equal(headers.deprecation !== undefined, true);
  expectStatus(await app.put(`${path}/approvals`, { json: {} }), 405);
  const before = (approvals_before_merge: number) =>
    app.put(path, { token: owner.token, json: { approvals_before_merge } });
  expectStatus(await before(3), 200);
  const body = await approvals();
  assert.deepEqual([body.approvals_required, body.approvals_left, body.has_approval_rules], [3, 3, false]);
  await configure(project, { disable_overriding_approvers_per_merge_request: true });
  assert.equal((await approvals()).approvals_required, 0);
});

test('a plan without approval rules shows who has approved, and nothing of rules', async () => {
  const { project, maintainer, owner, path } = await world();
  await addRule(project, { name: 'r', approvals_required: 2, user_ids: [maintainer.user.id, owner.user.id] });
  const shown = async () => {
    app.deps.config.plan = 'free';
    try {
      return expectStatus<Summary>(await app.get(`${path}/approvals`, { token: maintainer.token }), 200);
    } finally {
      app.deps.config.plan = 'ultimate';
    }
  };
  const none = { user_has_approved: false, user_can_approve: false, approved: false, approved_by: [] };
  assert.deepEqual(await shown(), none);
  expectStatus(await approve(path, maintainer.token), 201);
  const { approved_by, ...rest } = await shown();
  assert.deepEqual(rest, { user_has_approved: true, user_can_approve: false, approved: true });
  assert.deepEqual(by({ approved_by } as Summary), [maintainer.user.id]);
});
