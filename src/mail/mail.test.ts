import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { SmtpReceiver } from '../../test/support/smtp-receiver.ts';
import { loadConfig } from '../config/config.ts';
import { parseMailAddress } from '../core/mail-address.ts';
import type { Mail } from './mail.ts';
import { Mailer } from './mailer.ts';
import { enqueueMail, enqueueMails } from './send-mail.ts';

const clock = new TestClock();
let receiver: SmtpReceiver;
let app: TestApp;
before(async () => {
  receiver = await SmtpReceiver.listen();
  const settings = {
    STITHY_SMTP_URL: receiver.url,
    STITHY_MAIL_FROM: 'The Forge <forge@example.com>',
    STITHY_EXTERNAL_URL: 'https://forge.example.com/git',
  };
  app = await buildTestApp({ settings, clock });
});
after(async () => {
  await app.close();
  await receiver.close();
});
beforeEach(() => {
  receiver.mails.length = 0;
  receiver.onMail = () => {};
});

const PLAIN: Mail = { to: 'ada@example.org', subject: 'A subject', text: 'A text.\n' };

const waiting = () =>
  app.deps.db
    .selectFrom('jobs')
    .select(['state', 'last_error', 'attempts'])
    .where('kind', '=', 'mail.send')
    .executeTakeFirst();

test('a mail is sent with both its parts, its thread and all that it says of itself', async () => {
  await enqueueMail(app.deps.db, app.deps, {
    ...PLAIN,
    fromName: 'Ada Lovelace (@ada)',
    replyTo: 'forge+reply@example.com',
    subject: 'Ein schöner Fehler, der sehr lang beschrieben ist, damit seine Zeile umbrochen wird – und noch länger',
    html: '<p>A text &amp; more – ünd</p>',
    messageId: 'note_3@forge.example.com',
    inReplyTo: 'issue_1@forge.example.com',
    references: ['issue_1@forge.example.com', 'note_2@forge.example.com'],
    headers: { 'List-Id': 'group/project <1.project.group.forge.example.com>', 'X-GitLab-Project-Id': '1' },
    attachments: [{ filename: 'errors.csv', contentType: 'text/csv', content: 'a,b\n1,ü\n' }],
  });
  await app.drain();
  const [mail] = receiver.mails;
  assert.equal(receiver.mails.length, 1);
  assert.deepEqual([mail!.from, mail!.to], ['forge@example.com', ['ada@example.org']]);
  const { headers, parts } = mail!;
  assert.equal(headers.from, '"Ada Lovelace (@ada)" <forge@example.com>');
  assert.equal(headers.to, 'ada@example.org');
  assert.equal(headers['reply-to'], 'forge+reply@example.com');
  assert.match(headers.subject!, /^Ein schöner Fehler, .* – und noch länger$/);
  assert.equal(headers['message-id'], '<note_3@forge.example.com>');
  assert.equal(headers['in-reply-to'], '<issue_1@forge.example.com>');
  assert.equal(headers.references, '<issue_1@forge.example.com> <note_2@forge.example.com>');
  assert.equal(headers['list-id'], 'group/project <1.project.group.forge.example.com>');
  assert.equal(headers['x-gitlab-project-id'], '1');
  assert.equal(headers['auto-submitted'], 'auto-generated');
  assert.equal(headers['x-auto-response-suppress'], 'All');
  assert.deepEqual(
    parts.map(({ type }) => type),
    ['text/plain', 'text/html', 'text/csv'],
  );
  assert.equal(parts[0]!.text.trim(), 'A text.');
  assert.equal(parts[1]!.text.trim(), '<p>A text &amp; more – ünd</p>');
  assert.equal(parts[2]!.text, 'a,b\n1,ü\n');
  assert.match(parts[2]!.headers['content-disposition']!, /attachment; filename=errors\.csv/);
});

test('many mails are sent once each, with a Message-ID of their own', async () => {
  const to = Array.from({ length: 60 }, (_, at) => `user${at}@example.org`);
  await enqueueMails(
    app.deps.db,
    app.deps,
    to.map((address) => ({ ...PLAIN, to: address })),
  );
  await app.drain();
  assert.deepEqual(receiver.mails.map((mail) => mail.to[0]).sort(), [...to].sort());
  const ids = new Set(receiver.mails.map(({ headers }) => headers['message-id']));
  assert.equal(ids.size, to.length);
  for (const id of ids) assert.match(id!, /^<[0-9a-f-]{36}@forge\.example\.com>$/);
});

