import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';

/** Input of a signature verification. */
export interface Verification {
  /** Null if the key's algorithm includes a hash. */
  digest: string | null;
  signed: Buffer;
  key: KeyObject | { key: KeyObject; dsaEncoding: 'ieee-p1363' };
  value: Buffer;
}

const verifyOnThread = promisify(verify) as (
  digest: string | null,
  signed: Buffer,
  key: Verification['key'],
  value: Buffer,
) => Promise<boolean>;

/** Whether the signature is valid; false for malformed signatures and keys. */
export function verifySync({ digest, signed, key, value }: Verification): boolean {
  try {
    return verify(digest, signed, key, value);
  } catch {
    return false;
  }
}

/** The same in the thread pool, without blocking the event loop. */
export async function verifyInThreadPool({ digest, signed, key, value }: Verification): Promise<boolean> {
  try {
    return await verifyOnThread(digest, signed, key, value);
  } catch {
    return false;
  }
}
