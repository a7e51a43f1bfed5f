import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, MailedApp } from '../../../../test/support/mails.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

const DAY_MS = 86_400_000;
let mailed: MailedApp;
let group: Namespace;
let owner: TestUser;
before(async () => {
  mailed = await MailedApp.open();
  owner = await mailed.app.make.user();
  group = await mailed.app.make.group({ path: 'acme', owner: owner.user });
  await mailed.app.deps.jobs.maintain();
});
after(() => mailed.close());

const invite = async (email: string | string[], more: object = {}) => {
  const json = { email, access_level: 30, ...more };
  const path = `/groups/${group.id}/invitations`;
  assert.deepEqual(expectStatus(await mailed.app.post(path, { token: owner.token, json }), 201), { status: 'success' });
};
const withdraw = async (email: string) =>
  expectStatus(await mailed.app.delete(`/groups/${group.id}/invitations/${email}`, { token: owner.token }), 204);
const nextDay = () =>
  mailed.sentBy(async () => {
    mailed.clock.advance(DAY_MS);
    await mailed.app.deps.jobs.maintain();
  });

test('an address without a user is told who invites it and to what', async () => {
  const [mail, ...more] = await mailed.sentBy(() => invite('Ada@Example.org'));
  assert.equal(more.length, 0);
  assert.deepEqual(mail!.to, ['Ada@example.org']);
  assert.equal(mail!.headers.subject, `${owner.user.name} invited you to join acme`);
  assert.equal(mail!.headers['x-gitlab-group-path'], 'acme');
  const [plain, html] = mail!.parts;
  assert.match(plain!.text, /invites you to join the group acme as Developer\./);
  assert.match(plain!.text, /View it: https:\/\/forge\.example\.com\/groups\/acme/);
  assert.match(html!.text, /<a href="https:\/\/forge\.example\.com\/groups\/acme">/);
  await withdraw('Ada@Example.org');
});

test('what stands in names of users and groups is no HTML and no header', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const { db } = mailed.app.deps;
  const { name } = owner.user;
  await db
    .updateTable('users')
    .set({ name: `${evil}\r\nBcc: all@example.org` })
    .where('id', '=', owner.user.id)
    .execute();
  const [mail] = await mailed.sentBy(() => invite('eve@example.org'));
  assert.deepEqual([mail!.to, mail!.headers.bcc], [['eve@example.org'], undefined]);
  assert.doesNotMatch(mail!.parts[1]!.text, /<img/);
  await db.updateTable('users').set({ name }).where('id', '=', owner.user.id).execute();
  await withdraw('eve@example.org');
});

test('who has not come is reminded after two, five and ten days, as long as the invitation is open', async () => {
  await mailed.sentBy(() => invite(['bo@example.org', 'cy@example.org']));
  const reminded: string[][] = [];
  for (let day = 1; day <= 12; day += 1) {
    if (day === 4) await withdraw('cy@example.org');
    reminded.push(addressees(await nextDay()));
  }
  const bo = ['bo@example.org'];
  const days = reminded.flatMap((who, index) => (who.length === 0 ? [] : [[index + 1, who]]));
  assert.deepEqual(days, [
    [2, ['bo@example.org', 'cy@example.org']],
    [5, bo],
    [10, bo],
  ]);
  await withdraw('bo@example.org');
});

test('an invitation that is taken back, has ended or was made by somebody who is blocked is not mailed', async () => {
  const late = (act: () => Promise<unknown>) =>
    mailed.sentBy(async () => {
      await invite('dee@example.org');
      await act();
    });
  assert.deepEqual(await late(() => withdraw('dee@example.org')), []);
  const set = (state: 'active' | 'blocked') =>
    mailed.app.deps.db.updateTable('users').set({ state }).where('id', '=', owner.user.id).execute();
  assert.deepEqual(await late(() => set('blocked')), []);
  await set('active');
  await withdraw('dee@example.org');
  expectStatus(await mailed.app.put(`/groups/${group.id}`, { json: { emails_enabled: false } }), 200);
  assert.deepEqual(await mailed.sentBy(() => invite('dee@example.org')), []);
  expectStatus(await mailed.app.put(`/groups/${group.id}`, { json: { emails_enabled: true } }), 200);
  await withdraw('dee@example.org');
});

test('one address, and one who invites, have a number of mails a day', async () => {
  let mails = 0;
  for (let again = 0; again < 25; again += 1) {
    mails += (await mailed.sentBy(() => invite('victim@example.org'))).length;
    await withdraw('victim@example.org');
  }
  assert.equal(mails, 20);
  const many = (from: number) => Array.from({ length: 100 }, (_, index) => `u${from + index}@example.org`);
  let sent = 0;
  for (const from of [0, 100]) sent += (await mailed.sentBy(() => invite(many(from)))).length;
  assert.equal(mails + sent, 200);
  mailed.clock.advance(2 * DAY_MS);
  assert.equal((await mailed.sentBy(() => invite('tomorrow@example.org'))).length > 0, true);
});
