import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
/** Keys, and signatures over a commit of `ana@example.org`, that GnuPG made. */
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../test/fixtures/pgp', name), 'utf8');
let app: TestApp;
let project: Project;
let git: ProjectGit;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { a: '1' });
});
after(() => app.close());

/** The signed commit of the fixtures. */
function signedCommit(signature: string, change = (text: string) => text): string {
  const [head, message] = change(fixture('payload')).split('\n\n');
  const header = fixture(signature).trimEnd().replaceAll('\n', '\n ');
  const text = `${head}\ngpgsig ${header}\n\n${message}`;
  return git.run(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], text);
}
const signatureOf = async (sha: string) =>
  expectStatus<Json>(await app.get(`/projects/${project.id}/repository/commits/${sha}/signature`), 200);
const add = async (userId: number, key: string) =>
  expectStatus<Json>(await app.post(`/users/${userId}/gpg_keys`, { json: { key: fixture(key) } }), 201);

test('users manage their own keys, everyone reads them, administrators manage all', async () => {
  const { user, token } = await app.make.user();
  const other = await app.make.user();
  const key = fixture('old.asc');
  const made = expectStatus<Json>(await app.post('/user/gpg_keys', { token, json: { key } }), 201);
  assert.deepEqual(Object.keys(made), ['id', 'key', 'created_at']);
  assert.equal(made.key, key.trim());
  assert.deepEqual(expectStatus(await app.get('/user/gpg_keys', { token }), 200), [made]);
  assert.deepEqual(expectStatus(await app.get(`/user/gpg_keys/${made.id}`, { token }), 200), made);
  const path = `/users/${user.id}/gpg_keys`;
  assert.deepEqual(expectStatus(await app.get(path, { token: null }), 200), [made]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${made.id}`, { token: null }), 200), made);
  const { token: stranger } = other;
  const missing = expectStatus<Json>(await app.get(`/user/gpg_keys/${made.id}`, { token: stranger }), 404);
  assert.equal(missing.message, '404 GPG Key Not Found');
  expectStatus(await app.delete(`/user/gpg_keys/${made.id}`, { token: stranger }), 404);
  expectStatus(await app.post(`/user/gpg_keys/${made.id}/revoke`, { token: stranger }), 404);
  expectStatus(await app.get(`/users/${other.user.id}/gpg_keys/${made.id}`), 404);
  for (const [token, status] of [
    [stranger, 403],
    [null, 401],
  ] as const) {
    expectStatus(await app.post(path, { token, json: { key } }), status);
    expectStatus(await app.delete(`${path}/${made.id}`, { token }), status);
    expectStatus(await app.post(`${path}/${made.id}/revoke`, { token }), status);
  }
  const taken = expectStatus<Json>(await app.post('/user/gpg_keys', { token: stranger, json: { key } }), 400);
  assert.equal(taken.message, 'fingerprint has already been taken');
  expectStatus(await app.delete(`/user/gpg_keys/${made.id}`, { token }), 204);
  const again = await add(user.id, 'old.asc');
  expectStatus(await app.post(`/user/gpg_keys/${again.id}/revoke`, { token }), 202);
  const third = await add(user.id, 'old.asc');
  expectStatus(await app.post(`${path}/${third.id}/revoke`), 202);
  const fourth = await add(user.id, 'old.asc');
  expectStatus(await app.delete(`${path}/${fourth.id}`), 204);
  assert.deepEqual(expectStatus(await app.get(path), 200), []);
  expectStatus(await app.get('/users/999999/gpg_keys'), 404);
});

test('what is no public key is refused', async () => {
  const { token } = await app.make.user();
  const message = async (json: Json) =>
    expectStatus<Json>(await app.post('/user/gpg_keys', { token, json }), 400).message as string;
  assert.match(await message({ key: 'nothing' }), /^key is invalid\. A valid public GPG key begins with/);
  assert.match(await message({ key: fixture('ana.sig') }), /^key is invalid/);
  assert.match(await message({ key: fixture('ana.asc').replaceAll('PUBLIC', 'PRIVATE') }), /^key is invalid/);
  assert.match(await message({}), /key is missing/);
});

test('a commit is verified when a key of its committer signed it', async () => {
  const sha = signedCommit('ana.sig');
  assert.deepEqual(await signatureOf(sha), {
    signature_type: 'PGP',
    verification_status: 'unknown_key',
    commit_source: 'gitaly',
    gpg_key_id: null,
    gpg_key_primary_keyid: '957B61E18063AC35',
    gpg_key_user_name: null,
    gpg_key_user_email: null,
    gpg_key_subkey_id: null,
  });
  const { user, token } = await app.make.user({ username: 'ana' });
  const { id } = await add(user.id, 'ana.asc');
  assert.deepEqual(await signatureOf(sha), {
    signature_type: 'PGP',
    verification_status: 'verified',
    commit_source: 'gitaly',
    gpg_key_id: id,
    gpg_key_primary_keyid: '957B61E18063AC35',
    gpg_key_user_name: 'Ana Signer',
    gpg_key_user_email: 'ana@example.org',
    gpg_key_subkey_id: null,
  });
  const forged = signedCommit('ana.sig', (text) => text.replace('signed', 'forged'));
  assert.equal((await signatureOf(forged)).verification_status, 'unverified');
  await app.deps.db.updateTable('users').set({ confirmed_at: null }).where('id', '=', user.id).execute();
  assert.equal((await signatureOf(sha)).verification_status, 'unverified_key');
  await app.deps.db.updateTable('users').set({ confirmed_at: user.created_at }).where('id', '=', user.id).execute();
  assert.equal((await signatureOf(sha)).verification_status, 'verified');
  expectStatus(await app.post(`/user/gpg_keys/${id}/revoke`, { token }), 202);
  assert.equal((await signatureOf(sha)).verification_status, 'unknown_key');
});

test('a subkey signs for its key, but for no address of another user', async () => {
  const sha = signedCommit('ben-ecdsa.sig');
  const { user } = await app.make.user({ username: 'ben' });
  const { id } = await add(user.id, 'ben.asc');
  const shown = await signatureOf(sha);
  assert.equal(shown.verification_status, 'other_user');
  assert.deepEqual(
    [shown.gpg_key_id, shown.gpg_key_primary_keyid, shown.gpg_key_user_name, shown.gpg_key_user_email],
    [id, 'E1C6D8A41F6E6A05', 'Ben Signer', 'Ben@Example.org'],
  );
  assert.equal(typeof shown.gpg_key_subkey_id, 'number');
  await app.deps.db.deleteFrom('users').where('username', '=', 'ana').execute();
  const now = new Date().toISOString();
  const further = { user_id: user.id, email: 'ana@example.org', confirmed_at: now, created_at: now };
  await app.deps.db.insertInto('emails').values(further).execute();
  assert.equal((await signatureOf(sha)).verification_status, 'same_user_different_email');
  assert.equal((await signatureOf(signedCommit('ben-rsa.sig'))).verification_status, 'same_user_different_email');
  assert.equal((await signatureOf(signedCommit('ben-sha1.sig'))).verification_status, 'unverified');
});

test('a key without an address of its owner proves nothing', async () => {
  const { user } = await app.make.user();
  await add(user.id, 'old.asc');
  const shown = await signatureOf(signedCommit('old.sig'));
  assert.deepEqual([shown.verification_status, shown.gpg_key_user_email], ['unverified_key', 'old@example.org']);
});