test('subjects stand between what the settings name, and answers stay answers', async () => {
  const { config } = loadConfig({
    STITHY_SMTP_URL: receiver.url,
    STITHY_MAIL_SUBJECT_PREFIX: '[Forge]',
    STITHY_MAIL_SUBJECT_SUFFIX: 'internal',
  });
  const mailer = new Mailer(config.mail, () => 'host.example');
  await mailer.send({ ...PLAIN, subject: 'Project | Title (#1)', messageId: '1@host.example' });
  await mailer.send({ ...PLAIN, subject: 'Re: Project | Title (#1)', messageId: '2@host.example' });
  await mailer.close();
  assert.deepEqual(
    receiver.mails.map(({ headers }) => headers.subject),
    ['[Forge] | Project | Title (#1) | internal', 'Re: [Forge] | Project | Title (#1) | internal'],
  );
});

test('nothing that somebody writes becomes a header of its own, or another receiver', async () => {
  await enqueueMail(app.deps.db, app.deps, {
    ...PLAIN,
    fromName: 'Eve" <eve@example.net>\r\nBcc: all@example.org',
    subject: 'One\r\nBcc: all@example.org\r\n\r\nbody',
    headers: { 'List-Id': 'x\r\nBcc: all@example.org' },
  });
  await enqueueMail(app.deps.db, app.deps, { ...PLAIN, text: 'one\r\n.\r\nMAIL FROM:<eve@example.net>\r\n' });
  await app.drain();
  assert.equal(receiver.mails.length, 2);
  for (const mail of receiver.mails) {
    assert.deepEqual([mail.from, mail.to, mail.headers.bcc], ['forge@example.com', ['ada@example.org'], undefined]);
  }
  const [{ headers }, { parts }] = receiver.mails as [ReceivedOne, ReceivedOne];
  assert.match(headers.from!, /<forge@example\.com>$/);
  assert.equal(parts[0]!.text.trim(), 'one\n.\nMAIL FROM:<eve@example.net>');
});
type ReceivedOne = SmtpReceiver['mails'][number];

test('what the mail server does not take now is sent later, under the same Message-ID', async () => {
  receiver.onMail = () => {
    throw Object.assign(new Error('Mailbox busy'), { responseCode: 450 });
  };
  await enqueueMail(app.deps.db, app.deps, PLAIN);
  await app.deps.jobs.drain();
  const { state, last_error } = (await waiting())!;
  assert.equal(state, 'waiting');
  assert.match(last_error!, /Mailbox busy/);
  receiver.onMail = () => {};
  clock.advance(60_000);
  await app.drain();
  assert.equal(receiver.mails.length, 1);
  assert.equal(await waiting(), undefined);
});

test('what the mail server never takes is given up at once, and kept for a person to look at', async () => {
  receiver.onMail = () => {
    throw Object.assign(new Error('No such user'), { responseCode: 550 });
  };
  await enqueueMail(app.deps.db, app.deps, PLAIN);
  await app.drain();
  const { state, last_error, attempts } = (await waiting())!;
  assert.deepEqual([state, attempts], ['dead', 1]);
  assert.match(last_error!, /No such user/);
  await app.deps.db.deleteFrom('jobs').where('kind', '=', 'mail.send').execute();
});

test('a mail waits while there is no mail server', async () => {
  const { port } = receiver;
  await receiver.close();
  await enqueueMail(app.deps.db, app.deps, PLAIN);
  await app.deps.jobs.drain();
  assert.equal((await waiting())!.state, 'waiting');
  receiver = await SmtpReceiver.listen({}, port);
  clock.advance(3_600_000);
  await app.drain();
  assert.equal(receiver.mails.length, 1);
});

test('a mail of a transaction that fails is not sent', async () => {
  const fails = app.deps.db.transaction().execute(async (db) => {
    await enqueueMail(db, app.deps, PLAIN);
    throw new Error('undone');
  });
  await assert.rejects(fails, /undone/);
  await app.drain();
  assert.equal(receiver.mails.length, 0);
});

