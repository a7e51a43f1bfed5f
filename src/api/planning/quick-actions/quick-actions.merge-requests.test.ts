import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { TestIssuable, usernamesOf } from '../../../../test/support/quick-actions.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';

type Row = Record<string, unknown>;
let app: TestApp;
let project: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
let git: ProjectGit;
let row: MergeRequest;
let head: string;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  users = await app.make.members(project);
  git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n' });
  git.commit('other', { 'c.txt': 'c\n' }, { start: base });
  head = git.commit('side', { 'b.txt': 'b\n' }, { start: base });
  row = await makeMergeRequest(app, project, { source_branch: 'side', author_id: users.developer.user.id });
});

const path = () => `/projects/${project.id}/merge_requests/${row.iid}`;
const as = (user: TestUser) => ({ token: user.token });
const on = () => new TestIssuable(app, path());

describe('notes', () => {
  test('change state, title, draft, lock, people and target branch', async () => {
    const { developer, maintainer } = users;
    const names = [developer, maintainer].map(({ user }) => user.username);
    assert.equal(
      await on().summaryOf(
        `/title New\n/draft\n/lock\n/assign @${names[0]} @${names[1]}\n/assign_reviewer @${names[1]}\n/target_branch other`,
      ),
      `Changed the title to "New". Marked this merge request as a draft. Locked the discussion. Assigned @${names[0]} and @${names[1]}. Assigned @${names[1]} as reviewer. Set target branch to other.`,
    );
    const now = await on().shown();
    assert.deepEqual(
      [
        now.title,
        now.draft,
        now.discussion_locked,
        usernamesOf(now.assignees),
        usernamesOf(now.reviewers),
        now.target_branch,
      ],
      ['Draft: New', true, true, names, [names[1]], 'other'],
    );
    assert.equal(
      await on().summaryOf('/ready\n/draft\n/unlock'),
      'Marked this merge request as ready. Marked this merge request as a draft. Unlocked the discussion.',
    );
    assert.equal(await on().summaryOf('/draft'), "No change to this merge request's draft status.");
    assert.equal(await on().summaryOf('/ready'), 'Marked this merge request as ready.');
    assert.equal(await on().summaryOf('/target_branch none'), 'Failed to set target branch because it does not exist.');
    assert.equal(
      await on().summaryOf('/target_branch side'),
      "You can't use same project/branch for source and target",
    );
    assert.equal(
      await on().summaryOf(`/reassign @${names[0]}\n/reassign_reviewer me`),
      `Changed assignees to @${names[0]}. Changed reviewers to @root.`,
    );
    assert.equal(
      await on().summaryOf('/unassign\n/remove_reviewer me'),
      `Removed assignee @${names[0]}. Removed reviewer @root.`,
    );
    assert.equal(await on().summaryOf('/unassign_reviewer'), 'Could not apply unassign_reviewer command.');
    assert.equal(await on().summaryOf('/close'), 'Closed this merge request.');
    assert.equal((await on().shown()).state, 'closed');
    assert.equal(
      await on().summaryOf('/reopen\n/estimate 1h\n/subscribe\n/confidential'),
      'Reopened this merge request. Set time estimate to 1h. Subscribed to notifications. Could not apply confidential command.',
    );
    assert.equal((await on().shown()).state, 'opened');
  });

  test('are refused to those who may not', async () => {
    const all =
      '/close\n/title x\n/draft\n/merge\n/rebase\n/target_branch other\n/assign me\n/reviewer me\n/label x\n/lock';
    const summary = await on().summaryOf(all, users.reporter, { merge_request_diff_head_sha: head });
    assert.equal(summary.match(/Could not apply/g)!.length, 10);
    assert.deepEqual([(await on().shown()).state, (await on().shown()).target_branch], ['opened', 'main']);
    expectStatus(await on().say(all, users.guest), 403);
    expectStatus(await on().say(all, users.stranger), 404);
  });

  test('a second one between the same branches is told of', async () => {
    expectStatus(await on().say('/close'), 202);
    const second = await makeMergeRequest(app, project, { source_branch: 'side' });
    assert.equal(
      await on().summaryOf('/reopen\n/title Kept?'),
      `Another open merge request already exists for this source branch: !${second.iid}`,
    );
    assert.equal((await on().shown()).state, 'closed');
  });

  test('whom the merge request is closed to is no reviewer, and told of', async () => {
    const [stranger, reporter] = [users.stranger, users.reporter].map(({ user }) => `@${user.username}`);
    const refused = `Failed to request a review from ${stranger} because they cannot see this merge request.`;
    for (const name of ['reviewer', 'request_review', 'reassign_reviewer']) {
      assert.equal(await on().summaryOf(`/${name} ${stranger}`), refused);
    }
    assert.equal(
      await on().summaryOf(`/reviewer ${stranger} ${reporter}`),
      `Assigned ${reporter} as reviewer. ${refused}`,
    );
    assert.equal(await on().summaryOf(`/reassign_reviewer ${stranger}`), refused);
    assert.deepEqual(usernamesOf((await on().shown()).reviewers), [users.reporter.user.username]);
    assert.equal(
      await on().summaryOf(`/assign ${stranger}`),
      `Failed to assign ${stranger} because they cannot see this merge request.`,
    );
  });

  test('a review is asked for again', async () => {
    const { maintainer } = users;
    expectStatus(await on().say(`/reviewer @${maintainer.user.username}`), 202);
    expectStatus(await on().say('/request_changes', maintainer), 202);
    const states = async () => expectStatus<Row[]>(await app.get(`${path()}/reviewers`), 200).map(({ state }) => state);
    assert.deepEqual(await states(), ['requested_changes']);
    assert.equal(
      await on().summaryOf(`/request_review @${maintainer.user.username}`),
      `Requested a review from @${maintainer.user.username}.`,
    );
    assert.deepEqual(await states(), ['unreviewed']);
    assert.match(await on().summaryOf('/request_changes'), /can only be set by a reviewer/);
  });
});

