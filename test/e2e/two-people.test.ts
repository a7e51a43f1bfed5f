import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, type TestApp } from '../support/app.ts';
import { cloneUrl, mustGit } from '../support/git-client.ts';

/** Two people work on one change with git and an unmodified client, while the server does its background work. */
type Client = InstanceType<typeof Gitlab<false>>;

let app: TestApp;
let folder: string;
let url: string;
let ada: Client;
let ben: Client;
let work: string;
let projectId: number;

before(async () => {
  app = await buildTestApp();
  url = await app.listen();
  app.deps.jobs.start();
  folder = await mkdtemp(join(tmpdir(), 'stithy-two-people-'));
  const people = {
    ada: await app.make.user({ username: 'ada' }),
    ben: await app.make.user({ username: 'ben' }),
  };
  const group = await app.make.group({ path: 'team', owner: people.ben.user });
  await app.make.member({ group }, people.ada.user, 30);
  ada = new Gitlab({ host: url, token: people.ada.token });
  ben = new Gitlab({ host: url, token: people.ben.token });
  projectId = (await ben.Projects.create({ name: 'Tool', namespaceId: group.id, initializeWithReadme: true })).id;
  work = join(folder, 'tool');
  await mustGit(folder, ['clone', '--quiet', cloneUrl(url, 'team/tool', people.ada.token), work]);
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

/** Commits a file on the branch that is checked out and pushes it. @returns the commit's id */
async function push(text: string, message: string): Promise<string> {
  await writeFile(join(work, 'tool.txt'), text);
  await mustGit(work, ['add', '.']);
  await mustGit(work, ['commit', '--quiet', '-m', message]);
  await mustGit(work, ['push', '--quiet', 'origin', 'HEAD']);
  return mustGit(work, ['rev-parse', 'HEAD']);
}

/** Asks until the answer is what it shall be; the test's own limit ends what never comes. */
async function until<T>(ask: () => Promise<T>, good: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 400; tries += 1) {
    const answer = await ask();
    if (good(answer)) return answer;
    await pause(25);
  }
  throw new assert.AssertionError({ message: `it never came: ${JSON.stringify(await ask()).slice(0, 500)}` });
}

const settled = (iid: number, expected: string) =>
  until(
    () => ada.MergeRequests.show(projectId, iid),
    ({ detailed_merge_status }) => detailed_merge_status === expected,
  );

const approvals = (iid: number) =>
  ben.MergeRequestApprovals.showConfiguration(projectId, { mergerequestIId: iid }) as Promise<{
    approvals_left: number;
    approved_by: { user: { username: string } }[];
  }>;

const status = async (promise: Promise<unknown>): Promise<number> => {
  const error = await promise.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason as { cause: { response: Response } },
  );
  return error.cause.response.status;
};

/** What a person did, oldest first, as `action target`. */
async function feedOf(client: Client): Promise<string[]> {
  const events = await client.Events.all({ sort: 'asc', perPage: 100 });
  return events.map((event) => {
    const pushed = event.push_data as { ref: string; commit_count: number } | undefined;
    return `${event.action_name} ${pushed === undefined ? event.target_type : `${pushed.ref} ${pushed.commit_count}`}`;
  });
}

