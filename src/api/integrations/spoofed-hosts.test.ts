import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus, type TestApp } from '../../../test/support/app.ts';
import { type HookReceiver, receiveHooks } from '../../../test/support/hook-receiver.ts';
import { makeHook } from '../../../test/support/hooks.ts';
import { MailedApp } from '../../../test/support/mails.ts';

type Json = Record<string, unknown>;
let mailed: MailedApp;
let app: TestApp;
let receiver: HookReceiver;
before(async () => {
  mailed = await MailedApp.open({ STITHY_ALLOW_LOCAL_NETWORK: 'true' });
  app = mailed.app;
  receiver = await receiveHooks();
});
after(async () => {
  await mailed.close();
  await receiver.close();
});

test('what leaves the server has its own address, whatever host a request names', async () => {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const at = `/projects/${project.id}`;
  await makeHook(app, at, { url: receiver.url, issues_events: true, note_events: true });
  expectStatus(await app.put(`${at}/integrations/microsoft-teams`, { json: { webhook: `${receiver.url}/chat` } }), 200);
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-forwarded-port': '81',
    forwarded: 'host=evil.example;proto=gopher',
    'x-original-url': 'http://evil.example/',
    origin: 'http://evil.example',
  };
  const issue = { title: 'Broken', assignee_ids: [user.id] };
  const mails = await mailed.sentBy(async () => {
    const file = { branch: 'main', content: 'x', commit_message: 'x' };
    for (const [path, json] of [
      ['repository/files/a', file],
      ['issues', issue],
      ['issues/1/notes', { body: `@${user.username} see` }],
    ] as const) {
      const response = await app.post(`${at}/${path}`, { headers, json: json as Json });
      assert.doesNotMatch(expectStatus(response, 201) && response.body, /evil\.example|gopher/);
    }
  });
  assert.ok(mails.length >= 2);
  assert.ok(receiver.calls.some(({ path }) => path === '/chat'));
  assert.ok(receiver.calls.some(({ body }) => body.object_kind === 'issue'));
  const output = JSON.stringify([mails, receiver.calls]);
  assert.doesNotMatch(output, /evil\.example|gopher/);
  assert.match(output, /https:\/\/forge\.example\.com\//);
});