describe('merging', () => {
  const seen = () => ({ merge_request_diff_head_sha: head });

  test('takes the head that the writer has seen', async () => {
    assert.equal(
      await on().summaryOf('/merge'),
      'The `/merge` quick action requires the SHA of the head of the branch.',
    );
    const other = { merge_request_diff_head_sha: 'a'.repeat(40) };
    assert.equal(
      await on().summaryOf('/merge', undefined, other),
      'Branch has been updated since the merge was requested.',
    );
    assert.equal((await on().shown()).state, 'opened');
    const note = expectStatus<Row>(await on().say('Ship it\n/merge', users.maintainer, seen()), 201);
    assert.deepEqual([note.body, note.commands_changes], ['Ship it', { merge: head }]);
    const now = await on().shown();
    assert.deepEqual([now.state, (now.merged_by as Row).username], ['merged', users.maintainer.user.username]);
    assert.equal(await on().summaryOf('/merge', undefined, seen()), 'Could not apply merge command.');
  });

  test('that git fails at is reported beside the note, which is not written twice', async () => {
    const { dir } = repositoryOf(app.deps, project);
    writeFileSync(join(dir, 'refs/heads/main.lock'), '');
    const note = expectStatus<Row>(await on().say('Ship it\n/merge', users.maintainer, seen()), 201);
    assert.deepEqual([note.body, note.commands_changes], ['Ship it', {}]);
    assert.equal(await on().summaryOf('/merge', undefined, seen()), 'Could not apply merge command. Try again later.');
    rmSync(join(dir, 'refs/heads/main.lock'));
    writeFileSync(join(dir, 'refs/tags/v1.lock'), '');
    const comments = `/projects/${project.id}/repository/commits/${head}/comments`;
    expectStatus(await app.post(comments, { json: { note: 'As such\n/tag v1' } }), 201);
    rmSync(join(dir, 'refs/tags/v1.lock'));
    assert.equal(await on().summaryOf('/merge', undefined, seen()), 'Merged this merge request.');
    assert.deepEqual(await on().bodies(), ['Ship it']);
  });

  test('waits for a pipeline that runs', async () => {
    await makePipeline(app, project, { columns: { ref: 'side', sha: head, status: 'running' } });
    assert.equal(
      await on().summaryOf('/merge', undefined, seen()),
      'Scheduled to merge this merge request (Merge when checks pass).',
    );
    const now = await on().shown();
    assert.deepEqual([now.state, now.merge_when_pipeline_succeeds], ['opened', true]);
  });

  test('of a draft waits as well; after a rebase nothing is merged', async () => {
    expectStatus(await on().say('/draft'), 202);
    assert.match(await on().summaryOf('/merge', undefined, seen()), /^Scheduled to merge/);
    git.commit('main', { 'd.txt': 'd\n' });
    const summary = await on().summaryOf('/rebase\n/merge', undefined, seen());
    assert.match(summary, /^Scheduled a rebase of branch side\. /);
    await app.drain();
    assert.notEqual(git.run(['rev-parse', 'side']), head);
    assert.equal((await on().shown()).state, 'opened');
  });

  test('is closed to whom a protected target branch is', async () => {
    const json = { name: 'main', merge_access_level: 40, push_access_level: 40 };
    expectStatus(await app.post(`/projects/${project.id}/protected_branches`, { json }), 201);
    assert.equal(await on().summaryOf('/merge', users.developer, seen()), 'Could not apply merge command.');
    assert.equal(await on().summaryOf('/merge', users.maintainer, seen()), 'Merged this merge request.');
  });
});

