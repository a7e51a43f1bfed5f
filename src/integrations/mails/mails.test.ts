import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../test/support/app.ts';
import { projectWith } from '../../../test/support/programs.ts';
import { SmtpReceiver } from '../../../test/support/smtp-receiver.ts';

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
  await app.settle();
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
    new RegExp(`${second.slice(0, 8)} by Administrator[^]*\\+ b[^]*${web}/-/commit/${second}`),
  );
  await set({ disable_diffs: true });
  await push('main', 'd');
  await app.settle();
  const [first] = got();
  assert.equal(first?.[1], `[${project.full_path}][main] Add d`);
  assert.doesNotMatch(String(first?.[2]), /\+ d/);
});

test('everybody on the list is mailed how a pipeline ended', async () => {
  const { push, pipeline, project } = await projectWith(app, 'pipelines-email', { recipients: 'a@forge.example' });
  await pipeline(await push('main', 'a'), 'success');
  await app.settle();
  assert.deepEqual(got(), []);
  const sha = await push('main', 'b');
  await pipeline(sha, 'failed');
  await app.settle();
  const mails = got();
  assert.deepEqual(
    mails.map(([to, subject]) => [to, subject]),
    [['a@forge.example', `${project.full_path} | Failed pipeline for main | ${sha.slice(0, 8)}`]],
  );
  assert.match(String(mails[0]?.[2]), /has failed!/);
});
