import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './env.ts';

const NAME = 'STITHY_LICENSE_ISSUER';
/** An Ed25519 public key in its one-line form: Base64 of its DER (RFC 8410). */
const LINE = /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/;
const MAX_BYTES = 64 * 1024;

/**
 * Reads the public key of the trusted license issuer.
 * @param text the key itself, on one line or as PEM, or the path of a file with it
 * @returns Base64 of its DER on one line
 * @throws ConfigError
 */
export function readLicenseIssuer(text: string): string {
  if (LINE.test(text) || text.startsWith('-----BEGIN')) return inOneLine(text);
  return inOneLine(contentOf(resolve(text)));
}

function contentOf(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error('the file is too long for a key');
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${NAME} is neither a public key nor a file that can be read: ${(error as Error).message}.`);
  }
}

function inOneLine(text: string): string {
  if (text.includes('PRIVATE KEY')) {
    throw new ConfigError(`${NAME} is a private key. Set it to the public key, and keep the private key secret.`);
  }
  let key: KeyObject | null = null;
  try {
    key = LINE.test(text)
      ? createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
      : createPublicKey(text);
  } catch {
    // Reported below.
  }
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new ConfigError(`${NAME} is not an Ed25519 public key, as created by "stithy license issuer".`);
  }
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}
