import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Issue {
  id: number;
  iid: number;
}
let mailed: MailedApp;
let group: Namespace;
let project: Project;
/** Who does things, and one of each level who is a member and takes part in nothing. */
let boss: TestUser;
const levels = {} as Record<'disabled' | 'mention' | 'participating' | 'watch' | 'custom', TestUser>;
before(async () => {
  mailed = await MailedApp.open();
  const { make } = mailed.app;
  group = await make.group({ path: 'acme', visibility: 'public' });
  project = await make.project({ namespace: group, path: 'forge', visibility: 'public' });
  boss = await member();
  for (const level of ['disabled', 'mention', 'participating', 'watch', 'custom'] as const) {
    levels[level] = await member();
    await mailed.setLevel(levels[level], level);
  }
});
after(() => mailed.close());

async function member(level = 40, of = project): Promise<TestUser> {
  const made = await mailed.app.make.user();
  await mailed.app.make.member({ project: of }, made.user, level);
  return made;
}
const path = (issue?: Issue, of = project) => `/projects/${of.id}/issues${issue === undefined ? '' : `/${issue.iid}`}`;
async function open(json: object = {}, by = boss, of = project): Promise<Issue> {
  return expectStatus<Issue>(
    await mailed.app.post(path(undefined, of), { token: by.token, json: { title: 'Leak', ...json } }),
    201,
  );
}
const put = async (issue: Issue, json: object, by = boss) =>
  expectStatus(await mailed.app.put(path(issue), { token: by.token, json }), 200);
const note = async (issue: Issue, json: object, by = boss) =>
  expectStatus(await mailed.app.post(`${path(issue)}/notes`, { token: by.token, json }), 201);

test('a new issue is mailed to whom it is given, who is named and who watches, with all that mail programs sort by', async () => {
  const [assignee, named] = [await member(), await member()];
  await mailed.setLevel(levels.custom, 'custom', '', { new_issue: true });
  let made: Issue | undefined;
  const mails = await mailed.sentBy(async () => {
    made = await open({
      title: 'Water <b>everywhere</b>',
      description: `See **this**, @${named.user.username} <script>alert(1)</script>`,
      assignee_ids: [assignee.user.id],
    });
  });
  assert.deepEqual(addressees(mails), addresses(assignee, named, levels.watch, levels.custom));
  const { headers, parts } = mailTo(mails, assignee);
  const host = 'forge.example.com';
  assert.equal(headers.subject, 'forge | Water <b>everywhere</b> (#1)');
  assert.equal(headers['message-id'], `<issue_${made!.id}@${host}>`);
  assert.equal(headers.references, `<issue_${made!.id}@${host}>`);
  assert.equal(headers['in-reply-to'], undefined);
  assert.match(
    headers.from!,
    new RegExp(`^"${boss.user.name} \\(@${boss.user.username}\\)" <noreply@forge.example.com>$`),
  );
  assert.equal(headers['list-id'], `acme/forge <${project.id}.forge.acme.${host}>`);
  assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
  assert.equal(headers['auto-submitted'], 'auto-generated');
  assert.deepEqual(
    [headers['x-gitlab-project'], headers['x-gitlab-project-id'], headers['x-gitlab-project-path']],
    ['forge', String(project.id), 'acme/forge'],
  );
  assert.deepEqual(
    [headers['x-gitlab-issue-id'], headers['x-gitlab-issue-iid'], headers['x-gitlab-issue-state']],
    [String(made!.id), '1', 'opened'],
  );
  assert.equal(headers['x-gitlab-confidentialissue'], 'false');
  assert.equal(headers['x-gitlab-notificationreason'], 'assigned');
  assert.equal(mailTo(mails, named).headers['x-gitlab-notificationreason'], 'mentioned');
  assert.equal(mailTo(mails, levels.watch).headers['x-gitlab-notificationreason'], undefined);
  const [plain, html] = parts;
  assert.deepEqual([plain!.type, html!.type], ['text/plain', 'text/html']);
  assert.match(plain!.text, /opened an issue: Water <b>everywhere<\/b>/);
  assert.match(plain!.text, /See \*\*this\*\*/);
  assert.match(plain!.text, /because you are an assignee/);
  assert.match(plain!.text, /View it: https:\/\/forge\.example\.com\/acme\/forge\/-\/issues\/1/);
  assert.match(html!.text, /Water &lt;b&gt;everywhere/);
  assert.match(html!.text, /<strong>this<\/strong>/);
  assert.doesNotMatch(html!.text, /<script/);
});

