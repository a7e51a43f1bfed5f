import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../test/support/app.ts';
import { SmtpReceiver } from '../../../test/support/smtp-receiver.ts';
import { enqueueMail } from '../../mail/send-mail.ts';
import { linksOf } from './mail-record.ts';

interface Mail {
  id: number;
  at: string;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string | null;
  links: string[];
}

const MAILS = '/-/bench/mails';
const clock = new TestClock();
let app: TestApp;
let token: string;
before(async () => {
  app = await buildTestApp({
    settings: { STITHY_BENCH: '1', STITHY_EXTERNAL_URL: 'https://forge.example.com' },
    clock,
  });
  ({ token } = await app.make.user());
});
after(() => app.close());
beforeEach(async () => expectStatus(await app.delete(MAILS), 204));

const mails = async (query = {}) => expectStatus<Mail[]>(await app.get(MAILS, { query }), 200);
const send = async (to: string, subject: string, more = {}) => {
  await enqueueMail(app.deps.db, app.deps, { to, subject, text: 'A text.\n', ...more });
  await app.drain();
};

test('what the server would have sent is there, with its links, without a mail server', async () => {
  const project = await app.make.project();
  const { user, token: asked } = await app.make.user();
  expectStatus(
    await app.post(`/projects/${project.id}/members`, { json: { user_id: user.id, access_level: 30 } }),
    201,
  );
  expectStatus(
    await app.post(`/projects/${project.id}/issues`, { json: { title: 'Broken', assignee_ids: [user.id] } }),
    201,
  );
  await app.drain();
  const [mail, ...others] = await mails({ to: user.email.toUpperCase(), subject: '*Broken*' });
  assert.deepEqual(others, []);
  assert.ok(asked);
  assert.equal(mail!.to, user.email);
  assert.match(mail!.from, /^.* <noreply@forge\.example\.com>$/);
  assert.match(mail!.subject, /Broken \(#1\)/);
  assert.match(mail!.text, /Broken|assigned/i);
  assert.match(mail!.html!, /<.*>/s);
  assert.equal(mail!.at, clock.now().toISOString());
  assert.ok(mail!.links.includes(`https://forge.example.com/${project.full_path}/-/issues/1`), mail!.links.join(' '));
});

test('filters choose by recipient, subject and what came after', async () => {
  await send('a@example.org', 'One');
  clock.advance(1_000);
  await send('b@example.org', 'Two');
  await send('a@example.org', 'Three');
  const subjects = async (query: object) => (await mails(query)).map(({ subject }) => subject);
  assert.deepEqual(await subjects({}), ['One', 'Two', 'Three']);
  assert.deepEqual(await subjects({ to: 'a@example.org' }), ['One', 'Three']);
  assert.deepEqual(await subjects({ subject: 'T*' }), ['Two', 'Three']);
  const [first] = await mails();
  assert.deepEqual(await subjects({ after: first!.id, to: 'b@example.org' }), ['Two']);
  assert.deepEqual(await subjects({ after: first!.at }), ['Two', 'Three']);
});

test('a wait ends with the mail, or with 408', async () => {
  const waiting = mails({ wait: true, count: 2, timeout: 20 });
  await send('a@example.org', 'One');
  await send('a@example.org', 'Two');
  assert.equal((await waiting).length, 2);
  assert.match((await app.get(MAILS, { query: { wait: 1, count: 3, timeout: 0.05 } })).body, /there are 2 of 3/);
});

test('a mail that is sent again is there once; with a mail server it is sent too, unless all is captured', async () => {
  const receiver = await SmtpReceiver.listen();
  try {
    for (const [outbound, sent] of [
      ['send', 2],
      ['capture', 0],
    ] as const) {
      const settings = { STITHY_BENCH: '1', STITHY_SMTP_URL: receiver.url, STITHY_BENCH_OUTBOUND: outbound };
      const other = await buildTestApp({ settings });
      try {
        const mail = { to: 'a@example.org', subject: 'One', text: 'x', messageId: 'one@host' };
        for (let again = 0; again < 2; again += 1) await enqueueMail(other.deps.db, other.deps, mail);
        await other.drain();
        assert.equal(expectStatus<Mail[]>(await other.get(MAILS), 200).length, 1);
        assert.equal(receiver.mails.length, sent, outbound);
        receiver.mails.length = 0;
      } finally {
        await other.close();
      }
    }
  } finally {
    await receiver.close();
  }
});

test('links are found in both parts, once each', () => {
  const html = `<a href="https://a.example/x?a=1&amp;b=2">x</a> <a href='https://b.example/'>y</a> <a href="mailto:c@d">`;
  const text = 'See https://a.example/x?a=1&b=2, (https://c.example/z). https://c.example/z';
  assert.deepEqual(linksOf(text, html), ['https://a.example/x?a=1&b=2', 'https://b.example/', 'https://c.example/z']);
  assert.deepEqual(linksOf('none', null), []);
});

test('what makes no sense is refused, and only the administrator reads mails', async () => {
  for (const query of ['too=a', 'after=now', 'count=0'])
    assert.equal((await app.get(`${MAILS}?${query}`)).statusCode, 400, query);
  for (const method of ['GET', 'DELETE']) {
    expectStatus(await app.request(method, MAILS, { token: null }), 401);
    expectStatus(await app.request(method, MAILS, { token }), 403);
  }
});
