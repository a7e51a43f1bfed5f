import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../../../test/support/hook-receiver.ts';
import { makeHook, pushTo } from '../../../../test/support/hooks.ts';
import { MirrorPair } from '../../../../test/support/mirrors.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { SmtpReceiver } from '../../../../test/support/smtp-receiver.ts';
import { enqueueMail } from '../../../mail/send-mail.ts';
import { requestExternal } from '../../../outbound/outbound.request.ts';
import { outboundRules } from '../../../settings/outbound-rules.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let hooks: HookReceiver;
let mails: SmtpReceiver;
before(async () => {
  mails = await SmtpReceiver.listen();
  hooks = await receiveHooks();
  app = await buildTestApp({ settings: { STITHY_SMTP_URL: mails.url, STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
});
after(async () => {
  await app.close();
  await hooks.close();
  await mails.close();
});
beforeEach(async () => {
  await app.drain();
  hooks.calls.length = 0;
  mails.mails.length = 0;
});
afterEach(() => resetSettings(app));

const silence = (silent_mode_enabled: boolean) => changeSettings(app, { silent_mode_enabled });
const mail = () => enqueueMail(app.deps.db, app.deps, { to: 'ada@example.org', subject: 'A', text: 'A\n' });

test('webhooks are not told of what happens in silence, then or later, and are none the worse for it', async () => {
  const project = await app.make.project();
  const { id } = await makeHook(app, `/projects/${project.id}`, { url: hooks.url });
  const path = `/projects/${project.id}/hooks/${id}`;
  await pushTo(app, project.id);
  await app.drain();
  assert.equal(hooks.calls.length, 1);
  // One is on its way when the silence begins.
  await pushTo(app, project.id);
  await silence(true);
  await pushTo(app, project.id);
  await app.drain();
  const refused = expectStatus<Json>(await app.post(`${path}/test/push_events`), 422);
  assert.equal(refused.message, 'Silent mode is on: nothing is sent to other servers.');
  await silence(false);
  await app.drain();
  assert.equal(hooks.calls.length, 1);
  assert.equal(expectStatus<Json>(await app.get(path), 200).alert_status, 'executable');
  const after = await pushTo(app, project.id);
  await app.drain();
  assert.deepEqual(
    hooks.calls.slice(1).map(({ body }) => body.after),
    [after],
  );
});

test('mails are not sent, also those that waited', async () => {
  await mail();
  await silence(true);
  await mail();
  await app.drain();
  await silence(false);
  await app.drain();
  assert.equal(mails.mails.length, 0);
  await mail();
  await app.drain();
  assert.equal(mails.mails.length, 1);
});

test('mirrors wait', async () => {
  const pair = await MirrorPair.make(app);
  pair.from.commit('main', { a: '1' });
  await pair.follow();
  const head = pair.to.run(['rev-parse', 'refs/heads/main']);
  await silence(true);
  pair.from.commit('main', { a: '2' });
  await pair.update();
  assert.equal(pair.to.run(['rev-parse', 'refs/heads/main']), head);
  await silence(false);
  await pair.update();
  assert.equal(pair.to.run(['rev-parse', 'refs/heads/main']), pair.from.run(['rev-parse', 'refs/heads/main']));
});

test('a push mirror gets nothing, and all of it afterwards', async () => {
  const pair = await MirrorPair.make(app);
  const { id } = expectStatus<Json>(
    await app.post(`/projects/${pair.copy.id}/remote_mirrors`, { json: { url: pair.address, enabled: true } }),
    201,
  );
  await silence(true);
  const sync = () => app.post(`/projects/${pair.copy.id}/remote_mirrors/${id}/sync`);
  await pushTo(app, pair.copy.id);
  expectStatus(await sync(), 204);
  await app.drain();
  assert.equal(pair.from.run(['for-each-ref', '--format=%(refname)']), '');
  await silence(false);
  expectStatus(await sync(), 204);
  await app.drain();
  assert.equal(pair.from.run(['for-each-ref', '--format=%(refname)']), 'refs/heads/main');
});

test('other requests only read', async () => {
  const send = async (method: 'GET' | 'POST') => {
    const response = await requestExternal(new URL(hooks.url), await outboundRules(app.deps), {
      method,
      signal: AbortSignal.timeout(60_000),
    });
    response.resume();
    return response.statusCode;
  };
  assert.equal(await send('POST'), 200);
  await silence(true);
  await assert.rejects(send('POST'), /only GET requests are sent in silent mode/);
  assert.equal(await send('GET'), 200);
});
