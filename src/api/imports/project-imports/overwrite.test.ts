import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { sendArchive } from '../../../../test/support/imports.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { tarGzOf } from '../../../../test/support/tar.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const archiveOf = (attributes: Json) =>
  tarGzOf([
    ['VERSION', '0.2.4'],
    ['tree/project.json', JSON.stringify({ description: 'From afar', visibility_level: 20, ...attributes })],
    ['tree/project/issues.ndjson', `${JSON.stringify({ iid: 1, title: 'Came', author_id: 1 })}\n`],
  ]);
const send = async (fields: Record<string, string>, token: string, attributes: Json = {}) =>
  sendArchive(app, 'projects', await archiveOf(attributes), fields, token);
const imported = async (id: unknown) => expectStatus<Json>(await app.get(`/projects/${id}/import`), 200);

test('attributes that are given count instead of those of the archive', async () => {
  const { token } = await app.make.user({ admin: true });
  const fields = {
    path: 'overridden',
    'override_params[description]': 'Given',
    'override_params[visibility]': 'internal',
    'override_params[default_branch]': 'trunk',
    'override_params[merge_method]': 'ff',
    'override_params[topics][]': 'moved',
    // Where it is and what it is called is said elsewhere.
    'override_params[path]': 'elsewhere',
    'override_params[import_url]': 'http://127.0.0.1/x.git',
  };
  const made = expectStatus<Json>(await send(fields, token, { default_branch: 'old' }), 201);
  await app.drain();
  const project = expectStatus<Json>(await app.get(`/projects/${made.id}`), 200);
  assert.deepEqual(
    [project.path, project.description, project.visibility, project.merge_method, project.topics],
    ['overridden', 'Given', 'internal', 'ff', ['moved']],
  );
  assert.equal((await imported(made.id)).import_status, 'finished');
  const refused = await send({ path: 'badly', 'override_params[visibility]': 'secret' }, token);
  expectStatus(refused, 400);
});

test('a project is replaced when all has come, and not before', async () => {
  const group = await app.make.group();
  const before = await app.make.project({ namespace: group, path: 'tool' });
  new ProjectGit(app, before).commit('main', { 'a.txt': 'a' });
  const { token } = await app.make.user({ admin: true });
  const fields = { path: 'tool', name: 'Tool', namespace: group.full_path };
  expectStatus(await send(fields, token), 400);
  const made = expectStatus<Json>(await send({ ...fields, overwrite: 'true' }, token), 201);
  assert.equal(expectStatus<Json>(await app.get(`/projects/${group.full_path}%2Ftool`), 200).id, before.id);
  await app.drain();
  const now = expectStatus<Json>(await app.get(`/projects/${group.full_path}%2Ftool`), 200);
  assert.deepEqual([now.id, now.name, now.description], [made.id, 'Tool', 'From afar']);
  assert.equal(expectStatus<Json[]>(await app.get(`/projects/${made.id}/issues`), 200).length, 1);
  // It waits for its deletion as any other that somebody deletes.
  const old = await app.get(`/projects/${before.id}`);
  if (old.statusCode === 200) assert.notEqual(old.json<Json>().marked_for_deletion_on, null);
  // What is not there is simply made.
  const fresh = expectStatus<Json>(
    await send({ ...fields, path: 'fresh', name: 'Fresh', overwrite: 'true' }, token),
    201,
  );
  assert.equal(fresh.path, 'fresh');
  await app.drain();
  assert.equal((await imported(fresh.id)).import_status, 'finished');
});

test('an archive that cannot be read replaces nothing', async () => {
  const { token, user } = await app.make.user();
  const own = expectStatus<Json>(await app.post('/projects', { token, json: { name: 'kept' } }), 201);
  const fields = { path: 'kept', overwrite: 'true' };
  const made = expectStatus<Json>(await sendArchive(app, 'projects', Buffer.from('no'), fields, token), 201);
  await app.drain();
  assert.equal((await imported(made.id)).import_status, 'failed');
  const unchanged = expectStatus<Json>(await app.get(`/projects/${user.username}%2Fkept`), 200);
  assert.equal(unchanged.id, own.id);
});

test('who may not delete a project does not replace it either, also not when the right went meanwhile', async () => {
  const group = await app.make.group();
  await app.make.project({ namespace: group, path: 'theirs' });
  const bea = await app.make.user();
  await app.make.member({ group }, bea.user, 40);
  const fields = { path: 'theirs', namespace: group.full_path, overwrite: 'true' };
  expectStatus(await send(fields, bea.token), 403);
  const path = `/groups/${group.id}/members/${bea.user.id}`;
  expectStatus(await app.put(path, { json: { access_level: 50 } }), 200);
  const made = expectStatus<Json>(await send(fields, bea.token), 201);
  expectStatus(await app.put(path, { json: { access_level: 40 } }), 200);
  await app.drain();
  const failed = await imported(made.id);
  assert.deepEqual([failed.import_status, /must not be deleted/.test(String(failed.import_error))], ['failed', true]);
});
