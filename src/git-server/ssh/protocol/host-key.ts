import { type KeyObject, sign } from 'node:crypto';
import { SshReader, sshNumber, sshString } from '../../../core/ssh-fields.ts';

/** A host key of the server. */
export interface HostKey {
  algorithm: string;
  /** Public key in wire format. */
  blob: Buffer;
  /** @returns the signature in wire format */
  sign(data: Buffer): Buffer;
}

/** Creates a host key from a private key. @param blob its public key in wire format, which starts with the algorithm */
export function hostKeyOf(privateKey: KeyObject, blob: Buffer): HostKey {
  const algorithm = new SshReader(blob).text();
  const raw = (data: Buffer): Buffer => {
    if (algorithm === 'ssh-ed25519') return sign(null, data, privateKey);
    const both = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const half = both.length / 2;
    return Buffer.concat([sshNumber(both.subarray(0, half)), sshNumber(both.subarray(half))]);
  };
  return { algorithm, blob, sign: (data) => Buffer.concat([sshString(algorithm), sshString(raw(data))]) };
}
