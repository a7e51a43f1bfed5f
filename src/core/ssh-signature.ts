import { hash } from 'node:crypto';
import { SshReader, sshString } from './ssh-fields.ts';
import { verifySshSignatureInThreadPool } from './ssh-verify.ts';

/** An SSH signature, verified with its embedded key. */
export interface SshSignature {
  /** `SHA256:` fingerprint of its key, in base64 without padding. */
  fingerprint: string;
  /** Whether the key signed the payload for git. */
  valid: boolean;
}

const ARMOUR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\s*$/;
const MAX_LENGTH = 64 * 1024;
const MAGIC = Buffer.from('SSHSIG');
const NAMESPACE = 'git';

/** A parsed SSH signature and its verification input; `signed` is null if it is not for git. */
interface Read {
  publicKey: Buffer;
  signature: Buffer;
  signed: Buffer | null;
}

/** Null for another version, or trailing data. @throws RangeError for truncated fields */
function read(bytes: Buffer, payload: Buffer): Read | null {
  const fields = new SshReader(bytes, MAGIC.length);
  if (fields.uint32() !== 1) return null;
  const publicKey = fields.string();
  const [namespace, reserved, algorithm, signature] = [
    fields.string(),
    fields.string(),
    fields.text(),
    fields.string(),
  ];
  if (!fields.ended) return null;
  if (namespace.toString('latin1') !== NAMESPACE || (algorithm !== 'sha256' && algorithm !== 'sha512')) {
    return { publicKey, signature, signed: null };
  }
  const digest = hash(algorithm, payload, 'buffer');
  const parts = [namespace, reserved, Buffer.from(algorithm), digest].map(sshString);
  return { publicKey, signature, signed: Buffer.concat([MAGIC, ...parts]) };
}

function readArmoured(armoured: string, payload: Buffer): Read | null {
  const match = armoured.length > MAX_LENGTH ? null : ARMOUR.exec(armoured);
  if (match === null) return null;
  const bytes = Buffer.from(match[1]!, 'base64');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  try {
    return read(bytes, payload);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Parses and verifies an armoured SSH signature (OpenSSH's PROTOCOL.sshsig), in the thread pool.
 * @param payload the signed bytes
 * @returns null if it is not such a signature
 */
export async function readSshSignature(armoured: string, payload: Buffer): Promise<SshSignature | null> {
  const parsed = readArmoured(armoured, payload);
  if (parsed === null) return null;
  const { publicKey, signature, signed } = parsed;
  const fingerprint = `SHA256:${hash('sha256', publicKey, 'base64').replace(/=+$/, '')}`;
  return {
    fingerprint,
    valid: signed !== null && (await verifySshSignatureInThreadPool(publicKey, signature, signed)),
  };
}