test('closing, opening again and giving an issue away are mailed as answers', async () => {
  const [author, first, second] = [await member(), await member(), await member()];
  await mailed.setLevel(levels.custom, 'custom', '', { close_issue: true, new_issue: false, reassign_issue: false });
  const issue = await open({ assignee_ids: [first.user.id] }, author);
  const closed = await mailed.sentBy(() => put(issue, { state_event: 'close' }));
  assert.deepEqual(addressees(closed), addresses(author, first, levels.watch, levels.custom));
  const { headers, parts } = mailTo(closed, author);
  assert.equal(headers.subject, `Re: forge | Leak (#${issue.iid})`);
  assert.equal(headers['in-reply-to'], `<issue_${issue.id}@forge.example.com>`);
  assert.equal(headers.references, `<issue_${issue.id}@forge.example.com>`);
  assert.match(headers['message-id']!, /^<[0-9a-f-]{36}@forge\.example\.com>$/);
  assert.equal(headers['x-gitlab-issue-state'], 'closed');
  assert.match(parts[0]!.text, /closed the issue/);
  const reopened = await mailed.sentBy(() => put(issue, { state_event: 'reopen' }));
  assert.deepEqual(addressees(reopened), addresses(author, first, levels.watch));
  const input = await mailed.sentBy(() => put(issue, { assignee_ids: [second.user.id] }));
  assert.deepEqual(addressees(input), addresses(author, first, second, levels.watch));
  assert.equal(mailTo(input, second).headers['x-gitlab-notificationreason'], 'assigned');
  assert.equal(mailTo(input, first).headers['x-gitlab-notificationreason'], undefined);
  assert.match(mailTo(input, first).parts[0]!.text, /changed assignees from .* to /);
});

test('who only wants to be told where they are named is told of being given something, and of nothing else', async () => {
  const issue = await open({ assignee_ids: [levels.mention.user.id, levels.disabled.user.id] });
  const closed = await mailed.sentBy(() => put(issue, { state_event: 'close' }));
  assert.deepEqual(addressees(closed).includes(levels.mention.user.email), false);
  const noted = await mailed.sentBy(() =>
    note(issue, { body: `@${levels.mention.user.username} and @${levels.disabled.user.username}` }),
  );
  assert.deepEqual(addressees(noted), addresses(levels.mention, levels.watch));
});

test('those who are named when a text is changed are told once, and nobody else', async () => {
  const [named, later] = [await member(), await member()];
  const issue = await open({ description: `@${named.user.username}` });
  const mails = await mailed.sentBy(() =>
    put(issue, { description: `@${named.user.username} and @${later.user.username}` }),
  );
  assert.deepEqual(addressees(mails), addresses(later));
  assert.equal(mailTo(mails, later).headers['x-gitlab-notificationreason'], 'mentioned');
});

test('one change of several things is one mail', async () => {
  const assignee = await member();
  const milestone = expectStatus<{ id: number }>(
    await mailed.app.post(`/projects/${project.id}/milestones`, { json: { title: 'Summer' } }),
    201,
  );
  const label = expectStatus<{ id: number }>(
    await mailed.app.post(`/projects/${project.id}/labels`, { json: { name: 'urgent', color: '#ff0000' } }),
    201,
  );
  const follower = await mailed.app.make.user();
  expectStatus(
    await mailed.app.post(`/projects/${project.id}/labels/${label.id}/subscribe`, { token: follower.token }),
    201,
  );
  const issue = await open();
  const mails = await mailed.sentBy(() =>
    put(issue, { assignee_ids: [assignee.user.id], milestone_id: milestone.id, labels: 'urgent' }),
  );
  assert.deepEqual(addressees(mails), addresses(assignee, levels.watch, follower));
  assert.match(mailTo(mails, assignee).parts[0]!.text, /changed assignees .*\n\n.*changed the milestone to Summer/);
  const followed = mailTo(mails, follower).parts[0]!.text;
  assert.match(followed, /added the label urgent/);
  assert.doesNotMatch(followed, /Summer/);
});

