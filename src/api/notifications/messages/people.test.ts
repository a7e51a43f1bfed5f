import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const DAY_MS = 86_400_000;
let mailed: MailedApp;
let group: Namespace;
let project: Project;
let owner: TestUser;
let boss: TestUser;
before(async () => {
  mailed = await MailedApp.open();
  const { make } = mailed.app;
  [owner, boss] = [await make.user(), await make.user()];
  group = await make.group({ path: 'acme', visibility: 'public', owner: owner.user });
  project = await make.project({ namespace: group, path: 'forge', visibility: 'public' });
  await make.member({ project }, boss.user, 40);
});
after(() => mailed.close());

const text = (mails: Parameters<typeof mailTo>[0], user: TestUser) => mailTo(mails, user).parts[0]!.text;
const day = (ahead: number) => new Date(mailed.clock.now().getTime() + ahead * DAY_MS).toISOString().slice(0, 10);

test('who becomes a member, or is none any more, is told by whom', async () => {
  const { user, token } = await mailed.app.make.user();
  const ada = { user, token };
  await mailed.setLevel(ada, 'disabled');
  for (const place of [`/projects/${project.id}`, `/groups/${group.id}`]) {
    const added = await mailed.sentBy(async () =>
      expectStatus(
        await mailed.app.post(`${place}/members`, { token: owner.token, json: { user_id: user.id, access_level: 30 } }),
        201,
      ),
    );
    assert.deepEqual(addressees(added), addresses(ada));
    assert.match(text(added, ada), new RegExp(`granted access to the .* by ${owner.user.name}, as Developer\\.`));
    const removed = await mailed.sentBy(async () =>
      expectStatus(await mailed.app.delete(`${place}/members/${user.id}`, { token: owner.token }), 204),
    );
    assert.deepEqual(addressees(removed), addresses(ada));
    assert.match(text(removed, ada), /Your access to the .* was removed/);
  }
});

test('who leaves is told nothing, and nobody is where mails are switched off', async () => {
  const ada = await mailed.app.make.user();
  await mailed.app.make.member({ project }, ada.user, 30);
  const left = await mailed.sentBy(async () =>
    expectStatus(await mailed.app.delete(`/projects/${project.id}/members/${ada.user.id}`, { token: ada.token }), 204),
  );
  assert.deepEqual(left, []);
  expectStatus(await mailed.app.put(`/groups/${group.id}`, { json: { emails_enabled: false } }), 200);
  const json = { user_id: ada.user.id, access_level: 30 };
  const quiet = await mailed.sentBy(() => mailed.app.post(`/projects/${project.id}/members`, { json }));
  assert.deepEqual(quiet, []);
  expectStatus(await mailed.app.put(`/groups/${group.id}`, { json: { emails_enabled: true } }), 200);
});

test('who asks for access is told of the end, and those who decide of the beginning', async () => {
  const ada = await mailed.app.make.user();
  const ask = (place: string) =>
    mailed.sentBy(async () =>
      expectStatus(await mailed.app.post(`${place}/access_requests`, { token: ada.token }), 201),
    );
  const asked = await ask(`/projects/${project.id}`);
  assert.deepEqual(addressees(asked), addresses(boss));
  assert.equal(mailTo(asked, boss).headers.subject, 'forge | Request to join the forge project');
  assert.match(text(asked, boss), new RegExp(`@${ada.user.username}\\) requests access`));
  const denied = await mailed.sentBy(async () =>
    expectStatus(
      await mailed.app.delete(`/projects/${project.id}/access_requests/${ada.user.id}`, { token: owner.token }),
      204,
    ),
  );
  assert.deepEqual(addressees(denied), addresses(ada));
  assert.match(text(denied, ada), /Your request for access to the project acme\/forge was denied/);
  assert.deepEqual(addressees(await ask(`/groups/${group.id}`)), addresses(owner));
});

test('a personal access token and an SSH key that end within a week are told of once', async () => {
  const { app } = mailed;
  const ada = await app.make.user();
  const ends = day(5);
  const token = { name: 'robot', scopes: ['api'], expires_at: ends };
  expectStatus(await app.post(`/users/${ada.user.id}/personal_access_tokens`, { json: token }), 201);
  await app.deps.db
    .insertInto('ssh_keys')
    .values({
      user_id: ada.user.id,
      title: 'laptop',
      key: 'ssh-ed25519 AAAA',
      fingerprint: 'SHA256:none',
      md5_fingerprint: '00',
      created_at: `${day(0)}T00:00:00.000Z`,
      expires_at: `${ends}T00:00:00.000Z`,
    })
    .execute();
  const mails = await mailed.nextDay();
  assert.deepEqual(addressees(mails), addresses(ada, ada));
  assert.deepEqual(mails.map(({ headers }) => headers.subject).sort(), [
    'Your SSH key laptop is about to expire',
    'Your personal access token robot is about to expire',
  ]);
  assert.match(mails[0]!.parts[0]!.text, new RegExp(ends));
  assert.deepEqual(await mailed.nextDay(), []);
});

test('an issue that is due on the next day is told of once, to those who take part', async () => {
  const { app } = mailed;
  const [author, assignee, custom] = [await app.make.user(), await app.make.user(), await app.make.user()];
  for (const { user } of [author, assignee, custom]) await app.make.member({ project }, user, 30);
  await mailed.setLevel(custom, 'custom', '', { issue_due: true });
  const open = async (json: object) =>
    expectStatus(
      await app.post(`/projects/${project.id}/issues`, { token: author.token, json: { title: 'Rent', ...json } }),
      201,
    );
  await open({ due_date: day(2), assignee_ids: [assignee.user.id] });
  await open({ due_date: day(9) });
  const mails = await mailed.nextDay();
  assert.deepEqual(addressees(mails), addresses(author, assignee, custom));
  assert.match(text(mails, author), new RegExp(`due on ${day(1)}`));
  assert.match(mailTo(mails, author).headers.subject!, /^Re: forge \| Rent \(#\d+\)$/);
  assert.deepEqual(await mailed.nextDay(), []);
});

test('of a thousand mails about one project in a day there is a notice, and no more', async () => {
  const { app } = mailed;
  const { db } = app.deps;
  const ada = await app.make.user();
  await mailed.setLevel(ada, 'watch', `/projects/${project.id}`);
  const created_at = app.deps.clock.now().toISOString();
  const rows = Array.from({ length: 1_000 }, (_, at) => ({
    occasion: `test:${at}`,
    user_id: ada.user.id,
    project_id: project.id,
    group_id: null,
    created_at,
  }));
  await db.insertInto('notification_mails').values(rows).execute();
  const open = () =>
    mailed.sentBy(async () =>
      expectStatus(
        await app.post(`/projects/${project.id}/issues`, { token: boss.token, json: { title: 'One more' } }),
        201,
      ),
    );
  const mails = (await open()).filter(({ to }) => to.includes(ada.user.email));
  assert.deepEqual(
    mails.map(({ headers }) => headers.subject),
    ['forge | Too many notifications for one day'],
  );
  assert.deepEqual(
    (await open()).filter(({ to }) => to.includes(ada.user.email)),
    [],
  );
});
