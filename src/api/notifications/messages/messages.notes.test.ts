import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import { makeMergeRequest } from '../../../../test/support/merge-request.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let mailed: MailedApp;
let project: Project;
let author: TestUser;
let reviewer: TestUser;
/** Address of the merge request below the API, and where its diff stands. */
let path: string;
let refs: object;
before(async () => {
  mailed = await MailedApp.open();
  const { app } = mailed;
  project = await app.make.project({ path: 'forge', visibility: 'public' });
  const git = new ProjectGit(app, project);
  git.commit('main', { 'a.txt': 'one\ntwo\nthree\n' });
  const start = git.run(['rev-parse', 'main']);
  git.commit('change', { 'a.txt': 'one\n2 <b>\nthree\nfour\n' }, { start });
  author = await app.make.user();
  reviewer = await app.make.user();
  for (const { user } of [author, reviewer]) await app.make.member({ project }, user, 30);
  const row = await makeMergeRequest(app, project, { source_branch: 'change', author_id: author.user.id });
  path = `/projects/${project.id}/merge_requests/${row.iid}`;
  const { diff_refs } = expectStatus<{ diff_refs: object }>(await app.get(path), 200);
  refs = diff_refs;
});
after(() => mailed.close());

const position = (line: number) => ({
  ...refs,
  position_type: 'text',
  old_path: 'a.txt',
  new_path: 'a.txt',
  new_line: line,
});
const post = (of: string, json: object, by = reviewer) => mailed.app.post(`${path}${of}`, { token: by.token, json });

test('a comment on a diff is mailed with the lines that it is about', async () => {
  const mails = await mailed.sentBy(() => post('/discussions', { body: 'Why?', position: position(2) }));
  assert.deepEqual(addressees(mails), addresses(author));
  const { headers, parts } = mailTo(mails, author);
  assert.match(parts[0]!.text, /On a\.txt:2:\n\n> {2}one\n> -two\n> \+2 <b>\n\nWhy\?/);
  assert.doesNotMatch(parts[0]!.text, /four/);
  assert.match(parts[1]!.text, /<pre[^>]*> one\n-two\n\+2 &lt;b&gt;<\/pre>/);
  assert.match(headers.subject!, /^Re: forge \| Merge change \(!1\)$/);
  assert.match(headers['x-gitlab-mergerequest-iid']!, /^1$/);
});

test('a review that is published is one mail, with all that was said', async () => {
  const named = await mailed.app.make.user();
  for (const json of [
    { note: 'The first', position: position(2) },
    { note: `The second, @${named.user.username}`, position: position(4) },
    { note: 'In general' },
  ]) {
    expectStatus(await post('/draft_notes', json), 201);
  }
  const mails = await mailed.sentBy(async () =>
    expectStatus(await post('/draft_notes/bulk_publish', { note: 'All in all' }), 204),
  );
  assert.deepEqual(addressees(mails), addresses(author, named));
  const text = mailTo(mails, author).parts[0]!.text;
  for (const pattern of [/> \+2 <b>\n\nThe first/, /> \+four\n\nThe second/, /In general/, /All in all/]) {
    assert.match(text, pattern);
  }
  assert.equal(mailTo(mails, named).headers['x-gitlab-notificationreason'], 'mentioned');
  expectStatus(await post('/draft_notes', { note: 'One alone' }), 201);
  const [draft] = expectStatus<{ id: number }[]>(
    await mailed.app.get(`${path}/draft_notes`, { token: reviewer.token }),
    200,
  );
  const single = await mailed.sentBy(() => mailed.app.put(`${path}/draft_notes/${draft!.id}/publish`, reviewer));
  assert.match(mailTo(single, author).parts[0]!.text, /commented:\n\nOne alone/);
});

test('what is internal in a review is for those who may read it', async () => {
  const planner = await mailed.app.make.user();
  await mailed.app.make.member({ project }, planner.user, 15);
  const outsider = await mailed.app.make.user();
  for (const user of [planner, outsider]) await mailed.setLevel(user, 'watch', `/projects/${project.id}`);
  expectStatus(await post('/draft_notes', { note: 'For all' }), 201);
  const mails = await mailed.sentBy(async () =>
    expectStatus(await post('/draft_notes/bulk_publish', { note: 'Between us', internal: true }), 204),
  );
  const texts = (user: TestUser) =>
    mails.filter(({ to }) => to.includes(user.user.email)).map(({ parts }) => parts[0]!.text);
  assert.equal(texts(outsider).length, 1);
  assert.match(texts(outsider)[0]!, /For all/);
  assert.doesNotMatch(texts(outsider).join(), /Between us/);
  assert.match(texts(planner).join(), /Between us/);
  for (const user of [planner, outsider]) await mailed.setLevel(user, 'global', `/projects/${project.id}`);
});

test('a comment that is removed before its mail is made is not mailed', async () => {
  const mails = await mailed.sentBy(async () => {
    const { id } = expectStatus<{ id: number }>(await post('/notes', { body: 'A slip' }), 201);
    expectStatus(await mailed.app.delete(`${path}/notes/${id}`, { token: reviewer.token }), 204);
  });
  assert.deepEqual(mails, []);
});

test('comments on commits and snippets are mailed to who wrote there before, with a thread of their own', async () => {
  const sha = expectStatus<{ id: string }[]>(
    await mailed.app.get(`/projects/${project.id}/repository/commits`, {}),
    200,
  )[0]!.id;
  const commit = `/projects/${project.id}/repository/commits/${sha}/comments`;
  const comment = (by: TestUser) =>
    mailed.sentBy(async () =>
      expectStatus(await mailed.app.post(commit, { token: by.token, json: { note: 'Hm' } }), 201),
    );
  assert.deepEqual(await comment(author), []);
  const mails = await comment(reviewer);
  assert.deepEqual(addressees(mails), addresses(author));
  const { headers } = mailTo(mails, author);
  assert.match(headers.subject!, new RegExp(`^Re: forge \\| .* \\(${sha.slice(0, 8)}\\)$`));
  assert.match(headers.references!, new RegExp(`^<commit_${sha}@forge\\.example\\.com>`));
  assert.equal(headers['list-unsubscribe'], undefined);
});

test('system notes, and what is written twice, are no mails', async () => {
  const mails = await mailed.sentBy(async () => {
    expectStatus(await mailed.app.put(path, { token: reviewer.token, json: { title: 'Another title' } }), 200);
  });
  assert.deepEqual(mails, []);
});

test('settings of the installation say what a mail looks like', async () => {
  const change = async (json: object) => expectStatus(await mailed.app.put('/application/settings', { json }), 200);
  await change({ html_emails_enabled: false, email_author_in_body: true, email_additional_text: 'For *us* only' });
  const mails = await mailed.sentBy(() => post('/notes', { body: 'Plain' }));
  const { parts } = mailTo(mails, author);
  assert.deepEqual(
    parts.map(({ type }) => type),
    ['text/plain'],
  );
  assert.match(parts[0]!.text, new RegExp(`^By ${reviewer.user.name} \\(@${reviewer.user.username}\\)`));
  assert.match(parts[0]!.text, /For \*us\* only\s*$/);
  await change({ html_emails_enabled: true, email_author_in_body: false, email_additional_text: '' });
});