test('a comment is mailed to who takes part, and stands in its thread', async () => {
  const [author, talker] = [await member(), await member()];
  const issue = await open({}, author);
  const first = (await note(issue, { body: 'First' }, talker)) as { id: number };
  const mails = await mailed.sentBy(() => note(issue, { body: 'Second, with _style_' }));
  assert.deepEqual(addressees(mails), addresses(author, talker, levels.watch));
  const { headers, parts } = mailTo(mails, talker);
  const [, id] = /^<note_(\d+)@forge\.example\.com>$/.exec(headers['message-id']!) ?? [];
  assert.ok(Number(id) > first.id);
  assert.equal(headers['in-reply-to'], `<issue_${issue.id}@forge.example.com>`);
  assert.equal(headers['x-gitlab-note-id'], id);
  assert.match(headers['x-gitlab-discussion-id']!, /^[0-9a-f]{40}$/);
  assert.match(parts[0]!.text, /Second, with _style_/);
  assert.match(parts[1]!.text, /<em>style<\/em>/);
  const discussion = expectStatus<{ id: string; notes: { id: number }[] }>(
    await mailed.app.post(`${path(issue)}/discussions`, { json: { body: 'Thread' } }),
    201,
  );
  const answers = await mailed.sentBy(() =>
    mailed.app.post(`${path(issue)}/discussions/${discussion.id}/notes`, { json: { body: 'Answer' } }),
  );
  const host = 'forge.example.com';
  const references = `<issue_${issue.id}@${host}> <note_${discussion.notes[0]!.id}@${host}>`;
  assert.equal(mailTo(answers, author).headers.references, references);
  assert.equal(mailTo(answers, author).headers['in-reply-to'], `<note_${discussion.notes[0]!.id}@${host}>`);
});

test('nobody is told of what they may not see', async () => {
  const [planner, guest] = [await member(15), await member(10)];
  const outsider = await mailed.app.make.user();
  for (const user of [planner, guest, outsider]) await mailed.setLevel(user, 'watch', `/projects/${project.id}`);
  const names = [planner, guest, outsider].map(({ user }) => `@${user.username}`).join(' ');
  const opened = await mailed.sentBy(() => open({ description: names }));
  assert.deepEqual(addressees(opened), addresses(planner, guest, outsider, levels.watch));
  let hidden: Issue | undefined;
  const secret = await mailed.sentBy(async () => {
    hidden = await open({ confidential: true, description: names, assignee_ids: [guest.user.id] });
  });
  assert.deepEqual(addressees(secret), addresses(planner, guest, levels.watch));
  assert.equal(mailTo(secret, guest).headers['x-gitlab-confidentialissue'], 'true');
  const internal = await mailed.sentBy(() => note(hidden!, { body: names, internal: true }));
  assert.deepEqual(addressees(internal), addresses(planner, levels.watch));
  const { make } = mailed.app;
  const closed = await make.project({
    namespace: group,
    columns: { issues_access_level: 'private' },
    visibility: 'public',
  });
  const inside = await member(10, closed);
  for (const user of [inside, outsider]) await mailed.setLevel(user, 'watch', `/projects/${closed.id}`);
  const insideMails = await mailed.sentBy(() =>
    mailed.app.post(path(undefined, closed), { json: { title: 'Inner', description: names } }),
  );
  assert.deepEqual(addressees(insideMails), addresses(inside));
  await forget(planner, guest, outsider);
});

const forget = (...users: readonly TestUser[]) =>
  mailed.app.deps.db
    .deleteFrom('notification_settings')
    .where(
      'user_id',
      'in',
      users.map(({ user }) => user.id),
    )
    .execute();

