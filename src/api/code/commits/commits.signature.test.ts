import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { User } from '../../../db/tables/users.table.ts';

type Row = Record<string, unknown>;
let app: TestApp;
let project: Project;
let git: ProjectGit;
let dir: string;
let file: string;
let keys = 0;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
  git = new ProjectGit(app, project);
  git.commit('main', { a: '1' });
  dir = mkdtempSync(join(tmpdir(), 'stithy-signature-'));
});
after(async () => {
  await app.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  keys += 1;
  file = join(dir, `key${keys}`);
  outputOf('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
});

const get = (sha: string) => app.get(`/projects/${project.id}/repository/commits/${encodeURIComponent(sha)}/signature`);
const statusOf = async (sha: string) => expectStatus<Row>(await get(sha), 200).verification_status;

/** A commit signed with the test's key, committed by the owner of the address. */
function signed(email: string): string {
  const config = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${file}`];
  const args = [...config, 'commit-tree', '-S', '-m', `signed ${keys}`, git.run(['rev-parse', 'main^{tree}'])];
  return git.run(args, '', { GIT_COMMITTER_EMAIL: email });
}

async function register(user: User, columns: { usage_type?: 'auth' | 'signing' } = {}): Promise<unknown> {
  const json = { title: 'Work', key: readFileSync(`${file}.pub`, 'utf8'), ...columns };
  return expectStatus<Row>(await app.post(`/users/${user.id}/keys`, { json }), 201).id;
}

test('GET signature verifies an SSH signature of a registered key whose owner has the address', async () => {
  const { user } = await app.make.user();
  const sha = signed(user.email.toUpperCase());
  assert.equal(await statusOf(sha), 'unknown_key');
  const id = await register(user, { usage_type: 'signing' });
  const body = expectStatus<Row>(await get(sha), 200);
  assert.deepEqual([body.signature_type, body.verification_status, body.commit_source], ['SSH', 'verified', 'gitaly']);
  const key = body.key as Row;
  assert.deepEqual([key.id, key.title, key.usage_type, key.expires_at], [id, 'Work', 'signing', null]);
  assert.match(String(key.key), /^ssh-ed25519 /);
});

test('GET signature verifies with further addresses only once they are confirmed', async () => {
  const { user } = await app.make.user();
  await register(user);
  const email = `second-of-${user.username}@example.org`;
  const sha = signed(email);
  assert.equal(await statusOf(sha), 'other_user');
  const now = timestamp(app.deps.clock);
  await app.deps.db
    .insertInto('emails')
    .values({ user_id: user.id, email, confirmed_at: null, created_at: now })
    .execute();
  assert.equal(await statusOf(sha), 'other_user');
  await app.deps.db.updateTable('emails').set({ confirmed_at: now }).where('email', '=', email).execute();
  assert.equal(await statusOf(sha), 'verified');
});

test('GET signature does not let one user sign as another', async () => {
  const [signer, victim] = [await app.make.user(), await app.make.user()];
  await register(signer.user);
  assert.equal(await statusOf(signed(victim.user.email)), 'other_user');
  assert.equal(await statusOf(signed('nobody@example.org')), 'other_user');
});

test('GET signature takes no key that is for signing in only', async () => {
  const { user } = await app.make.user();
  await register(user, { usage_type: 'auth' });
  const body = expectStatus<Row>(await get(signed(user.email)), 200);
  assert.deepEqual([body.verification_status, body.key], ['unknown_key', null]);
});

test('GET signature tells a signature that was put on other content', async () => {
  const { user } = await app.make.user();
  await register(user);
  const text = git.run(['cat-file', 'commit', signed(user.email)]);
  const forged = git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], `${text}, changed\n`);
  const body = expectStatus<Row>(await get(forged), 200);
  assert.equal(body.verification_status, 'unverified');
  assert.equal((body.key as Row).title, 'Work');
});

test('GET signature names the maker of a PGP signature, and says what it cannot check', async () => {
  const head = git.run(['cat-file', 'commit', 'main']).split('\n\n')[0]!;
  const sign = (armoured: string) => {
    const header = armoured.trimEnd().replaceAll('\n', '\n ');
    return git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], `${head}\ngpgsig ${header}\n\nsigned\n`);
  };
  const pgp = `-----BEGIN PGP SIGNATURE-----\n\niHUEABYIAB0WIQSfcYhXHhLxKBanu4/6nlcv/Xov0gUCawHsPAAKCRD6nlcv/Xov\n0qw1AP921DmaRWg2IjUJ1LhpOyjVumLk7w7UUOLMJqa2S0UR4AD/a401kDwE/+uW\nhZpJbviuiQdNBe4z3tjVwJwSXlfIcAc=\n=y+1h\n-----END PGP SIGNATURE-----\n`;
  assert.deepEqual(expectStatus<Row>(await get(sign(pgp)), 200), {
    signature_type: 'PGP',
    verification_status: 'unknown_key',
    commit_source: 'gitaly',
    gpg_key_id: null,
    gpg_key_primary_keyid: 'FA9E572FFD7A2FD2',
    gpg_key_user_name: null,
    gpg_key_user_email: null,
    gpg_key_subkey_id: null,
  });
  assert.deepEqual(expectStatus<Row>(await get(sign('-----BEGIN SIGNED MESSAGE-----\nMII=\n')), 200), {
    signature_type: 'X509',
    verification_status: 'unverified',
    commit_source: 'gitaly',
    x509_certificate: null,
  });
  const broken = sign('-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----');
  assert.deepEqual([await statusOf(broken)], ['unverified']);
});

test('GET signature of an unsigned or unknown commit is 404', async () => {
  assert.equal(expectStatus(await get('main'), 404).message, '404 Signature Not Found');
  for (const sha of ['nope', '--all', 'f'.repeat(40)]) {
    assert.equal(expectStatus(await get(sha), 404).message, '404 Commit Not Found');
  }
});

test('GET signature follows visibility and roles', async () => {
  const closed = await app.make.project();
  new ProjectGit(app, closed).commit('main', { a: '1' });
  const users = await app.make.members(closed);
  const path = `/projects/${closed.id}/repository/commits/main/signature`;
  const message = async (token: string | null, status: number) =>
    expectStatus(await app.get(path, { token }), status).message;
  assert.equal(await message(null, 404), '404 Project Not Found');
  assert.equal(await message(users.stranger.token, 404), '404 Project Not Found');
  assert.equal(await message(users.guest.token, 403), '403 Forbidden');
  assert.equal(await message(users.reporter.token, 404), '404 Signature Not Found');
});
