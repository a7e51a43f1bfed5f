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

/** What the client makes of `null`. */
const NONE = {};

const statusOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error: { cause?: { response?: { status: number }; description?: unknown } }) => [
      error.cause?.response?.status,
      error.cause?.description,
    ],
  );

test('push rules of a group reach its projects, which may have rules of their own', async () => {
  const group = await api.Groups.create('Ruled', 'ruled');
  const project = await api.Projects.create({ name: 'Below', namespaceId: group.id, initializeWithReadme: true });
  assert.deepEqual(await statusOf(api.GroupPushRules.show(group.id)), [404, '404 Not Found']);
  assert.deepEqual(await api.ProjectPushRules.show(project.id), NONE);
  const made = await api.GroupPushRules.create(group.id, { commitMessageRegex: 'JIRA', maxFileSize: 5 });
  assert.deepEqual([made.commit_message_regex, made.max_file_size, made.deny_delete_tag], ['JIRA', 5, false]);
  assert.deepEqual(await api.GroupPushRules.show(group.id), made);
  const inherited = await api.ProjectPushRules.show(project.id);
  assert.deepEqual([inherited.commit_message_regex, inherited.max_file_size], ['JIRA', 5]);
  const action = { action: 'create', filePath: 'x', content: 'x' } as const;
  const commit = (message: string) => api.Commits.create(project.id, 'main', message, [action]);
  const refused = [400, "Commit message does not follow the pattern 'JIRA'"];
  assert.deepEqual(await statusOf(commit('none')), refused);
  const own = await api.ProjectPushRules.edit(project.id, { commitMessageRegex: 'FIX', preventSecrets: true });
  assert.deepEqual([own.commit_message_regex, own.max_file_size, own.prevent_secrets], ['FIX', 5, true]);
  assert.equal((await commit('FIX it')).title, 'FIX it');
  assert.deepEqual(await statusOf(api.ProjectPushRules.create(project.id, { memberCheck: true })), [
    422,
    'Project push rule exists, try updating',
  ]);
  await api.ProjectPushRules.remove(project.id);
  assert.equal((await api.ProjectPushRules.show(project.id)).commit_message_regex, 'JIRA');
  await api.GroupPushRules.remove(group.id);
  assert.deepEqual(await api.ProjectPushRules.show(project.id), NONE);
});

test('authorities of SSH certificates are added, listed and removed by the requests that the client sends', async () => {
  const group = await api.Groups.create('Signed', 'signed');
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEYY5VCsBZYOixUfEKM3p2Y/aYZ1RizlwzpfsXMk5YKp someone@somewhere';
  const at = `groups/${group.id}/ssh_certificates`;
  const { requester } = api.Groups;
  const { status, body } = await requester.post(at, { body: { title: 'Office', key } });
  const made = body as unknown as { id: number; title: string; key: string; created_at: string };
  assert.deepEqual([status, made.title, made.key], [201, 'Office', key.split(' ').slice(0, 2).join(' ')]);
  const { body: listed } = await requester.get(at);
  assert.deepEqual(listed, [made]);
  assert.deepEqual(await statusOf(requester.post(at, { body: { title: 'Again', key } })), [
    422,
    'Validation failed: Fingerprint must be unique. This CA has already been configured for another namespace.',
  ]);
  assert.equal((await requester.delete(`${at}/${made.id}`)).status, 204);
  assert.deepEqual((await requester.get(at)).body, []);
});
