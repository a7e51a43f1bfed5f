import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Request {
  id: number;
  iid: number;
}
let mailed: MailedApp;
let project: Project;
let git: ProjectGit;
let author: TestUser;
let boss: TestUser;
let watcher: TestUser;
let custom: TestUser;
let count = 0;
before(async () => {
  mailed = await MailedApp.open();
  const { app } = mailed;
  project = await app.make.project({ path: 'forge', visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  [author, boss, watcher, custom] = [await member(), await member(), await member(), await member()];
  await mailed.setLevel(watcher, 'watch');
  await mailed.setLevel(custom, 'custom', '', { push_to_merge_request: true, merge_merge_request: true });
});
after(() => mailed.close());

async function member(): Promise<TestUser> {
  const made = await mailed.app.make.user();
  await mailed.app.make.member({ project }, made.user, 40);
  return made;
}
const path = (request?: Request) =>
  `/projects/${project.id}/merge_requests${request === undefined ? '' : `/${request.iid}`}`;
async function open(json: object = {}, by = author, files: Record<string, string> = {}): Promise<Request> {
  count += 1;
  const source_branch = `change-${count}`;
  git.commit(source_branch, { [`${source_branch}.txt`]: 'x\n', ...files }, { start: git.run(['rev-parse', 'main']) });
  const body = { source_branch, target_branch: 'main', title: 'Change', ...json };
  return expectStatus<Request>(await mailed.app.post(path(), { token: by.token, json: body }), 201);
}
const put = async (request: Request, json: object, by = boss) =>
  expectStatus(await mailed.app.put(path(request), { token: by.token, json }), 200);
const post = async (request: Request, what: string, by = boss, json: object = {}) =>
  expectStatus(await mailed.app.post(`${path(request)}/${what}`, { token: by.token, json }), 201);

test('a new merge request is mailed to assignees, reviewers, those who are named and those who watch', async () => {
  const [assignee, reviewer, named] = [await member(), await member(), await member()];
  let made: Request | undefined;
  const mails = await mailed.sentBy(async () => {
    made = await open({
      title: 'Better',
      description: `@${named.user.username}`,
      assignee_ids: [assignee.user.id],
      reviewer_ids: [reviewer.user.id],
    });
  });
  assert.deepEqual(addressees(mails), addresses(assignee, reviewer, named, watcher));
  const { headers, parts } = mailTo(mails, reviewer);
  assert.equal(headers.subject, `forge | Better (!${made!.iid})`);
  assert.equal(headers['message-id'], `<merge_request_${made!.id}@forge.example.com>`);
  assert.equal(headers['x-gitlab-notificationreason'], 'review_requested');
  assert.equal(headers['x-gitlab-mergerequest-id'], String(made!.id));
  assert.equal(headers['x-gitlab-mergerequest-state'], 'opened');
  assert.match(parts[0]!.text, /Merges change-1 into main\./);
  assert.match(parts[0]!.text, new RegExp(`Review requested from ${reviewer.user.name}\\.`));
});

test('a new merge request is mailed to those who may approve it where they asked for that', async () => {
  const [asked, silent, watching] = [await member(), await member(), await member()];
  await mailed.setLevel(asked, 'custom', '', { approver: true });
  await mailed.setLevel(silent, 'custom', '', { approver: false });
  await mailed.setLevel(watching, 'watch', '', { approver: true });
  const rule = {
    name: 'Security',
    approvals_required: 1,
    user_ids: [asked, silent, author].map(({ user }) => user.id),
  };
  const { id } = expectStatus<{ id: number }>(
    await mailed.app.post(`/projects/${project.id}/approval_rules`, { json: rule }),
    201,
  );
  const mails = await mailed.sentBy(() => open({ title: 'Careful' }));
  assert.deepEqual(addressees(mails), addresses(asked, watcher, watching));
  assert.match(mailTo(mails, asked).parts[0]!.text, /opened a merge request that you can approve: Careful/);
  assert.doesNotMatch(mailTo(mails, watching).parts[0]!.text, /can approve/);
  expectStatus(await mailed.app.delete(`/projects/${project.id}/approval_rules/${id}`), 204);
  const without = await mailed.sentBy(() => open());
  assert.deepEqual(addressees(without), addresses(watcher, watching));
  for (const user of [asked, silent, watching]) await mailed.setLevel(user, 'disabled');
});

test('a push is mailed with its commits, to those who take part and to no watchers', async () => {
  const request = await open();
  const mails = await mailed.sentBy(async () => {
    const options = { token: boss.token, branch: `change-${count}`, commit_message: 'Paint <it>\n\nIn blue' };
    await commitFiles(mailed.app, project.id, { 'b.txt': 'b' }, options);
  });
  assert.deepEqual(addressees(mails), addresses(author, custom));
  const { headers, parts } = mailTo(mails, author);
  assert.match(parts[0]!.text, /pushed to change-\d+\.\n\n[0-9a-f]{8} Paint <it>\n/);
  assert.match(parts[1]!.text, /Paint &lt;it&gt;/);
  assert.equal(headers['in-reply-to'], `<merge_request_${request.id}@forge.example.com>`);
});

test('closing, opening again, approving, taking it back and merging are mailed', async () => {
  const request = await open();
  const mailedBy = async (work: () => Promise<unknown>) => {
    const mails = await mailed.sentBy(work);
    return [addressees(mails), mailTo(mails, author).parts[0]!.text.split('\n')[0]] as const;
  };
  const usual = addresses(author, watcher);
  const who = boss.user.name;
  assert.deepEqual(await mailedBy(() => put(request, { state_event: 'close' })), [
    usual,
    `${who} closed the merge request.`,
  ]);
  assert.deepEqual(await mailedBy(() => put(request, { state_event: 'reopen' })), [
    usual,
    `${who} reopened the merge request.`,
  ]);
  const [to, approved] = await mailedBy(() => post(request, 'approve'));
  assert.deepEqual(to, usual);
  assert.match(approved!, new RegExp(`^${who} approved the merge request\\.`));
  const [, unapproved] = await mailedBy(() => post(request, 'unapprove'));
  assert.equal(unapproved, `${who} unapproved the merge request.`);
  const [, drafted] = await mailedBy(() => put(request, { title: 'Draft: Change' }));
  assert.equal(drafted, `${who} marked the merge request as a draft.`);
  await mailed.sentBy(() => put(request, { title: 'Change' }));
  const merged = await mailedBy(async () =>
    expectStatus(await mailed.app.put(`${path(request)}/merge`, { token: boss.token }), 200),
  );
  assert.deepEqual(merged, [addresses(author, watcher, custom), `${who} merged the merge request.`]);
});

test('new reviewers are asked, and assignees told', async () => {
  const [first, second] = [await member(), await member()];
  const request = await open({ reviewer_ids: [first.user.id] });
  const mails = await mailed.sentBy(() => put(request, { reviewer_ids: [second.user.id] }));
  assert.deepEqual(addressees(mails), addresses(author, first, second, watcher));
  assert.equal(mailTo(mails, second).headers['x-gitlab-notificationreason'], 'review_requested');
  assert.match(mailTo(mails, first).parts[0]!.text, /changed reviewers from .* to /);
});

test('an author is told that there are conflicts, and nobody else', async () => {
  const request = await open({}, author, { 'a.txt': 'theirs\n' });
  await mailed.app.drain();
  const mails = await mailed.sentBy(async () => {
    const actions = [{ action: 'update', file_path: 'a.txt', content: 'ours\n' }];
    await commitFiles(mailed.app, project.id, actions, { token: boss.token });
    await mailed.app.drain();
    expectStatus(await mailed.app.get(path(request), { token: boss.token }), 200);
  });
  assert.deepEqual(addressees(mails), addresses(author));
  assert.match(mailTo(mails, author).parts[0]!.text, /can no longer be merged into main due to conflicts/);
});

test('merge requests are for who may read them', async () => {
  const { make } = mailed.app;
  const outsider = await make.user();
  await mailed.setLevel(outsider, 'watch', `/projects/${project.id}`);
  const hide = (merge_requests_access_level: 'private' | 'enabled') =>
    mailed.app.deps.db
      .updateTable('projects')
      .set({ merge_requests_access_level })
      .where('id', '=', project.id)
      .execute();
  await hide('private');
  assert.deepEqual(addressees(await mailed.sentBy(() => open())), addresses(watcher));
  await hide('enabled');
  assert.deepEqual(addressees(await mailed.sentBy(() => open())), addresses(watcher, outsider));
});
