import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';

/** The key's file in the data folder. */
export const SECRETS_KEY = 'secrets.key';

const CIPHER = 'aes-256-gcm';
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16];
/** What sealed texts begin with: how they were sealed. */
const FORMAT = '1.';

/**
 * Seals what others gave the server to use and nobody is shown again, such as tokens of webhooks. The database holds the
 * sealed text alone; the key lies beside it in the data folder.
 */
export class SecretBox {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param purpose which column it is for: what was sealed for another one cannot be opened as this */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return FORMAT + sealed.toString('base64url');
  }

  /** @returns null for what was not sealed for this purpose with this key */
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
 * Opens the box of an installation. Its key is made at the first start; of two processes that make one at once, the first has it.
 * @throws StartupError for a file that holds no key
 */
export function openSecretBox(dataDir: string): SecretBox {
  const path = join(dataDir, SECRETS_KEY);
  const text = readKey(path) ?? makeKey(path);
  const key = Buffer.from(text.trim(), 'base64url');
  if (key.length !== KEY_BYTES) throw new StartupError(`${path} holds no key: bring back the file that was there.`);
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
  writeFileSync(part, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(part, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readFileSync(path, 'utf8');
}
