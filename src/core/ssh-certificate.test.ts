import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { outputOf } from '../../test/support/fork-server.ts';
import { certifiedKey, isCertificate, readCertificate } from './ssh-certificate.ts';
import { sshString } from './ssh-fields.ts';
import { verifySshSignature } from './ssh-verify.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'stithy-certificate-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const blobOf = (path: string): Buffer => Buffer.from(readFileSync(path, 'utf8').split(' ')[1]!, 'base64');

function certificate(name: string, kind: string[]): { blob: Buffer; plain: Buffer } {
  const [ca, key] = [join(folder, `ca-${name}`), join(folder, name)];
  for (const path of [ca, key]) outputOf('ssh-keygen', ['-q', ...kind, '-N', '', '-f', path]);
  const options = [
    '-I',
    'ann',
    '-n',
    'git,ann',
    '-z',
    '7',
    '-V',
    '20260101:20270101',
    '-O',
    'source-address=10.0.0.0/8',
  ];
  outputOf('ssh-keygen', ['-q', '-s', ca, ...options, `${key}.pub`]);
  return { blob: blobOf(`${key}-cert.pub`), plain: blobOf(`${key}.pub`) };
}

for (const kind of [
  ['-t', 'ed25519'],
  ['-t', 'ecdsa', '-b', '384'],
  ['-t', 'rsa', '-b', '2048'],
]) {
  test(`a certificate of ${kind.join(' ')} is read, and not good any more when a byte of it is another`, () => {
    const { blob, plain } = certificate(kind.slice(1).join(''), kind);
    assert.ok(isCertificate(blob));
    assert.deepEqual(certifiedKey(blob), plain);
    const {
      keyId,
      principals,
      serial,
      kind: use,
      criticalOptions,
      authority,
      signature,
      signed,
    } = readCertificate(blob);
    assert.deepEqual([keyId, principals, serial, use], ['ann', ['git', 'ann'], 7n, 'user']);
    assert.deepEqual([...criticalOptions], [['source-address', sshString('10.0.0.0/8')]]);
    assert.ok(verifySshSignature(authority, signature, signed));
    const good = (bytes: Buffer): boolean => {
      try {
        const read = readCertificate(bytes);
        return read.authority.equals(authority) && verifySshSignature(read.authority, read.signature, read.signed);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
        return false;
      }
    };
    const step = blob.length > 800 ? 3 : 1;
    for (let at = 0; at < blob.length; at += step) {
      const changed = Buffer.from(blob);
      changed[at]! ^= 0xff;
      assert.equal(good(changed), false, `byte ${at}`);
      assert.equal(good(blob.subarray(0, at)), false, `cut at ${at}`);
    }
    assert.equal(good(Buffer.concat([blob, Buffer.from('x')])), false);
  });
}

/** Key and signature of a security token, with flags that tell whether it was touched. */
function token(kind: 'ed25519' | 'ecdsa', message: Buffer, flags: number) {
  const application = 'ssh:';
  const signs = (key: KeyObject, algorithm: string | null) => {
    const text = [
      hash('sha256', application, 'buffer'),
      Buffer.from([flags, 0, 0, 0, 9]),
      hash('sha256', message, 'buffer'),
    ];
    return sign(algorithm, Buffer.concat(text), { key, dsaEncoding: 'ieee-p1363' });
  };
  const counter = Buffer.from([flags, 0, 0, 0, 9]);
  if (kind === 'ed25519') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const x = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    const type = sshString('sk-ssh-ed25519@openssh.com');
    return {
      key: Buffer.concat([type, sshString(x), sshString(application)]),
      signature: Buffer.concat([type, sshString(signs(privateKey, null)), counter]),
    };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  const type = sshString('sk-ecdsa-sha2-nistp256@openssh.com');
  const both = signs(privateKey, 'sha256');
  const numbers = Buffer.concat(
    [both.subarray(0, 32), both.subarray(32)].map((half) => sshString(Buffer.concat([Buffer.alloc(1), half]))),
  );
  return {
    key: Buffer.concat([type, sshString('nistp256'), sshString(point), sshString(application)]),
    signature: Buffer.concat([type, sshString(numbers), counter]),
  };
}

test('keys on security tokens sign, where somebody has touched the token', () => {
  const message = Buffer.from('what was signed');
  for (const kind of ['ed25519', 'ecdsa'] as const) {
    const touched = token(kind, message, 1);
    assert.equal(verifySshSignature(touched.key, touched.signature, message), true, kind);
    assert.equal(verifySshSignature(touched.key, touched.signature, Buffer.from('other')), false);
    assert.equal(verifySshSignature(token(kind, message, 1).key, touched.signature, message), false);
    const untouched = token(kind, message, 0);
    assert.equal(verifySshSignature(untouched.key, untouched.signature, message), false, `${kind}, untouched`);
  }
});
