import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isSignedBy, readPgpKey } from './pgp.key.ts';
import { readPgpSignature } from './pgp.signature.ts';

/** Keys and signatures over `payload` made by GnuPG. */
const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../../test/fixtures/pgp', name));
const keyOf = (name: string) => readPgpKey(fixture(name).toString())!;
const payload = fixture('payload');
const signed = (key: string, signature: string, bytes = payload) =>
  isSignedBy(keyOf(key), readPgpSignature(fixture(signature).toString())!, bytes);

test('keys of GnuPG are read with their subkeys and user ids', () => {
  const ana = keyOf('ana.asc');
  assert.equal(ana.fingerprint, '37DD128A445EDF619C935127957B61E18063AC35');
  assert.equal(ana.keyid, '957B61E18063AC35');
  assert.deepEqual(ana.userIds, [{ name: 'Ana Signer', email: 'ana@example.org' }]);
  assert.deepEqual(
    ana.keys.map(({ keyid, signs }) => [keyid, signs]),
    [['957B61E18063AC35', true]],
  );
  const ben = keyOf('ben.asc');
  assert.deepEqual(
    ben.keys.map(({ keyid, signs }) => [keyid, signs]),
    [
      ['E1C6D8A41F6E6A05', false],
      ['B7ED9D12EC928D93', true],
      ['AC3CC5E223FDE801', false],
      ['5FF66902336626F6', true],
    ],
  );
  assert.deepEqual(ben.userIds.map(({ email }) => email).sort(), ['Ben@Example.org', 'other@example.org']);
});

test('signatures of Ed25519, ECDSA and RSA keys are checked', async () => {
  assert.equal(await signed('ana.asc', 'ana.sig'), true);
  assert.equal(await signed('ben.asc', 'ben-ecdsa.sig'), true);
  assert.equal(await signed('ben.asc', 'ben-rsa.sig'), true);
  assert.equal(await signed('old.asc', 'old.sig'), true);
});

test('other bytes, other keys and SHA-1 do not pass', async () => {
  const changed = Buffer.from(payload);
  changed[0]! ^= 1;
  for (const name of ['ana', 'ben-ecdsa', 'ben-rsa']) {
    assert.equal(await signed(`${name.slice(0, 3)}.asc`, `${name}.sig`, changed), false, name);
  }
  assert.equal(await signed('ana.asc', 'ben-rsa.sig'), false);
  assert.equal(await signed('ben.asc', 'ben-sha1.sig'), false);
});

test('a revoked key or subkey makes no signatures', async () => {
  assert.equal(await signed('ben-subkey-revoked.asc', 'ben-ecdsa.sig'), false);
  assert.equal(await signed('ben-subkey-revoked.asc', 'ben-rsa.sig'), true);
  assert.equal(await signed('ana-revoked.asc', 'ana.sig'), false);
});

test('a key makes no signatures after its end', async () => {
  const key = keyOf('old.asc');
  const signature = readPgpSignature(fixture('old.sig').toString())!;
  assert.equal(await isSignedBy(key, { ...signature, created: key.keys[0]!.until }, payload), false);
  assert.equal(await isSignedBy(key, { ...signature, created: key.keys[0]!.from - 1 }, payload), false);
});

test('what a key does not itself sign counts for nothing', () => {
  const text = fixture('ben.asc').toString();
  const bytes = Buffer.from(text.split('\n').slice(2, -3).join(''), 'base64');
  const armoured = (changed: Buffer) =>
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${changed.toString('base64')}\n-----END PGP PUBLIC KEY BLOCK-----`;
  assert.equal(readPgpKey(armoured(bytes))?.keyid, 'E1C6D8A41F6E6A05');
  const forged = Buffer.from(bytes);
  forged.write('eve@example.org>', bytes.indexOf('Ben@Example.org'));
  const emails = readPgpKey(armoured(forged))?.userIds.map(({ email }) => email);
  assert.deepEqual(emails, ['other@example.org']);
});

test('damaged keys and signatures are refused and never throw', () => {
  const bytes = Buffer.from(fixture('ben.asc').toString().split('\n').slice(2, -3).join(''), 'base64');
  const wrap = (data: Buffer, kind: string) =>
    `-----BEGIN PGP ${kind}-----\n\n${data.toString('base64')}\n-----END PGP ${kind}-----`;
  for (let at = 0; at < bytes.length; at += 37) {
    readPgpKey(wrap(bytes.subarray(0, at), 'PUBLIC KEY BLOCK'));
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0xff;
    readPgpKey(wrap(changed, 'PUBLIC KEY BLOCK'));
  }
  const secret = fixture('ana.asc').toString().replaceAll('PUBLIC', 'PRIVATE');
  for (const text of ['', 'nothing', secret, fixture('ana.sig').toString()]) {
    assert.equal(readPgpKey(text), null);
  }
  assert.equal(readPgpSignature(fixture('ana.asc').toString()), null);
  assert.equal(readPgpKey('x'.repeat(600_000)), null);
});

test('the maker of a signature is read, with any line ends and headers, signed or not', () => {
  const text = fixture('ana.sig').toString();
  assert.equal(readPgpSignature(text)?.issuer, '957B61E18063AC35');
  assert.equal(readPgpSignature(text.replaceAll('\n', '\r\n'))?.issuer, '957B61E18063AC35');
  assert.equal(readPgpSignature(text.replace('\n\n', '\nVersion: 1\n\n'))?.issuer, '957B61E18063AC35');
  const issuer = Buffer.from('09100123456789abcdef', 'hex');
  const body = Buffer.concat([Buffer.from([4, 0, 22, 8, 0, 0, 0, issuer.length]), issuer, Buffer.alloc(2)]);
  const bytes = Buffer.concat([Buffer.from([0xc2, body.length]), body]);
  const armoured = `-----BEGIN PGP SIGNATURE-----\n\n${bytes.toString('base64')}\n-----END PGP SIGNATURE-----`;
  assert.equal(readPgpSignature(armoured)?.issuer, '0123456789ABCDEF');
  for (const bad of ['', 'x', `-----BEGIN PGP SIGNATURE-----\n\n${'A'.repeat(70_000)}`]) {
    assert.equal(readPgpSignature(bad), null);
  }
});