test('blocked users, bots and unconfirmed addresses get nothing', async () => {
  const make = (columns: object) => mailed.app.make.user({ columns });
  const users = [
    await make({ state: 'blocked' }),
    await make({ kind: 'project_bot' }),
    await make({ kind: 'service_account' }),
    await make({ confirmed_at: null }),
  ];
  const names = users.map(({ user }) => `@${user.username}`).join(' ');
  assert.deepEqual(addressees(await mailed.sentBy(() => open({ description: names }))), addresses(levels.watch));
});

test('what one does oneself is mailed to those alone who asked for it', async () => {
  const proud = await member();
  await mailed.setLevel(proud, 'watch', `/projects/${project.id}`);
  assert.deepEqual(addressees(await mailed.sentBy(() => open({}, proud))), addresses(levels.watch));
  expectStatus(
    await mailed.app.put('/user/preferences', { token: proud.token, json: { notified_of_own_activity: true } }),
    200,
  );
  const mails = await mailed.sentBy(() => open({}, proud));
  assert.deepEqual(addressees(mails), addresses(levels.watch, proud));
  assert.equal(mailTo(mails, proud).headers['x-gitlab-notificationreason'], 'own_activity');
  await forget(proud);
});

test('the nearest setting counts: of the project, of the group, of everywhere', async () => {
  const watcher = await mailed.app.make.user();
  await mailed.setLevel(watcher, 'watch', `/groups/${group.id}`);
  assert.deepEqual(addressees(await mailed.sentBy(() => open())), addresses(levels.watch, watcher));
  await mailed.setLevel(watcher, 'disabled', `/projects/${project.id}`);
  assert.deepEqual(addressees(await mailed.sentBy(() => open())), addresses(levels.watch));
  await mailed.setLevel(watcher, 'watch');
  await mailed.setLevel(watcher, 'global', `/projects/${project.id}`);
  await mailed.setLevel(watcher, 'participating', `/groups/${group.id}`);
  assert.deepEqual(addressees(await mailed.sentBy(() => open())), addresses(levels.watch));
});

test('a project or group that has mails switched off sends none', async () => {
  for (const place of [`/projects/${project.id}`, `/groups/${group.id}`]) {
    expectStatus(await mailed.app.put(place, { json: { emails_enabled: false } }), 200);
    assert.deepEqual(await mailed.sentBy(() => open()), []);
    expectStatus(await mailed.app.put(place, { json: { emails_enabled: true } }), 200);
  }
  assert.deepEqual(addressees(await mailed.sentBy(() => open())), addresses(levels.watch));
});

test('a project that is made private between event and mail tells nobody outside', async () => {
  const { make, deps } = mailed.app;
  const open = await make.project({ visibility: 'public' });
  const [outsider, inside] = [await make.user(), await make.user()];
  await make.member({ project: open }, inside.user, 20);
  for (const user of [outsider, inside]) await mailed.setLevel(user, 'watch', `/projects/${open.id}`);
  const hide = (visibility: 'private' | 'public') =>
    deps.db.updateTable('projects').set({ visibility }).where('id', '=', open.id).execute();
  const early = await mailed.sentBy(async () => {
    expectStatus(await mailed.app.post(path(undefined, open), { json: { title: 'Soon hidden' } }), 201);
    await hide('private');
  });
  assert.deepEqual(addressees(early), addresses(inside));
  await hide('public');
  // The mail server is away, so that mails wait.
  mailed.receiver.onMail = () => {
    throw Object.assign(new Error('Later'), { responseCode: 450 });
  };
  const late = await mailed.sentBy(async () => {
    expectStatus(await mailed.app.post(path(undefined, open), { json: { title: 'Soon hidden' } }), 201);
    await deps.jobs.drain();
    await hide('private');
    mailed.receiver.onMail = () => {};
    mailed.clock.advance(3_600_000);
  });
  assert.deepEqual(addressees(late), addresses(inside));
});