describe('reviews', () => {
  const draft = async (note: string, user: TestUser) =>
    expectStatus<Row>(await app.post(`${path()}/draft_notes`, { json: { note }, ...as(user) }), 201);
  const comments = async () =>
    expectStatus<Row[]>(
      await app.get(`${path()}/notes`, { query: { activity_filter: 'only_comments', sort: 'asc' } }),
      200,
    ).map(({ body }) => body);

  test('approving, and taking it back', async () => {
    assert.equal(await on().summaryOf('/approve', users.maintainer), 'Approved the current merge request.');
    const approvals = () => app.get(`${path()}/approvals`);
    assert.equal((expectStatus<Row>(await approvals(), 200).approved_by as Row[]).length, 1);
    assert.equal(await on().summaryOf('/approve', users.maintainer), 'Could not apply approve command.');
    assert.equal(await on().summaryOf('/unapprove', users.maintainer), 'Unapproved the current merge request.');
    assert.equal((expectStatus<Row>(await approvals(), 200).approved_by as Row[]).length, 0);
    assert.equal(await on().summaryOf('/unapprove', users.maintainer), 'Could not apply unapprove command.');
    assert.equal(await on().summaryOf('/approve', users.developer), 'Could not apply approve command.');
  });

  test('drafts act once they are published, and not before', async () => {
    await draft('First\n/label x\n/title Reviewed', users.maintainer);
    await draft('/draft', users.maintainer);
    await draft('/submit_review', users.maintainer);
    assert.notEqual((await on().shown()).title, 'Reviewed');
    expectStatus(
      await app.post(`${path()}/draft_notes/bulk_publish`, {
        json: { note: 'All\n/approve' },
        ...as(users.maintainer),
      }),
      204,
    );
    assert.deepEqual(await comments(), ['First', 'All']);
    assert.equal((await on().shown()).title, 'Draft: Reviewed');
    assert.equal((expectStatus<Row>(await app.get(`${path()}/approvals`), 200).approved_by as Row[]).length, 1);
    for (let each = 0; each < 3; each += 1) await draft(`Many\n${'/title Many\n'.repeat(60)}`, users.maintainer);
    expectStatus(await app.post(`${path()}/draft_notes/bulk_publish`, { json: {}, ...as(users.maintainer) }), 204);
    assert.equal((await comments()).length, 5);
    const one = await draft('Alone\n/close', users.maintainer);
    expectStatus(await app.put(`${path()}/draft_notes/${one.id}/publish`, as(users.maintainer)), 204);
    assert.equal((await on().shown()).state, 'closed');
  });

  test('are submitted by a note', async () => {
    await draft('Waits\n/title By review', users.maintainer);
    assert.equal(await on().summaryOf('/submit_review', users.maintainer), 'Submitted the current review.');
    assert.deepEqual([await comments(), (await on().shown()).title], [['Waits'], 'By review']);
    await draft('More', users.maintainer);
    assert.equal(
      await on().summaryOf('/approve', users.maintainer),
      'Submitted the current review. Approved the current merge request.',
    );
    assert.deepEqual(await comments(), ['Waits', 'More']);
    await draft('Last', users.reporter);
    assert.equal(
      await on().summaryOf('/submit_review requested_changes', users.reporter),
      'reviewer_state can only be set by a reviewer of the merge request',
    );
    assert.deepEqual(await comments(), ['Waits', 'More']);
    expectStatus(await on().say('/unapprove', users.maintainer), 202);
    assert.equal(
      await on().summaryOf('/submit_review approve', users.maintainer),
      'Submitted the current review. Approved the current merge request.',
    );
  });
});

