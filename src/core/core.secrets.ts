import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const argon2Async = promisify(argon2);

export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

const TAG_LENGTH = 32;

/** Hashes a password with Argon2id and a fresh salt, in the PHC string format. Runs off the event loop. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive(password, nonce, cost);
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${cost.memoryKiB},t=${cost.passes},p=1$${text(nonce)}$${text(tag)}`;
}

/** Whether the password fits a hash made by `hashPassword`; an unreadable hash fits nothing. */
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

/** A random text of letters and digits; 20 of them hold 119 bits. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte: past it the letters would not be equally likely.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** Whether two secrets are the same, in a time that tells nothing of where they differ. */
export const isSameSecret = (given: string, stored: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', stored, 'buffer'));

/** What is stored of a token: a digest, never the token. A token is random, so a plain hash is enough. */
export const tokenDigest = (token: string): string => hash('sha256', `stithy:${token}`, 'base64url');
