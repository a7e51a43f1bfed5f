import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';
import { isUnsynced } from './unsynced-folders.ts';

/** Name of the key file in the data folder. */
export const SECRETS_KEY = 'secrets.key';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16];
/** Prefix of encrypted texts: the format. */
const FORMAT = '1.';

/**
 * Encrypts secrets that are used but never shown again, such as tokens of webhooks. The database contains encrypted
 * texts only; the key is in the data folder.
 */
export class SecretBox {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param purpose column of the text; it cannot be decrypted for another one */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return FORMAT + sealed.toString('base64url');
  }

  /** @returns null if the text was not encrypted for this purpose with this key */
  open(sealed: string, purpose: string): string | null {
    const bytes = Buffer.from(sealed.slice(FORMAT.length), 'base64url');
    if (!sealed.startsWith(FORMAT) || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return null;
    }
  }
}

/**
 * Opens the key of an installation. It is created at the first start; if two processes create it at once, the first one
 * wins.
 * @throws StartupError if the file contains no key
 */
export function openSecretBox(dataDir: string): SecretBox {
  const path = join(dataDir, SECRETS_KEY);
  const text = readKey(path) ?? makeKey(path);
  const key = Buffer.from(text.trim(), 'base64url');
  if (key.length !== KEY_BYTES)
    throw new StartupError(`${path} does not contain a valid key. Restore the original file.`);
  return new SecretBox(key);
}

function readKey(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function makeKey(path: string): string {
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(part, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, { mode: 0o600, flush: !isUnsynced(path) });
  try {
    linkSync(part, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readFileSync(path, 'utf8');
}