test('without a mail server the log tells what would have gone to whom, and no job is left', async () => {
  const silent = await buildTestApp();
  try {
    await enqueueMail(silent.deps.db, silent.deps, { ...PLAIN, text: 'a secret' });
    const line = silent.logLines.join('\n');
    assert.match(line, /STITHY_SMTP_URL is not set/);
    assert.match(line, /ada@example\.org/);
    assert.doesNotMatch(line, /a secret/);
    const { count } = await silent.deps.db
      .selectFrom('jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('kind', '=', 'mail.send')
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), 0);
  } finally {
    await silent.close();
  }
});

test('a mail server that wants a password gets it, and one that does not know it takes nothing', async () => {
  const strict = await SmtpReceiver.listen({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) =>
      username === 'forge' && password === 'p@ss' ? callback(null, { user: 'forge' }) : callback(new Error('Invalid')),
  });
  const at = (user: string) => loadConfig({ STITHY_SMTP_URL: `smtp://${user}@127.0.0.1:${strict.port}` }).config.mail;
  const good = new Mailer(at('forge:p%40ss'), () => 'host.example');
  const bad = new Mailer(at('forge:wrong'), () => 'host.example');
  try {
    await good.verify();
    await good.send({ ...PLAIN, messageId: 'a@host.example' });
    assert.equal(strict.mails[0]!.from, 'noreply@host.example');
    await assert.rejects(bad.verify());
    await assert.rejects(
      bad.send({ ...PLAIN, messageId: 'b@host.example' }),
      (error: Error) => !('permanent' in error),
    );
  } finally {
    await good.close();
    await bad.close();
    await strict.close();
  }
});

test('the password of the mail server stands in no error, whatever the server answers', async () => {
  const echo = await SmtpReceiver.listen({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, callback) =>
      callback(new Error(`${password} is wrong, and so is ${Buffer.from(`\0forge\0${password}`).toString('base64')}`)),
  });
  const { config } = loadConfig({ STITHY_SMTP_URL: `smtp://forge:s3cr%25t@127.0.0.1:${echo.port}` });
  const mailer = new Mailer(config.mail, () => 'host.example');
  for (const ask of [() => mailer.verify(), () => mailer.send({ ...PLAIN, messageId: 'a@host.example' })]) {
    await assert.rejects(ask(), ({ message, stack }: Error) => {
      assert.match(message, /\[MASKED\] is wrong, and so is \[MASKED\]/);
      return !`${message}${stack}`.includes('s3cr');
    });
  }
  await mailer.close();
  await echo.close();
});

test('where the mail server offers TLS that it cannot prove, nothing is sent, and not in the clear either', async () => {
  const unproven = await SmtpReceiver.listen({ disabledCommands: [] });
  const { config } = loadConfig({ STITHY_SMTP_URL: `smtp://127.0.0.1:${unproven.port}` });
  const mailer = new Mailer(config.mail, () => 'host.example');
  await assert.rejects(
    mailer.send({ ...PLAIN, messageId: 'a@host.example' }),
    (error: Error) => /certificate/i.test(error.message) && !('permanent' in error),
  );
  assert.deepEqual(unproven.mails, []);
  await mailer.close();
  await unproven.close();
});

test('settings that name no mail server or no address are refused at start', () => {
  const { config } = loadConfig({ STITHY_SMTP_URL: 'smtps://u:p@mail.example.com', STITHY_MAIL_FROM: 'a@b.example' });
  assert.deepEqual(config.mail, {
    smtpUrl: 'smtps://u:p@mail.example.com',
    from: { name: '', address: 'a@b.example' },
    subjectPrefix: null,
    subjectSuffix: null,
  });
  for (const STITHY_SMTP_URL of ['mail.example.com', 'http://mail.example.com', 'smtp://']) {
    assert.throws(() => loadConfig({ STITHY_SMTP_URL }), /STITHY_SMTP_URL must be an address/);
  }
  for (const STITHY_MAIL_FROM of ['nobody', 'a@b@c', 'A <a>', 'a@b.example, c@d.example']) {
    assert.throws(() => loadConfig({ STITHY_MAIL_FROM }), /STITHY_MAIL_FROM must be an address/);
  }
  assert.deepEqual(parseMailAddress('"A, B" <a@b>'), { name: 'A, B', address: 'a@b' });
});
