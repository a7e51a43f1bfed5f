import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT_TOKEN } from '../../../../test/support/app.ts';
import { temporaryFolder } from '../../../../test/support/git-fixture.ts';
import { startServer } from '../../../../test/support/server-process.ts';
import { SmtpReceiver } from '../../../../test/support/smtp-receiver.ts';

test('a server that is killed between event and mail sends the mail once, under the name it had', async (t) => {
  let open = false;
  const asked: string[] = [];
  const receiver = await SmtpReceiver.listen({
    onRcptTo: ({ address }, _session, callback) => {
      asked.push(address);
      if (open) callback();
    },
  });
  const dataDir = await temporaryFolder(t);
  const settings = {
    STITHY_ROOT_TOKEN: ROOT_TOKEN,
    STITHY_SMTP_URL: receiver.url,
    STITHY_EXTERNAL_URL: 'https://forge.example.com',
  };
  let server = await startServer({ dataDir, settings });
  const post = async (path: string, json: object) => {
    const response = await fetch(`${server.url}/api/v4${path}`, {
      method: 'POST',
      headers: { 'private-token': ROOT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    assert.equal(response.status, 201, await response.clone().text());
    return (await response.json()) as { id: number; iid: number };
  };
  const until = async (done: () => boolean) => {
    for (let round = 0; round < 1_200 && !done(); round += 1) await wait(50);
    assert.ok(done());
  };
  try {
    const user = {
      name: 'Ada',
      username: 'ada',
      email: 'ada@example.org',
      password: 'correct horse battery',
      skip_confirmation: true,
    };
    const ada = await post('/users', user);
    const project = await post('/projects', { name: 'forge' });
    await post(`/projects/${project.id}/members`, { user_id: ada.id, access_level: 30 });
    const issue = await post(`/projects/${project.id}/issues`, { title: 'Leak', assignee_ids: [ada.id] });
    // The mail server was asked and has not answered.
    await until(() => asked.includes('ada@example.org'));
    await server.kill();
    assert.equal(receiver.mails.length, 0);
    open = true;
    server = await startServer({ dataDir, settings });
    const about = () => receiver.mails.filter(({ headers }) => headers['x-gitlab-issue-id'] === String(issue.id));
    await until(() => about().length > 0);
    // What is written later comes later: nothing more of the issue is on its way.
    await post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'Hm' });
    await until(() => about().length > 1);
    assert.deepEqual(
      about().map(({ headers }) => headers['message-id']!.replace(/note_\d+/, 'note_')),
      [`<issue_${issue.id}@forge.example.com>`, '<note_@forge.example.com>'],
    );
  } finally {
    if (server.child.exitCode === null && server.child.signalCode === null) {
      server.child.kill('SIGKILL');
      await once(server.child, 'exit');
    }
    await receiver.close();
  }
});
