import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../support/app.ts';
import { type ProgramReceiver, receiveRequests } from '../support/program-receiver.ts';
import { slackBodies } from '../support/programs.ts';

/** The unmodified JavaScript client sets up what a project works with. It knows no integrations of groups. */
let app: TestApp;
let receiver: ProgramReceiver;
let api: InstanceType<typeof Gitlab<false>>;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  receiver = await receiveRequests();
  api = new Gitlab({ host: await app.listen(), token: ROOT_TOKEN });
});
after(async () => {
  await app.close();
  await receiver.close();
});

test('an integration is set up, told of an issue, changed and disabled', async () => {
  const { id } = await api.Projects.create({ name: 'Chatting' });
  assert.deepEqual(await api.Integrations.all(id), []);
  const webhook = `${receiver.url}/chat`;
  const made = await api.Integrations.edit(id, 'slack', { webhook, channel: '#dev', push_events: false });
  assert.deepEqual(
    [made.slug, made.title, made.active, made.push_events, made.issues_events],
    ['slack', 'Slack notifications', true, false, true],
  );
  const shown = await api.Integrations.show(id, 'slack');
  const properties = shown.properties as Record<string, unknown>;
  assert.equal(properties.channel, '#dev');
  assert.equal('webhook' in properties, false);
  await api.Issues.create(id, 'Leak');
  await app.drain();
  assert.deepEqual(
    slackBodies(receiver).map(({ channel }) => channel),
    ['#dev'],
  );
  assert.deepEqual(
    (await api.Integrations.all(id)).map(({ slug }) => slug),
    ['slack'],
  );
  await api.Integrations.disable(id, 'slack');
  assert.deepEqual(await api.Integrations.all(id), []);
  await assert.rejects(api.Integrations.show(id, 'mattermost'), /404|Not Found/i);
});
