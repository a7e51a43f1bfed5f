import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, addresses, MailedApp, mailTo } from '../../../../test/support/mails.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let mailed: MailedApp;
let url: string;
let project: Project;
let boss: TestUser;
before(async () => {
  mailed = await MailedApp.open();
  url = await mailed.app.listen();
  project = await mailed.app.make.project({ visibility: 'public' });
  boss = await mailed.app.make.user();
});
after(() => mailed.close());

/** An issue that a user wrote, and the address at which they stop to follow it. */
async function followed() {
  const author = await mailed.app.make.user();
  const { iid } = expectStatus<{ iid: number }>(
    await mailed.app.post(`/projects/${project.id}/issues`, { token: author.token, json: { title: 'Mine' } }),
    201,
  );
  const noted = (body = 'Hello') =>
    mailed.sentBy(async () => {
      const path = `/projects/${project.id}/issues/${iid}/notes`;
      expectStatus(await mailed.app.post(path, { token: boss.token, json: { body } }), 201);
    });
  const { headers, parts } = mailTo(await noted(), author);
  const link = /^<https:\/\/forge\.example\.com(\/-\/sent_notifications\/[\w-]+\/unsubscribe)>$/.exec(
    headers['list-unsubscribe']!,
  )?.[1];
  assert.ok(link !== undefined);
  assert.ok(parts[0]!.text.includes(`https://forge.example.com${link}`));
  assert.ok(parts[1]!.text.includes(`href="https://forge.example.com${link}"`));
  const page = `https://forge.example.com/${project.full_path}/-/issues/${iid}`;
  return { author, noted, link, page };
}
const get = (path: string, token?: string) =>
  fetch(`${url}${path}`, { redirect: 'manual', headers: token === undefined ? {} : { 'private-token': token } });

test('a mail program unsubscribes by one click, without signing in', async () => {
  const { author, noted, link } = await followed();
  const response = await fetch(`${url}${link}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /You have been unsubscribed/);
  assert.deepEqual(await noted(), []);
  assert.deepEqual(addressees(await noted(`@${author.user.username}`)), addresses(author));
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  assert.equal((await fetch(`${url}${link}`, { method: 'POST', body: form })).status, 200);
});

test('who is not signed in is asked first, and then led nowhere', async () => {
  const { author, noted, link } = await followed();
  const asked = await get(link);
  assert.equal(asked.status, 200);
  assert.match(asked.headers.get('content-type')!, /^text\/html/);
  const text = await asked.text();
  assert.ok(text.includes(`${link}?force=true`));
  assert.doesNotMatch(text, /Mine/);
  assert.deepEqual(addressees(await noted()), addresses(author));
  const done = await get(`${link}?force=true`);
  assert.equal(done.status, 200);
  assert.match(await done.text(), /You have been unsubscribed from this thread\./);
  assert.deepEqual(await noted(), []);
});

test('who is signed in is unsubscribed at once, and led to the issue', async () => {
  const { author, noted, link, page } = await followed();
  const response = await get(link, author.token);
  assert.deepEqual([response.status, response.headers.get('location')], [302, page]);
  assert.deepEqual(await noted(), []);
});

test('who watches a project stops to follow one thread', async () => {
  const watcher = await mailed.app.make.user();
  await mailed.setLevel(watcher, 'watch', `/projects/${project.id}`);
  const { author, noted } = await followed();
  const { headers } = mailTo(await noted(), watcher);
  const link = /forge\.example\.com(\/.*)>/.exec(headers['list-unsubscribe']!)![1]!;
  assert.equal((await fetch(`${url}${link}`, { method: 'POST' })).status, 200);
  assert.deepEqual(addressees(await noted()), addresses(author));
  await mailed.setLevel(watcher, 'global', `/projects/${project.id}`);
});

test('a key that is none, is changed, is too old or of what is gone is answered with 404', async () => {
  const { author, link } = await followed();
  const other = link.replace(`-${author.user.id}-`, `-${boss.user.id}-`);
  for (const wrong of [other, link.replace(/.\/unsubscribe$/, '/unsubscribe'), '/-/sent_notifications/x/unsubscribe']) {
    assert.equal((await get(wrong)).status, 404, wrong);
    assert.equal((await fetch(`${url}${wrong}`, { method: 'POST' })).status, 404, wrong);
  }
  assert.equal((await get(link)).status, 200);
  const gone = await followed();
  await mailed.app.deps.db.deleteFrom('issues').where('author_id', '=', gone.author.user.id).execute();
  assert.equal((await get(gone.link)).status, 404);
  mailed.clock.advance(731 * 86_400_000);
  assert.equal((await get(link)).status, 404);
});

test('the link to all notifications leads to the setting', async () => {
  const response = await get('/-/profile/notifications');
  assert.equal(response.status, 302);
  assert.equal(response.headers.get('location'), 'https://forge.example.com/api/v4/notification_settings');
});