describe('descriptions', () => {
  test('of new ones act and leave the text', async () => {
    const description =
      'Why\n/draft\n/target_branch main\n/assign me\n/reviewer @root\n/estimate 2h\n/close\n/merge\n/title x';
    const json = { source_branch: 'other', target_branch: 'side', title: 'New', description };
    const made = expectStatus<Row>(
      await app.post(`/projects/${project.id}/merge_requests`, { json, ...as(users.developer) }),
      201,
    );
    assert.deepEqual(
      [
        made.title,
        made.description,
        made.target_branch,
        made.state,
        usernamesOf(made.assignees),
        usernamesOf(made.reviewers),
      ],
      ['Draft: New', 'Why', 'main', 'opened', [users.developer.user.username], ['root']],
    );
    assert.equal((made.time_stats as Row).time_estimate, 7_200);
  });

  test('that are changed act and leave the text', async () => {
    const json = { description: 'Text\n/ready\n/target_branch other\n/close', title: 'Draft: Given' };
    const changed = expectStatus<Row>(await app.put(path(), { json }), 200);
    assert.deepEqual(
      [changed.description, changed.title, changed.target_branch, changed.state],
      ['Text', 'Given', 'other', 'closed'],
    );
    const again = expectStatus<Row>(await app.put(path(), { json: { description: '/reopen' } }), 200);
    assert.deepEqual([again.description, again.state], ['', 'opened']);
    expectStatus(await app.put(path(), { json: { labels: 'bug,low,high' } }), 200);
    const fewer = { remove_labels: 'bug', description: '/unlabel ~low' };
    assert.deepEqual(expectStatus<Row>(await app.put(path(), { json: fewer }), 200).labels, ['high']);
  });
});

describe('issues and commits', () => {
  test('a branch and a draft are made for an issue', async () => {
    const { iid } = expectStatus<Row>(
      await app.post(`/projects/${project.id}/issues`, { json: { title: 'Käse, bitte!' } }),
      201,
    );
    const issue = new TestIssuable(app, `/projects/${project.id}/issues/${iid}`);
    assert.deepEqual(expectStatus<Row>(await issue.say('/create_merge_request'), 202).summary, [
      'Created a branch and a merge request to resolve this issue.',
    ]);
    const [made] = expectStatus<Row[]>(await app.get(`/projects/${project.id}/merge_requests`), 200);
    assert.deepEqual(
      [made!.source_branch, made!.target_branch, made!.title, made!.description],
      [`${iid}-ka-se-bitte`, 'main', 'Draft: Resolve "Käse, bitte!"', `Closes #${iid}`],
    );
    assert.deepEqual(expectStatus<Row>(await issue.say('/create_merge_request side'), 202), {
      commands_changes: {},
      summary: ['Branch already exists'],
    });
    assert.deepEqual(expectStatus<Row>(await issue.say('/create_merge_request', users.reporter), 202).summary, [
      'Could not apply create_merge_request command.',
    ]);
  });

  test('a commit is tagged', async () => {
    const sha = git.run(['rev-parse', 'main']);
    const comments = `/projects/${project.id}/repository/commits/${sha}`;
    const response = expectStatus<Row>(
      await app.post(`${comments}/comments`, { json: { note: '/tag v1 First one' }, ...as(users.developer) }),
      202,
    );
    assert.deepEqual(response, {
      commands_changes: { tag_name: 'v1', tag_message: 'First one' },
      summary: ['Tagged this commit to v1 with "First one".'],
    });
    assert.equal(git.run(['rev-parse', 'v1^{commit}']), sha);
    const say = (body: string, user = users.maintainer) =>
      app.post(`${comments}/discussions`, { json: { body }, ...as(user) });
    assert.deepEqual(expectStatus<Row>(await say('/tag v1'), 202), {
      commands_changes: {},
      summary: ['Tag v1 already exists'],
    });
    const thread = expectStatus<Row>(await say('Good\n/tag v2\n/close'), 201);
    assert.equal((thread.notes as Row[])[0]!.body, 'Good');
    assert.equal(git.run(['rev-parse', 'v2']), sha);
    assert.deepEqual(expectStatus<Row>(await say('/tag v3', users.reporter), 202).summary, [
      'Could not apply tag command.',
    ]);
    assert.equal(
      expectStatus<Row>(await app.post(`${comments}/comments`, { json: { note: 'Text' } }), 201).note,
      'Text',
    );
  });
});
