import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

interface Key {
  id: number;
  title: string;
  key: string;
  can_push: boolean;
  fingerprint: string;
  fingerprint_sha256: string;
  projects_with_write_access: { id: number; name_with_namespace: string; path_with_namespace: string }[];
  projects_with_readonly_access: { id: number }[];
  message?: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** A fresh Ed25519 key in the format of OpenSSH. */
function sshKey(comment = 'robot'): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  };
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const body = Buffer.concat([...field(Buffer.from('ssh-ed25519')), ...field(raw)]);
  return `ssh-ed25519 ${body.toString('base64')} ${comment}`;
}

async function scene() {
  const project = await app.make.project();
  const maintainer = await app.make.user();
  await app.make.member({ project }, maintainer.user, 40);
  return { project, path: `/projects/${project.id}/deploy_keys`, maintainer, token: maintainer.token };
}

test('a deploy key is added, shown with its fingerprints, changed and removed', async () => {
  const { path, token } = await scene();
  const key = sshKey();
  const made = expectStatus<Key>(await app.post(path, { token, json: { key: `  ${key}\n`, title: 'ci' } }), 201);
  assert.deepEqual([made.key, made.title, made.can_push], [key, 'ci', false]);
  assert.match(made.fingerprint, /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
  assert.match(made.fingerprint_sha256, /^SHA256:[A-Za-z0-9+/]{43}$/);
  const again = expectStatus<Key>(await app.post(path, { token, json: { key, title: 'other', can_push: true } }), 201);
  assert.deepEqual([again.id, again.title, again.can_push], [made.id, 'ci', false]);
  const changed = await app.put(`${path}/${made.id}`, { token, json: { title: 'deploy', can_push: true } });
  assert.deepEqual([expectStatus<Key>(changed, 200).title, changed.json<Key>().can_push], ['deploy', true]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${made.id}`, { token }), 200), changed.json());
  for (const fingerprint of [made.fingerprint, made.fingerprint_sha256]) {
    expectStatus(await app.get('/keys', { query: { fingerprint } }), 200);
  }
  assert.deepEqual(expectStatus(await app.get(path, { token }), 200), [changed.json()]);
  const empty = expectStatus<Key>(await app.put(`${path}/${made.id}`, { token, json: {} }), 400);
  assert.equal(empty.message, 'title, can_push are missing, at least one parameter must be provided');
  const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
  expectStatus(await app.delete(`${path}/${made.id}`, { token, headers: old }), 412);
  expectStatus(await app.delete(`${path}/${made.id}`, { token }), 204);
  const gone = expectStatus<Key>(await app.get(`${path}/${made.id}`, { token }), 404);
  assert.equal(gone.message, '404 Deploy Key Not Found');
  expectStatus(await app.post(path, { token, json: { key, title: 'anew' } }), 201);
});

test('deploy keys are for maintainers', async () => {
  const { path, project, token } = await scene();
  const people = await app.make.members(project);
  const json = { key: sshKey(), title: 'x' };
  for (const { token } of [people.guest, people.reporter, people.developer]) {
    expectStatus(await app.get(path, { token }), 403);
    expectStatus(await app.post(path, { token, json }), 403);
  }
  expectStatus(await app.get(path, { token: people.stranger.token }), 404);
  expectStatus(await app.get(path, { token: null }), 401);
  const readOnly = await app.make.token(people.maintainer.user.id, ['read_api']);
  expectStatus(await app.post(path, { token: readOnly, json }), 403);
  const made = expectStatus<Key>(await app.post(path, { token, json }), 201);
  const other = await scene();
  expectStatus(await app.get(`${other.path}/${made.id}`, { token: other.token }), 404);
  expectStatus(await app.put(`${other.path}/${made.id}`, { token: other.token, json: { can_push: true } }), 404);
  expectStatus(await app.delete(`${other.path}/${made.id}`, { token: other.token }), 404);
});

test('what is no key, has ended, or belongs to somebody else is refused', async () => {
  const { path, token } = await scene();
  const refuse = async (json: object, message: string) =>
    assert.equal(expectStatus<Key>(await app.post(path, { token, json }), 400).message, message);
  await refuse({ title: 'x' }, 'key is missing, key is empty');
  await refuse({ title: 'x', key: 'ssh-ed25519 AAAA' }, 'deploy_key.key is invalid');
  await refuse({ title: 'x', key: sshKey(), expires_at: '2020-01-01' }, 'deploy_key.key has expired');
  const other = await scene();
  const foreign = sshKey();
  expectStatus(await app.post(other.path, { token: other.token, json: { key: foreign, title: 'theirs' } }), 201);
  await refuse({ title: 'x', key: foreign }, 'deploy_key.fingerprint_sha256 has already been taken');
  const personal = sshKey();
  expectStatus(await app.post('/user/keys', { token, json: { key: personal, title: 'mine' } }), 201);
  await refuse({ title: 'x', key: personal }, 'deploy_key.fingerprint_sha256 has already been taken');
});

test('a key is shared by projects of one maintainer and stays until the last of them drops it', async () => {
  const first = await scene();
  const second = await scene();
  await app.make.member({ project: second.project }, first.maintainer.user, 40);
  const made = expectStatus<Key>(
    await app.post(first.path, { token: first.token, json: { key: sshKey(), title: 'shared', can_push: true } }),
    201,
  );
  const enable = `${second.path}/${made.id}/enable`;
  const foreign = expectStatus<Key>(await app.post(enable, { token: second.token }), 404);
  assert.equal(foreign.message, '404 Deploy Key Not Found');
  assert.equal(expectStatus<Key>(await app.post(enable, { token: first.token }), 201).id, made.id);
  expectStatus(await app.post(enable, { token: first.token }), 201);
  const here = expectStatus<Key>(await app.get(`${second.path}/${made.id}`, { token: second.token }), 200);
  assert.equal(here.can_push, false);
  const third = await scene();
  await app.make.member({ project: third.project }, first.maintainer.user, 40);
  const joined = await app.post(third.path, { token: first.token, json: { key: made.key, title: 'other' } });
  assert.equal(expectStatus<Key>(joined, 201).id, made.id);
  expectStatus(await app.delete(`${first.path}/${made.id}`, { token: first.token }), 204);
  expectStatus(await app.get(`${second.path}/${made.id}`, { token: second.token }), 200);
});

test('a key goes with the last project that uses it', async () => {
  const { path, project, token } = await scene();
  const other = await scene();
  const json = { key: sshKey(), title: 'x' };
  expectStatus(await app.post(path, { token, json }), 201);
  expectStatus(await app.post(other.path, { token: other.token, json }), 400);
  expectStatus(await app.delete(`/projects/${project.id}`), 202);
  expectStatus(await app.post(other.path, { token: other.token, json }), 201);
});

test('removing a key takes what protected branches gave it', async () => {
  const { path, project, token } = await scene();
  const made = expectStatus<Key>(await app.post(path, { token, json: { key: sshKey(), title: 'x' } }), 201);
  const now = '2026-01-01T00:00:00.000Z';
  const { db } = app.deps;
  const ref = await db
    .insertInto('protected_refs')
    .values({ project_id: project.id, kind: 'branch', name: 'release', created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('protected_ref_levels')
    .values({ protected_ref_id: ref.id, action: 'push', deploy_key_id: made.id })
    .execute();
  expectStatus(await app.delete(`${path}/${made.id}`, { token }), 204);
  const left = await db.selectFrom('protected_ref_levels').selectAll().where('deploy_key_id', '=', made.id).execute();
  assert.deepEqual(left, []);
});

test('administrators make public keys, which every maintainer enables, and see who uses a key', async () => {
  const { path, project, token } = await scene();
  const json = { key: sshKey(), title: 'public' };
  const made = expectStatus<Key>(await app.post('/deploy_keys', { json }), 201);
  const twice = expectStatus<Key>(await app.post('/deploy_keys', { json }), 400);
  assert.equal(twice.message, 'fingerprint_sha256 has already been taken');
  expectStatus(await app.post(`${path}/${made.id}/enable`, { token }), 201);
  expectStatus(await app.put(`${path}/${made.id}`, { token, json: { title: 'renamed' } }), 403);
  expectStatus(await app.put(`${path}/${made.id}`, { token, json: { can_push: true } }), 200);
  const list = expectStatus<Key[]>(await app.get('/deploy_keys', { query: { public: true } }), 200);
  assert.deepEqual(
    list.map(({ id }) => id),
    [made.id],
  );
  const [use, ...others] = list[0]!.projects_with_write_access;
  assert.deepEqual(
    [use?.id, use?.path_with_namespace, use?.name_with_namespace, others],
    [project.id, project.full_path, `Administrator / ${project.name}`, []],
  );
  expectStatus(await app.delete(`${path}/${made.id}`, { token }), 204);
  assert.equal(expectStatus<Key[]>(await app.get('/deploy_keys', { query: { public: true } }), 200).length, 1);
  expectStatus(await app.get('/deploy_keys', { token }), 403);
  expectStatus(await app.post('/deploy_keys', { token, json: { key: sshKey(), title: 'x' } }), 403);
  expectStatus(await app.get('/deploy_keys', { token: null }), 401);
});
