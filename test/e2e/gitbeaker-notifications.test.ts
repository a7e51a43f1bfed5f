import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';

/** The unmodified JavaScript client against the listening server. */
let app: TestApp;
let api: InstanceType<typeof Gitlab<false>>;
before(async () => {
  app = await buildTestApp();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
});
after(() => app.close());

test('one says what one wants to be mailed of: everywhere, in a group and in a project', async () => {
  const { id: projectId } = await app.make.project();
  const { id: groupId } = await app.make.group();
  const settings = api.NotificationSettings;
  const { level, notification_email } = await settings.show();
  assert.deepEqual([level, notification_email], ['participating', 'admin@example.com']);
  assert.equal((await settings.edit({ level: 'watch' })).level, 'watch');
  assert.equal((await settings.show()).level, 'watch');
  assert.deepEqual(await settings.show({ projectId }), { level: 'global' });
  const custom = await settings.edit({ groupId, level: 'custom', newNote: true, closeIssue: false });
  assert.equal(custom.level, 'custom');
  assert.partialDeepStrictEqual(custom.events, { new_note: true, close_issue: false, new_release: null });
  assert.deepEqual(await settings.show({ groupId }), custom);
  assert.deepEqual(await settings.show({ projectId }), { level: 'global' });
  await assert.rejects(settings.edit({ projectId, level: 'loud' as never }), /'loud' is not a valid level/);
});
