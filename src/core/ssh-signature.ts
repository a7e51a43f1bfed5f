import { hash } from 'node:crypto';
import { SshReader, sshString } from './ssh-fields.ts';
import { verifySshSignature } from './ssh-verify.ts';

/** An SSH signature, read and checked against the key it names. */
export interface SshSignature {
  /** `SHA256:` of the key it was made with, with base64 without padding. */
  fingerprint: string;
  /** Whether that key signed these bytes, for git. */
  valid: boolean;
}

const ARMOUR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\s*$/;
const MAX_LENGTH = 64 * 1024;
const MAGIC = Buffer.from('SSHSIG');
const NAMESPACE = 'git';

/**
 * Reads an armoured SSH signature (OpenSSH's PROTOCOL.sshsig) and checks it.
 * @param payload the bytes that were signed
 * @returns null where the text is no such signature
 */
export function readSshSignature(armoured: string, payload: Buffer): SshSignature | null {
  const match = armoured.length > MAX_LENGTH ? null : ARMOUR.exec(armoured);
  if (match === null) return null;
  const bytes = Buffer.from(match[1]!, 'base64');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  try {
    const fields = new SshReader(bytes, MAGIC.length);
    if (fields.uint32() !== 1) return null;
    const publicKey = fields.string();
    const [namespace, reserved, algorithm, signature] = [
      fields.string(),
      fields.string(),
      fields.text(),
      fields.string(),
    ];
    const fingerprint = `SHA256:${hash('sha256', publicKey, 'base64').replace(/=+$/, '')}`;
    if (namespace.toString('latin1') !== NAMESPACE || (algorithm !== 'sha256' && algorithm !== 'sha512')) {
      return { fingerprint, valid: false };
    }
    const digest = hash(algorithm, payload, 'buffer');
    const parts = [namespace, reserved, Buffer.from(algorithm), digest].map(sshString);
    return { fingerprint, valid: verifySshSignature(publicKey, signature, Buffer.concat([MAGIC, ...parts])) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
