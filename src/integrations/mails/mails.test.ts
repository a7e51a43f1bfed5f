import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import { commitFiles } from '../../../test/support/commits.ts';
import { projectWith } from '../../../test/support/programs.ts';
import { SmtpReceiver } from '../../../test/support/smtp-receiver.ts';
import type { DispatchContext } from '../dispatch/dispatch-context.ts';
import { mailOnce } from './integration-mails.once.ts';

let app: TestApp;
let receiver: SmtpReceiver;
before(async () => {
  receiver = await SmtpReceiver.listen();
  app = await buildTestApp({ settings: { STITHY_SMTP_URL: receiver.url } });
});
after(async () => {
  await app.close();
  await receiver.close();
});

/** What those on the lists got; people are told of what they did in mails of their own. */
const got = () => {
  const listed = receiver.mails.filter(({ to }) => to.every((address) => address.endsWith('@forge.example')));
  const mails = listed.map(({ to, headers, parts }) => [to[0], headers.subject, parts[0]?.text ?? '']);
  receiver.mails.length = 0;
  return mails.sort();
};

test('everybody on the list is mailed what was pushed', async () => {
  const recipients = 'a@forge.example\nb@forge.example, a@forge.example nobody';
  const { push, set, project, web } = await projectWith(app, 'emails-on-push', { recipients });
  await push('main', 'a');
  const second = await push('main', 'b');
  await push('side', 'c');
  await app.drain();
  const mails = got();
  assert.deepEqual(
    mails.map(([to, subject]) => [to, subject]),
    ['a@forge.example', 'b@forge.example'].flatMap((to) =>
      ['Add b', 'Pushed new branch main'].map((title) => [to, `[${project.full_path}][main] ${title}`]),
    ),
  );
  assert.match(String(mails[0]?.[2]), new RegExp(`^Administrator pushed to branch main at ${project.full_path}`));
  assert.match(
    String(mails[0]?.[2]),
    new RegExp(
      `${second.slice(0, 8)} by Administrator[^]*${web}/-/commit/${second}[^]*Summary of changes:\n {2}\\+ b\n`,
    ),
  );
  assert.match(String(mails[0]?.[2]), /=+\nb\n=+\n@@ -0,0 \+1 @@\n\+x\n/);
  assert.doesNotMatch(String(mails[1]?.[2]), /Summary of changes/);
  await set({ disable_diffs: true });
  await push('main', 'd');
  await app.drain();
  const [first] = got();
  assert.equal(first?.[1], `[${project.full_path}][main] Add d`);
  assert.doesNotMatch(String(first?.[2]), /\+ d/);
});

test('an event that is told of again is not mailed again', async () => {
  const { push } = await projectWith(app, 'emails-on-push', { recipients: 'a@forge.example' });
  await push('main', 'a');
  await app.drain();
  assert.equal(got().length, 1);
  const { db } = app.deps;
  const mailRow = await db
    .selectFrom('integration_mails')
    .selectAll()
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  const context = { deps: app.deps, idempotencyKey: mailRow.key } as DispatchContext;
  const mail = { to: 'a@forge.example', subject: 'Again', text: 'Again' };
  await mailOnce(context, [mail]);
  await app.drain();
  assert.deepEqual(got(), []);
  await mailOnce({ ...context, idempotencyKey: 'another' }, [mail]);
  await app.drain();
  assert.equal(got().length, 1);
});

const commit = async (at: string, actions: Record<string, unknown>[], more = {}) =>
  expectStatus<{ id: string }>(
    await app.post(`${at}/repository/commits`, {
      json: { branch: 'side', commit_message: 'Change', actions, ...more },
    }),
    201,
  ).id;

