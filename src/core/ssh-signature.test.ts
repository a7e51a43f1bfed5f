import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { outputOf } from '../../test/support/fork-server.ts';
import { readSshSignature } from './ssh-signature.ts';
import { verifySshSignature } from './ssh-verify.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'stithy-ssh-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

const PAYLOAD = Buffer.from('what was signed\n');

function sign(type: string, bits: string, options: string[] = []): { armoured: string; fingerprint: string } {
  const key = join(dir, `${type}-${bits}`);
  // ssh-keygen would ask before it overwrites the file.
  rmSync(key, { force: true });
  outputOf('ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-f', key]);
  const namespace = options.includes('-n') ? [] : ['-n', 'git'];
  const armoured = outputOf('ssh-keygen', ['-Y', 'sign', ...namespace, ...options, '-f', key], {
    input: PAYLOAD,
  }).toString();
  const fingerprint = outputOf('ssh-keygen', ['-l', '-f', `${key}.pub`])
    .toString()
    .split(' ')[1]!;
  return { armoured, fingerprint };
}

for (const [type, bits] of [
  ['ed25519', '256'],
  ['ecdsa', '256'],
  ['ecdsa', '384'],
  ['ecdsa', '521'],
  ['rsa', '2048'],
] as const) {
  test(`a signature by ${type} of ${bits} bits is checked against the key it names`, async () => {
    const { armoured, fingerprint } = sign(type, bits);
    assert.deepEqual(await readSshSignature(armoured, PAYLOAD), { fingerprint, valid: true });
    assert.equal((await readSshSignature(armoured, Buffer.from('other')))?.valid, false);
  });
}

test('an RSA signature may leave out the zeros in front of it, and is never longer than the modulus', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { e, n } = publicKey.export({ format: 'jwk' });
  const modulus = Buffer.from(n!, 'base64url');
  const blob = Buffer.concat(
    ['ssh-rsa', Buffer.from(e!, 'base64url'), Buffer.concat([Buffer.alloc(1), modulus])].map(field),
  );
  // One of 256 signatures begins with a zero.
  let [text, whole] = [Buffer.alloc(0), Buffer.alloc(1, 1)];
  for (let n = 0; whole[0] !== 0; n += 1) {
    text = Buffer.from(String(n));
    whole = signBytes('sha512', text, privateKey);
  }
  const isGood = (signature: Buffer, signed = text) =>
    verifySshSignature(blob, Buffer.concat(['rsa-sha2-512', signature].map(field)), signed);
  assert.ok(isGood(whole));
  assert.ok(isGood(whole.subarray(whole.findIndex((byte) => byte !== 0))));
  assert.equal(isGood(Buffer.concat([Buffer.alloc(1), whole])), false);
  assert.equal(isGood(whole.subarray(1), Buffer.from('other')), false);
  for (const bad of [whole.subarray(1, -1), whole.subarray(2), Buffer.alloc(0), Buffer.alloc(256)]) {
    if (!Buffer.concat([Buffer.alloc(256 - bad.length), bad]).equals(whole)) assert.equal(isGood(bad), false);
  }
});

/** A field with its length prefix. */
const field = (bytes: Buffer | string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(bytes));
  return Buffer.concat([length, Buffer.from(bytes)]);
};
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** A signature of a simulated security token; `seen` are its flags and counter. */
function signOnToken(kind: 'ed25519' | 'ecdsa', seen = Buffer.from([1, 0, 0, 0, 7])): string {
  const curve = { namedCurve: 'P-256' };
  const pair = kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', curve);
  const { x, y } = pair.publicKey.export({ format: 'jwk' });
  const bits = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  const type = kind === 'ed25519' ? 'sk-ssh-ed25519@openssh.com' : 'sk-ecdsa-sha2-nistp256@openssh.com';
  const point = Buffer.concat([Buffer.from([4]), bits(x), bits(y)]);
  const number = kind === 'ed25519' ? field(bits(x)) : Buffer.concat([field('nistp256'), field(point)]);
  const key = Buffer.concat([field(type), number, field('ssh:')]);
  const parts = [Buffer.from('git'), Buffer.alloc(0), Buffer.from('sha256'), sha256(PAYLOAD)].map(field);
  const signedData = Buffer.concat([sha256('ssh:'), seen, sha256(Buffer.concat([Buffer.from('SSHSIG'), ...parts]))]);
  const raw =
    kind === 'ed25519'
      ? signBytes(null, signedData, pair.privateKey)
      : signBytes('sha256', signedData, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
  const positive = (half: Buffer) => field(Buffer.concat([Buffer.from([0]), half]));
  const value = kind === 'ed25519' ? raw : Buffer.concat([positive(raw.subarray(0, 32)), positive(raw.subarray(32))]);
  const signature = Buffer.concat([field(type), field(value), seen]);
  const whole = [Buffer.from([0, 0, 0, 1]), ...[key, 'git', '', 'sha256', signature].map(field)];
  const armour = Buffer.concat([Buffer.from('SSHSIG'), ...whole]).toString('base64');
  return `-----BEGIN SSH SIGNATURE-----\n${armour}\n-----END SSH SIGNATURE-----\n`;
}

for (const kind of ['ed25519', 'ecdsa'] as const) {
  test(`a signature by a security token (${kind}) is checked with what the token says`, async () => {
    const good = signOnToken(kind);
    assert.equal((await readSshSignature(good, PAYLOAD))?.valid, true);
    assert.equal((await readSshSignature(good, Buffer.from('other')))?.valid, false);
    assert.equal((await readSshSignature(signOnToken(kind, Buffer.from([1])), PAYLOAD))?.valid, false);
    const bytes = Buffer.from(good.split('\n')[1]!, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    const changed = good.replace(/\n.*\n/, `\n${bytes.toString('base64')}\n`);
    assert.equal((await readSshSignature(changed, PAYLOAD))?.valid, false);
  });
}

test('a signature for another purpose than git is not valid', async () => {
  const { armoured } = sign('ed25519', '256', ['-n', 'file']);
  assert.equal((await readSshSignature(armoured, PAYLOAD))?.valid, false);
});

test('damaged signatures are told apart from none, and never throw', async () => {
  const { armoured } = sign('ecdsa', '256');
  const bytes = Buffer.from(armoured.split('\n').slice(1, -2).join(''), 'base64');
  const wrap = (data: Buffer) =>
    `-----BEGIN SSH SIGNATURE-----\n${data.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
  assert.equal((await readSshSignature(wrap(bytes), PAYLOAD))?.valid, true);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0xff;
    assert.notEqual((await readSshSignature(wrap(changed), PAYLOAD))?.valid, true, `byte ${at}`);
    assert.notEqual((await readSshSignature(wrap(bytes.subarray(0, at)), PAYLOAD))?.valid, true, `cut at ${at}`);
  }
  assert.equal(await readSshSignature(wrap(Buffer.concat([bytes, Buffer.alloc(1)])), PAYLOAD), null);
  assert.equal(await readSshSignature('', PAYLOAD), null);
  assert.equal(await readSshSignature(`-----BEGIN SSH SIGNATURE-----\n${'A'.repeat(70_000)}`, PAYLOAD), null);
});
