import { GitError } from '../common/index.ts';
import type { Repository } from '../repository/index.ts';

export type SignatureKind = 'PGP' | 'SSH' | 'X509';

export interface CommitSignature {
  kind: SignatureKind;
  /** Armoured signature with its line ends. */
  signature: string;
  /** The signed bytes: the commit or tag without its signatures. */
  payload: Buffer;
}

const ARMOURS: readonly (readonly [string, SignatureKind])[] = [
  ['-----BEGIN PGP SIGNATURE-----', 'PGP'],
  ['-----BEGIN PGP MESSAGE-----', 'PGP'],
  ['-----BEGIN SSH SIGNATURE-----', 'SSH'],
  ['-----BEGIN SIGNED MESSAGE-----', 'X509'],
];
const MAX_COMMIT = 10 * 1024 * 1024;

/** Splits the header lines of a commit (each with its continuation lines) from the rest. */
function splitHeaders(data: Buffer): { headers: Buffer[]; rest: Buffer } {
  const headers: Buffer[] = [];
  let start = 0;
  let at = 0;
  while (at < data.length && data[at] !== 10) {
    const newline = data.indexOf(10, at);
    const next = newline < 0 ? data.length : newline + 1;
    if (data[next] !== 0x20) {
      headers.push(data.subarray(start, next));
      start = next;
    }
    at = next;
  }
  return { headers, rest: data.subarray(start) };
}

const kindOf = (signature: string): SignatureKind | undefined =>
  ARMOURS.find(([armour]) => signature.startsWith(armour))?.[1];

/**
 * Extracts the signature of a commit and the signed bytes.
 * @param data content without git's object header
 * @param format of the repository: each has its own signature header
 * @returns null for an unsigned commit or an unknown kind of signature
 */
export function extractSignature(data: Buffer, format: 'sha1' | 'sha256' = 'sha1'): CommitSignature | null {
  const { headers, rest } = splitHeaders(data);
  const prefix = format === 'sha1' ? 'gpgsig ' : 'gpgsig-sha256 ';
  const isSignature = (header: Buffer) => /^gpgsig(?:-sha256)? /.test(header.toString('latin1', 0, 14));
  const header = headers.find((line) => line.toString('latin1', 0, prefix.length) === prefix);
  if (header === undefined) return null;
  const signature = header.toString('latin1', prefix.length).replaceAll('\n ', '\n');
  const kind = kindOf(signature);
  if (kind === undefined) return null;
  return { kind, signature, payload: Buffer.concat([...headers.filter((line) => !isSignature(line)), rest]) };
}

/**
 * Signature of a commit. Serves `GET /projects/:id/repository/commits/:sha/signature`.
 * @returns null if it is unsigned
 * @throws GitError `not_found` if `oid` is not a commit of the repository
 */
export async function signatureOf(repo: Repository, oid: string): Promise<CommitSignature | null> {
  const object = await repo.objects.read(oid, MAX_COMMIT);
  if (object?.type !== 'commit' || object.data === null) throw new GitError('not_found', `no commit ${oid}`);
  return extractSignature(object.data, oid.length === 64 ? 'sha256' : 'sha1');
}

/**
 * Signature at the end of an annotated tag's message, and the signed bytes before it. Serves `GET
 * /projects/:id/repository/tags/:tag_name/signature`.
 * @returns null if it is unsigned or `oid` is not a tag
 */
export async function tagSignatureOf(repo: Repository, oid: string): Promise<CommitSignature | null> {
  const object = await repo.objects.read(oid, MAX_COMMIT);
  if (object?.type !== 'tag' || object.data === null) return null;
  const { data } = object;
  const start = ARMOURS.map(([armour]) => data.indexOf(`\n${armour}\n`))
    .filter((at) => at !== -1)
    .reduce((first, at) => Math.min(first, at + 1), data.length);
  const signature = data.toString('latin1', start);
  const kind = kindOf(signature);
  return kind === undefined ? null : { kind, signature, payload: data.subarray(0, start) };
}
