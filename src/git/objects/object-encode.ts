import { compareBytes, encodeBytes, GitError, isOid, isValidRefName, type ObjectType } from '../common/index.ts';
import type { TreeEntry } from './git.objects.ts';

/** Identity and date for a new commit. */
export interface NewIdentity {
  name: string;
  email: string;
  date: Date;
  /** `+hhmm` or `-hhmm`; default `+0000`. */
  timezone?: string;
}

export interface NewCommit {
  tree: string;
  parents: readonly string[];
  author: NewIdentity;
  committer: NewIdentity;
  message: string;
}

const MODES = new Set(['100644', '100755', '120000', '160000', '040000']);
/** Characters that git strips from both ends of a name. */
const CRUD = /^[\0-\x20.,:;<>"\\']+|[\0-\x20.,:;<>"\\']+$/g;

/** Removes everything from a name or address that could end its field or line. */
function cleanIdentityPart(text: string): string {
  return text.replace(/[\0-\x1f\x7f<>]/g, '').replace(CRUD, '');
}

function encodeIdentity(identity: NewIdentity): string {
  const email = cleanIdentityPart(identity.email);
  const name = cleanIdentityPart(identity.name) || email;
  const seconds = Math.floor(identity.date.getTime() / 1000);
  const zone = identity.timezone ?? '+0000';
  if (name === '') throw new GitError('invalid', 'a commit needs the names of its author and committer');
  if (!(seconds >= 0) || seconds > 253_402_300_799) throw new GitError('invalid', 'a date that git cannot store');
  if (!/^[+-](?:0\d|1[0-4])[0-5]\d$/.test(zone)) throw new GitError('invalid', 'not a time zone');
  return `${name} <${email}> ${seconds} ${zone}`;
}

/**
 * Encodes a commit. Names, addresses and the message are sanitized, so that they cannot inject a header: control
 * characters and angle brackets are removed from identities, NUL from the message; otherwise the message is unchanged.
 * @throws GitError `invalid` for an empty name and address, a date before 1970, or an invalid object id
 */
export function encodeCommit(commit: NewCommit): Buffer {
  if (![commit.tree, ...commit.parents].every(isOid)) throw new GitError('invalid', 'not an object id');
  const headers = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${encodeIdentity(commit.author)}`,
    `committer ${encodeIdentity(commit.committer)}`,
  ];
  return encodeHeaders(headers, commit.message);
}

function encodeHeaders(headers: readonly string[], message: string): Buffer {
  const text = message.replaceAll('\0', '').toWellFormed();
  return Buffer.from(`${headers.join('\n').toWellFormed()}\n\n${text}`);
}

export interface NewTag {
  /** Target of the tag. */
  object: string;
  type: ObjectType;
  /** Name without `refs/tags/`. */
  name: string;
  tagger: NewIdentity;
  message: string;
}

/**
 * Encodes an annotated tag, sanitized like a commit; the message ends in a line feed, as in git.
 * @throws GitError `invalid` for an invalid tag name, an empty name and address of the tagger, a date before 1970, or
 *   an invalid object id
 */
export function encodeTag(tag: NewTag): Buffer {
  if (!isOid(tag.object)) throw new GitError('invalid', 'not an object id');
  if (!isValidRefName(`refs/tags/${tag.name}`)) throw new GitError('invalid', 'not a valid tag name');
  const headers = [
    `object ${tag.object}`,
    `type ${tag.type}`,
    `tag ${tag.name}`,
    `tagger ${encodeIdentity(tag.tagger)}`,
  ];
  return encodeHeaders(headers, tag.message.endsWith('\n') ? tag.message : `${tag.message}\n`);
}

/**
 * Encodes a tree entry.
 * @throws GitError `invalid` for a name, mode or object id that git refuses
 */
export function encodeEntry({ mode, name, oid }: Pick<TreeEntry, 'mode' | 'name' | 'oid'>): Buffer {
  if (!MODES.has(mode) || !isOid(oid)) throw new GitError('invalid', 'not a tree entry');
  if (name === '' || /[/\0]/.test(name)) throw new GitError('invalid', 'not a file name');
  return Buffer.concat([
    Buffer.from(`${mode.replace(/^0/, '')} `),
    encodeBytes(name),
    Buffer.from([0]),
    Buffer.from(oid, 'hex'),
  ]);
}

/** Git's order of tree entries: by bytes, with a slash appended to names of trees. */
export function compareEntries(a: Pick<TreeEntry, 'name' | 'mode'>, b: Pick<TreeEntry, 'name' | 'mode'>): number {
  const nameA = a.mode === '040000' ? `${a.name}/` : a.name;
  const nameB = b.mode === '040000' ? `${b.name}/` : b.name;
  return compareBytes(nameA, nameB);
}

/**
 * Encodes a tree; `entries` may be in any order.
 * @throws GitError `invalid` for duplicate entry names, or a name, mode or object id that git refuses
 */
export function encodeTree(entries: readonly Pick<TreeEntry, 'mode' | 'name' | 'oid'>[]): Buffer {
  const names = new Set(entries.map((entry) => entry.name));
  if (names.size !== entries.length) throw new GitError('invalid', 'duplicate entry names');
  return Buffer.concat([...entries].sort(compareEntries).map(encodeEntry));
}