test('a mail shows diffs of what was pushed, but no more than so much', async () => {
  const { push, at } = await projectWith(app, 'emails-on-push', {
    recipients: 'a@forge.example',
    branches_to_be_notified: 'all',
  });
  const first = await push('main', 'a');
  await push('side', 'b');
  await app.drain();
  got();
  const large = Array.from({ length: 6_000 }, (_, line) => `line ${line}`).join('\n');
  await commit(at, [
    { action: 'move', file_path: 'moved', previous_path: 'a' },
    { action: 'create', file_path: 'big', content: large },
    { action: 'create', file_path: 'data', content: 'AAEC/w==', encoding: 'base64' },
    { action: 'create', file_path: 'x'.repeat(200), content: 'some text' },
  ]);
  await app.drain();
  const text = String(got()[0]?.[2]);
  assert.match(text, /\n {2}\+ big\n {2}\+ data\n {2}→ a → moved\n/);
  assert.match(text, /\nbig\n=+\nThe diff of this file is too large to show\./);
  assert.match(text, /\ndata\n=+\nBinary files/);
  assert.ok(text.length < 20_000);
  // What was forced away is no change of the push.
  await commit(at, [{ action: 'create', file_path: 'other', content: 'x' }], { start_sha: first, force: true });
  await app.drain();
  const forced = String(got()[0]?.[2]);
  assert.match(forced, /Summary of changes:\n {2}\+ other\n\n/);
});

test('branches that nobody wants to be told of are not mailed', async () => {
  const recipients = 'a@forge.example';
  const { push, set } = await projectWith(app, 'emails-on-push', { recipients });
  await push('main', 'a');
  await set({ branches_to_be_notified: 'protected' });
  await app.drain();
  got();
  await push('side', 'b');
  await push('main', 'c');
  await app.drain();
  assert.deepEqual(
    got().map(([, subject]) => subject?.replace(/^.*\]/, '')),
    [' Add c'],
  );
});

test('a mail is from whoever pushed where that is asked for, by an address of the domain alone', async () => {
  const own = await buildTestApp({
    settings: { STITHY_SMTP_URL: receiver.url, STITHY_EXTERNAL_URL: 'https://git.forge.example' },
  });
  try {
    const { project, set } = await projectWith(own, 'emails-on-push', { recipients: 'a@forge.example' });
    const [inside, outside] = [
      await own.make.user({ columns: { email: 'ann@forge.example', name: 'Ann' } }),
      await own.make.user({ columns: { email: 'bob@elsewhere.test', name: 'Bob' } }),
    ];
    for (const { user } of [inside, outside]) await own.make.member({ project }, user, 40);
    const commitAs = async ({ token }: { token: string }, file: string) => {
      await commitFiles(own, project.id, { [file]: 'x' }, { token });
      await own.drain();
    };
    const senders = () => {
      const listed = receiver.mails.filter(({ to }) => to[0] === 'a@forge.example');
      receiver.mails.length = 0;
      return listed.map(({ headers }) => [headers.from, headers['reply-to']]);
    };
    await commitAs(inside, 'a');
    assert.deepEqual(senders(), [['Ann <noreply@git.forge.example>', undefined]]);
    await set({ send_from_committer_email: true });
    await commitAs(inside, 'b');
    await commitAs(outside, 'c');
    assert.deepEqual(senders(), [
      ['Ann <ann@forge.example>', 'ann@forge.example'],
      ['Bob <noreply@git.forge.example>', 'bob@elsewhere.test'],
    ]);
  } finally {
    await own.close();
  }
});

test('everybody on the list is mailed how a pipeline ended', async () => {
  const { push, pipeline, project } = await projectWith(app, 'pipelines-email', { recipients: 'a@forge.example' });
  await pipeline(await push('main', 'a'), 'success');
  await app.drain();
  assert.deepEqual(got(), []);
  const sha = await push('main', 'b');
  await pipeline(sha, 'failed');
  await app.drain();
  const mails = got();
  assert.deepEqual(
    mails.map(([to, subject]) => [to, subject]),
    [['a@forge.example', `${project.full_path} | Failed pipeline for main | ${sha.slice(0, 8)}`]],
  );
  assert.match(String(mails[0]?.[2]), /has failed!/);
});
