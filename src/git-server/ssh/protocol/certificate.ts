import { SshReader, sshString } from '../../../core/ssh-fields.ts';

const SUFFIX = '-cert-v01@openssh.com';
/** How many strings of a plain key stand after its type, by the type. */
const KEY_FIELDS: Readonly<Record<string, number>> = {
  'ssh-rsa': 2,
  'ssh-ed25519': 1,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};
const MAX_BYTES = 32 * 1024;

/** Whether what a client shows is a certificate and no plain key. @throws RangeError for neither */
export const isCertificate = (blob: Buffer): boolean => new SshReader(blob).text().endsWith(SUFFIX);

/** Types of plain keys by those of their certificates. */
function plainType(type: string): string {
  const bare = type.slice(0, -SUFFIX.length);
  return bare.startsWith('sk-') ? `${bare}@openssh.com` : bare;
}

/** The key in a certificate. @throws RangeError for what is none */
export function certifiedKey(blob: Buffer): Buffer {
  if (blob.length > MAX_BYTES) throw new RangeError('a certificate that is too long');
  const reader = new SshReader(blob);
  const type = plainType(reader.text());
  const fields = Object.hasOwn(KEY_FIELDS, type) ? KEY_FIELDS[type]! : undefined;
  if (fields === undefined) throw new RangeError('a certificate of an unknown kind');
  reader.string();
  const parts = Array.from({ length: fields }, () => sshString(reader.string()));
  return Buffer.concat([sshString(type), ...parts]);
}
