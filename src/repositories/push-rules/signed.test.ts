import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';
import type { TestUser } from '../../../test/support/factories.ts';
import { outputOf } from '../../../test/support/fork-server.ts';
import { runGitClient } from '../../../test/support/git-client.ts';
import { GitUser } from '../../../test/support/git-user.ts';
import { meanwhile } from '../../../test/support/meanwhile.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let git: GitUser;
let keys = 0;
before(async () => {
  app = await buildTestApp();
  git = await GitUser.of(app);
});
after(() => app.close());

/** A project that takes signed commits alone, who pushes to it, and their work tree with an SSH key to sign with. */
async function place() {
  const project = await app.make.project();
  const { maintainer, developer } = await app.make.members(project);
  const dir = await git.tree();
  await git.ok(dir, 'remote', 'add', 'origin', git.address(project, maintainer.token));
  await git.ok(dir, 'push', '--quiet', 'origin', 'main');
  expectStatus(await app.post(`/projects/${project.id}/push_rule`, { json: { reject_unsigned_commits: true } }), 201);
  return { project, maintainer, developer, dir, key: newKey('ed25519') };
}

function newKey(type: 'ed25519' | 'ecdsa' | 'rsa'): string {
  keys += 1;
  const file = join(git.folder, `key-${keys}`);
  outputOf('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', '', '-f', file]);
  return file;
}

async function register({ user }: TestUser, key: string, usage_type = 'auth_and_signing'): Promise<number> {
  const json = { title: 'Work', key: readFileSync(`${key}.pub`, 'utf8'), usage_type };
  return expectStatus<Json>(await app.post(`/users/${user.id}/keys`, { json }), 201).id as number;
}

/** Commits by an address, signed with a key. */
async function sign(dir: string, key: string, email: string): Promise<void> {
  const config = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`];
  const args = [...config, 'commit', '--quiet', '--allow-empty', '--gpg-sign', '--message', 'x'];
  const { code, stderr } = await runGitClient(dir, args, '', { GIT_COMMITTER_EMAIL: email });
  assert.equal(code, 0, stderr);
}
const push = (dir: string) => git.ok(dir, 'push', 'origin', 'HEAD:refs/heads/work');
const refused = (dir: string) => git.fails(dir, 'push', '--force', 'origin', 'HEAD:refs/heads/work');

test('commits have to be signed with a key that their committer has registered', async () => {
  const { dir, maintainer, key } = await place();
  await git.ok(dir, 'commit', '--quiet', '--allow-empty', '--message', 'unsigned');
  assert.match(await refused(dir), /remote: Stithy: Commit must be signed with a GPG or SSH key: [0-9a-f]{8} is not/);
  await git.ok(dir, 'reset', '--quiet', '--hard', 'origin/main');
  await sign(dir, key, maintainer.user.email);
  assert.match(await refused(dir), /the signature of [0-9a-f]{8} is not verified \(unknown_key\)/);
  const id = await register(maintainer, key);
  await push(dir);
  for (const type of ['ecdsa', 'rsa'] as const) {
    const other = newKey(type);
    await register(maintainer, other, 'signing');
    await sign(dir, other, maintainer.user.email.toUpperCase());
  }
  await push(dir);
  expectStatus(await app.delete(`/users/${maintainer.user.id}/keys/${id}`), 204);
  await sign(dir, key, maintainer.user.email);
  assert.match(await refused(dir), /not verified \(unknown_key\)/);
});

test('a signature proves nothing for another, with a key for signing in, or on other content', async () => {
  const { dir, maintainer, developer, key } = await place();
  await register(maintainer, key);
  await sign(dir, key, developer.user.email);
  assert.match(await refused(dir), /not verified \(other_user\)/);
  await git.ok(dir, 'reset', '--quiet', '--hard', 'origin/main');
  const door = newKey('ed25519');
  await register(maintainer, door, 'auth');
  await sign(dir, door, maintainer.user.email);
  assert.match(await refused(dir), /not verified \(unknown_key\)/);
  await git.ok(dir, 'reset', '--quiet', '--hard', 'origin/main');
  await sign(dir, key, maintainer.user.email);
  const { stdout } = await runGitClient(dir, ['cat-file', 'commit', 'HEAD']);
  writeFileSync(join(dir, 'forged'), stdout.toString().replace(/\nx\n$/, '\nforged\n'));
  const forged = (await git.ok(dir, 'hash-object', '-t', 'commit', '-w', 'forged')).trim();
  await git.ok(dir, 'reset', '--quiet', '--hard', forged);
  assert.match(await refused(dir), /not verified \(unverified\)/);
});

test('a commit that others have signed comes in by whoever pushes it', async () => {
  const { dir, developer, key } = await place();
  await register(developer, key);
  await sign(dir, key, developer.user.email);
  await push(dir);
});

test('OpenPGP signatures count as those of SSH do', async () => {
  const { dir } = await place();
  const fixture = (name: string) =>
    readFileSync(new URL(`../../../test/fixtures/pgp/${name}`, import.meta.url), 'utf8');
  const [head, message] = fixture('payload').split('\n\n');
  const signature = fixture('ana.sig').trimEnd().replaceAll('\n', '\n ');
  writeFileSync(join(dir, 'a'), '');
  writeFileSync(join(dir, 'signed'), `${head}\ngpgsig ${signature}\n\n${message}`);
  await git.ok(dir, 'rm', '--quiet', '--cached', 'README.md');
  await git.ok(dir, 'add', 'a');
  await git.ok(dir, 'write-tree');
  const sha = (await git.ok(dir, 'hash-object', '-t', 'commit', '-w', 'signed')).trim();
  await git.ok(dir, 'branch', 'signed', sha);
  const pushed = ['push', 'origin', 'signed'] as const;
  assert.match(await git.fails(dir, ...pushed), /not verified \(unknown_key\)/);
  const ana = await app.make.user({ username: 'ana' });
  const json = { key: fixture('ana.asc') };
  const { id } = expectStatus<Json>(await app.post(`/users/${ana.user.id}/gpg_keys`, { json }), 201);
  await git.ok(dir, ...pushed);
  await git.ok(dir, 'push', 'origin', ':signed');
  expectStatus(await app.delete(`/users/${ana.user.id}/gpg_keys/${id}`), 204);
  assert.match(await git.fails(dir, ...pushed), /not verified \(unknown_key\)/);
});

test('what the server commits itself is let in unsigned', async () => {
  const { project, maintainer, dir, key } = await place();
  const { token } = maintainer;
  const at = `/projects/${project.id}`;
  const json = { branch: 'web', start_branch: 'main', content: 'x', commit_message: 'x' };
  expectStatus(await app.post(`${at}/repository/files/new`, { token, json }), 201);
  await register(maintainer, key);
  await sign(dir, key, maintainer.user.email);
  await push(dir);
  const request = { source_branch: 'work', target_branch: 'web', title: 'x' };
  const { iid } = expectStatus<Json>(await app.post(`${at}/merge_requests`, { token, json: request }), 201);
  await app.drain();
  expectStatus(await app.put(`${at}/merge_requests/${iid}/merge`, { token, json: { squash: true } }), 200);
});

test('a key that goes while a push waits for its turn verifies nothing any more', async () => {
  const { dir, maintainer, key } = await place();
  await register(maintainer, key);
  await sign(dir, key, maintainer.user.email);
  meanwhile(app, () => app.deps.db.deleteFrom('ssh_keys').where('user_id', '=', maintainer.user.id).execute());
  assert.match(await refused(dir), /not verified \(unknown_key\)/);
});
