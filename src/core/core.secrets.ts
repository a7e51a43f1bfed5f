import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const argon2Async = promisify(argon2);

export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

const TAG_LENGTH = 32;

/** Hashes a password with Argon2id and a random salt, in the PHC string format. Runs in the thread pool. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive(password, nonce, cost);
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${cost.memoryKiB},t=${cost.passes},p=1$${text(nonce)}$${text(tag)}`;
}

/** Whether a password matches a hash made by `hashPassword`; false for an unreadable hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored);
  if (match === null) return false;
  const [, memory, passes, nonce, tag] = match;
  const expected = Buffer.from(tag!, 'base64');
  const cost = { memoryKiB: Number(memory), passes: Number(passes) };
  const actual = await derive(password, Buffer.from(nonce!, 'base64'), cost);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

async function derive(password: string, nonce: Buffer, cost: PasswordCost): Promise<Buffer> {
  return Buffer.from(
    await argon2Async('argon2id', {
      message: Buffer.from(password.normalize('NFC')),
      nonce,
      parallelism: 1,
      tagLength: TAG_LENGTH,
      memory: cost.memoryKiB,
      passes: cost.passes,
    }),
  );
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random text of letters and digits; 20 of them have 119 bits of entropy. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte: higher values would make some characters more likely.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** Compares two secrets in constant time. */
export const isSameSecret = (candidate: string, stored: string): boolean =>
  timingSafeEqual(hash('sha256', candidate, 'buffer'), hash('sha256', stored, 'buffer'));

/** The stored digest of a token. Tokens are random, so a plain hash suffices. */
export const tokenDigest = (token: string): string => hash('sha256', `stithy:${token}`, 'base64url');
