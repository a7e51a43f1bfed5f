import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from './config.ts';

const pair = generateKeyPairSync('ed25519');
const pem = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
const line = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const issuerOf = (text: string) => loadConfig({ STITHY_LICENSE_ISSUER: text }).config.licenseIssuer;

test('the issuer of licenses is nobody, a key on a line, a key as PEM, or a file with either', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stithy-issuer-'));
  t.after(() => rm(folder, { recursive: true }));
  assert.equal(loadConfig({}).config.licenseIssuer, null);
  assert.equal(issuerOf(line), line);
  assert.equal(issuerOf(pem), line);
  for (const [name, text] of [
    ['pem', pem],
    ['line', `${line}\n`],
  ] as const) {
    await writeFile(join(folder, name), text);
    assert.equal(issuerOf(join(folder, name)), line);
  }
});

test('what is no public key of an issuer is refused, and a private key is never shown', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stithy-issuer-'));
  t.after(() => rm(folder, { recursive: true }));
  const secret = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  await writeFile(join(folder, 'secret'), secret);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'pem', type: 'spki' });
  for (const [text, says] of [
    [join(folder, 'none'), /STITHY_LICENSE_ISSUER is neither a public key nor a file/],
    [folder, /STITHY_LICENSE_ISSUER is neither/],
    [join(folder, 'secret'), /STITHY_LICENSE_ISSUER is a private key/],
    [secret, /STITHY_LICENSE_ISSUER is a private key/],
    [rsa.toString(), /STITHY_LICENSE_ISSUER is not an Ed25519 public key/],
    ['-----BEGIN NOTHING', /STITHY_LICENSE_ISSUER is not an Ed25519 public key/],
  ] as const) {
    assert.throws(
      () => issuerOf(text),
      (error: Error) => says.test(error.message) && !error.message.includes(secret.split('\n')[1]!),
    );
  }
});
