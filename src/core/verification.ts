import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';

/** What has to be done to find out whether a signature is good. */
export interface Verification {
  /** Null where the key's algorithm has its own. */
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

/** Whether the signature is good. What is no signature, or no key, at all is not. */
export function verifySync({ digest, signed, key, value }: Verification): boolean {
  try {
    return verify(digest, signed, key, value);
  } catch {
    return false;
  }
}

/** The same, found out on a thread of its own, while others have their turn. */
export async function verifyInThreadPool({ digest, signed, key, value }: Verification): Promise<boolean> {
  try {
    return await verifyOnThread(digest, signed, key, value);
  } catch {
    return false;
  }
}
