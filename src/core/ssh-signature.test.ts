import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSshSignature } from './ssh-signature.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'stithy-ssh-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

const PAYLOAD = Buffer.from('what was signed\n');

function sign(type: string, bits: string, options: string[] = []): { armoured: string; fingerprint: string } {
  const key = join(dir, `${type}-${bits}`);
  // It would ask before it overwrites.
  rmSync(key, { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-f', key], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const namespace = options.includes('-n') ? [] : ['-n', 'git'];
  const armoured = execFileSync('ssh-keygen', ['-Y', 'sign', ...namespace, ...options, '-f', key], {
    input: PAYLOAD,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString();
  const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', `${key}.pub`])
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
  test(`a signature by ${type} of ${bits} bits is checked against the key it names`, () => {
    const { armoured, fingerprint } = sign(type, bits);
    assert.deepEqual(readSshSignature(armoured, PAYLOAD), { fingerprint, valid: true });
    assert.equal(readSshSignature(armoured, Buffer.from('other'))?.valid, false);
  });
}

test('a signature for another purpose than git is not valid', () => {
  const { armoured } = sign('ed25519', '256', ['-n', 'file']);
  assert.equal(readSshSignature(armoured, PAYLOAD)?.valid, false);
});

test('damaged signatures are told apart from none, and never throw', () => {
  const { armoured } = sign('ecdsa', '256');
  const bytes = Buffer.from(armoured.split('\n').slice(1, -2).join(''), 'base64');
  const wrap = (data: Buffer) =>
    `-----BEGIN SSH SIGNATURE-----\n${data.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
  assert.equal(readSshSignature(wrap(bytes), PAYLOAD)?.valid, true);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0xff;
    assert.notEqual(readSshSignature(wrap(changed), PAYLOAD)?.valid, true, `byte ${at}`);
    assert.notEqual(readSshSignature(wrap(bytes.subarray(0, at)), PAYLOAD)?.valid, true, `cut at ${at}`);
  }
  assert.equal(readSshSignature('', PAYLOAD), null);
  assert.equal(readSshSignature(`-----BEGIN SSH SIGNATURE-----\n${'A'.repeat(70_000)}`, PAYLOAD), null);
});
