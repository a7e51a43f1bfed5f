import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { outputOf } from '../../../test/support/fork-server.ts';
import { GitRepository } from '../../../test/support/git-repository.ts';
import { extractSignature, signatureOf } from './git.signature.ts';

let git: GitRepository;
before(() => {
  git = new GitRepository();
});
after(() => git.close());

test('an SSH signature made by git is found, and its payload is what was signed', async () => {
  const key = `${git.dir}/.git/key`;
  outputOf('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  git.write('a', 'a\n');
  git.git('add', '--all');
  const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}.pub`];
  git.bytes([...sign, 'commit', '--quiet', '-S', '-m', 'signed\n\nbody']);
  const oid = git.oid('HEAD');
  const signature = await signatureOf(git.repo, oid);
  assert.equal(signature?.kind, 'SSH');
  git.write('.git/sig', signature!.signature);
  outputOf('ssh-keygen', ['-Y', 'check-novalidate', '-n', 'git', '-s', `${git.dir}/.git/sig`], {
    input: signature!.payload,
  });
});

test('a commit without a signature gives null', async () => {
  assert.equal(await signatureOf(git.repo, git.commit('plain')), null);
});

test('a missing commit is not found', async () => {
  await assert.rejects(signatureOf(git.repo, 'a'.repeat(40)), { code: 'not_found' });
});

test('PGP and X509 are told by their armour, and the payload has no signature header', () => {
  const head = `tree ${'1'.repeat(40)}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n`;
  const signed = (armour: string) =>
    Buffer.from(`${head}gpgsig ${armour}\n line\n  indented\n -----END-----\nencoding latin1\n\ngpgsig text\n`);
  for (const [armour, kind] of [
    ['-----BEGIN PGP SIGNATURE-----', 'PGP'],
    ['-----BEGIN PGP MESSAGE-----', 'PGP'],
    ['-----BEGIN SIGNED MESSAGE-----', 'X509'],
  ] as const) {
    const signature = extractSignature(signed(armour));
    assert.equal(signature?.kind, kind);
    assert.equal(signature?.signature, `${armour}\nline\n indented\n-----END-----\n`);
    assert.equal(signature?.payload.toString(), `${head}encoding latin1\n\ngpgsig text\n`);
  }
  assert.equal(extractSignature(signed('garbage')), null);
  assert.equal(extractSignature(signed('-----BEGIN PGP SIGNATURE-----'), 'sha256'), null);
});