test('branch, push, review, approval, new push, approval again, merge, issue closed', async () => {
  await ben.MergeRequestApprovals.createApprovalRule(projectId, 'Review', 1, { userIds: [await idOf('ben')] });
  const issue = await ben.Issues.create(projectId, 'The tool lacks a text', { description: 'See @ada' });
  assert.equal(issue.iid, 1);

  await mustGit(work, ['switch', '--quiet', '-c', 'add-text']);
  const first = await push('text\n', 'Add a text');
  const request = await ada.MergeRequests.create(projectId, 'add-text', 'main', 'Add a text', {
    description: 'Closes #1',
    removeSourceBranch: true,
  });
  assert.equal(request.sha, first);
  await settled(request.iid, 'not_approved');
  assert.equal(await status(ben.MergeRequests.merge(projectId, request.iid)), 405);
  assert.equal(await status(ada.MergeRequests.merge(projectId, request.iid)), 401);
  assert.equal(await status(ada.MergeRequestApprovals.approve(projectId, request.iid)), 401);

  const versions = await until(
    () => ada.MergeRequests.allDiffVersions(projectId, request.iid),
    (all) => all.length === 1,
  );
  const version = versions[0]!;
  assert.equal(version.head_commit_sha, first);
  const discussion = await ben.MergeRequestDiscussions.create(projectId, request.iid, 'More text, please', {
    position: {
      baseSha: version.base_commit_sha,
      startSha: version.start_commit_sha,
      headSha: version.head_commit_sha,
      positionType: 'text',
      newPath: 'tool.txt',
      oldPath: 'tool.txt',
      newLine: '1',
    },
  });
  assert.equal(discussion.notes?.[0]?.type, 'DiffNote');
  await ben.MergeRequestApprovals.approve(projectId, request.iid, { sha: first });
  assert.equal((await approvals(request.iid)).approvals_left, 0);

  const second = await push('text\nmore text\n', 'Add more text');
  // At once: nothing of the background work is waited for.
  assert.equal((await approvals(request.iid)).approvals_left, 1);
  assert.equal(await status(ben.MergeRequestApprovals.approve(projectId, request.iid, { sha: first })), 409);
  await settled(request.iid, 'not_approved');
  assert.equal(await status(ben.MergeRequests.merge(projectId, request.iid)), 405);
  await ben.MergeRequestApprovals.approve(projectId, request.iid, { sha: second });
  await settled(request.iid, 'mergeable');

  const merged = await ben.MergeRequests.merge(projectId, request.iid, { sha: second });
  assert.equal(merged.state, 'merged');
  await mustGit(work, ['fetch', '--quiet', 'origin']);
  const [commit, , other] = (await mustGit(work, ['rev-list', '--parents', '-n1', 'origin/main'])).split(' ');
  assert.equal(merged.merge_commit_sha, commit);
  assert.equal(other, second, 'what was approved is what was merged');
  const closed = await until(
    () => ada.Issues.show(issue.iid, { projectId }),
    ({ state }) => state === 'closed',
  );
  assert.partialDeepStrictEqual(closed, { closed_by: { username: 'ben' } });
  const branches = await until(
    () => ada.Branches.all(projectId),
    (all) => all.length === 1,
  );
  assert.equal(branches[0]?.name, 'main');
  const notes = await ada.IssueNotes.all(projectId, issue.iid, { sort: 'asc', orderBy: 'created_at' });
  const bodies = notes.map(({ body }) => body);
  assert.ok(bodies.includes('mentioned in merge request !1'), bodies.join('\n'));
  assert.ok(
    bodies.some((body) => body.startsWith('closed via merge request !1')),
    bodies.join('\n'),
  );
});

test('the feeds of both tell it in order', async () => {
  const [theirs, mine] = [
    await until(
      () => feedOf(ben),
      (all) => all.includes('closed Issue'),
    ),
    await until(
      () => feedOf(ada),
      (all) => all.length >= 3,
    ),
  ];
  assert.deepEqual(mine, ['pushed new add-text 1', 'opened MergeRequest', 'pushed to add-text 1']);
  const order = ['created Project', 'opened Issue', 'commented on DiffNote', 'approved MergeRequest'];
  const actions = theirs.filter((line) => [...order, 'accepted MergeRequest', 'closed Issue'].includes(line));
  assert.deepEqual(actions, [...order, 'approved MergeRequest', 'accepted MergeRequest', 'closed Issue']);
});

async function idOf(username: string): Promise<number> {
  return (await ben.Users.all({ username }))[0]!.id;
}
