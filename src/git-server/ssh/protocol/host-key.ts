import { type KeyObject, sign } from 'node:crypto';
import { SshReader, sshNumber, sshString } from '../../../core/ssh-fields.ts';

/** A key by which the server proves who it is. */
export interface HostKey {
  algorithm: string;
  /** The public key as it goes over the wire. */
  blob: Buffer;
  /** @returns the signature as it goes over the wire */
  sign(data: Buffer): Buffer;
}

/** Makes signatures with a private key. @param blob the public half of it; it begins with the algorithm */
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
