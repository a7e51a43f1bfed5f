import { createHash } from 'node:crypto';
import { decodeText, GitError, isOid, type ObjectFormat, type ObjectType } from '../common/index.ts';

/** Author, committer or tagger with date. */
export interface Identity {
  name: string;
  email: string;
  date: Date;
  /** Seconds since 1970. */
  timestamp: number;
  /** `+hhmm` or `-hhmm`. */
  timezone: string;
}

export interface Commit {
  oid: string;
  tree: string;
  parents: readonly string[];
  author: Identity;
  committer: Identity;
  message: string;
  /** The `encoding` header, if present. */
  encoding?: string;
  /** Armoured signature in the `gpgsig` header, if present. */
  signature?: string;
}

export interface TreeEntry {
  /** Six octal digits: 100644, 100755, 120000 (symbolic link), 160000 (submodule), 040000 (tree). */
  mode: string;
  /** A single path component, decoded by `decodeBytes`. */
  name: string;
  oid: string;
  type: 'blob' | 'tree' | 'commit';
}

export interface Tag {
  oid: string;
  /** Target of the tag. */
  object: string;
  type: ObjectType;
  name: string;
  tagger: Identity | null;
  /** Message without the signature. */
  message: string;
  signature?: string;
}

const IDENTITY = /^(.*?) ?<([^>\n]*)>(?: (-?\d+) ([+-]\d{4}))?/;
const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m;
const ASCII = /^[\x20-\x7e]*$/;
const MAX_TIMESTAMP = 8_640_000_000_000;

/** Computes the object id of a type and content. */
export function hashObject(type: ObjectType, data: Uint8Array, format: ObjectFormat = 'sha1'): string {
  return createHash(format).update(`${type} ${data.length}\0`).update(data).digest('hex');
}

/** Type of the tree entry with this mode. */
export function typeOfMode(mode: string): TreeEntry['type'] {
  return mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
}

/** Encodings with several bytes for an ASCII letter. */
const WIDE = /^(?:utf|ucs|iso-10646-ucs)[-_]?(?:16|32|2|4)(?!\d)|^(?:unicode|csunicode|unicodefffe|unicodefeff)$/i;

/** @param line bytes as Latin-1 */
function parseIdentity(line: string, encoding: string | undefined): Identity {
  const isPlain = encoding === undefined && ASCII.test(line);
  const match = IDENTITY.exec(isPlain ? line : decodeText(Buffer.from(line, 'latin1'), encoding));
  const seconds = Number(match?.[3] ?? 0);
  const timestamp = Math.abs(seconds) <= MAX_TIMESTAMP ? seconds : 0;
  return {
    name: match?.[1] ?? '',
    email: match?.[2] ?? '',
    date: new Date(timestamp * 1000),
    timestamp,
    timezone: match?.[4] ?? '+0000',
  };
}

interface Headers {
  /** Header values, bytes as Latin-1. */
  values: Map<string, string[]>;
  body: Buffer;
}

/** Splits `key value` lines (a line that starts with a space continues the previous one) from the body. */
function parseHeaders(data: Buffer): Headers {
  const values = new Map<string, string[]>();
  const text = data.toString('latin1');
  let last: string[] | undefined;
  let at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    if (end === at) {
      at += 1;
      break;
    }
    if (data[at] === 0x20 && last !== undefined) {
      last.push(`${last.pop()!}\n${data.toString('latin1', at + 1, end)}`);
    } else {
      const space = text.indexOf(' ', at);
      const keyEnd = space < 0 || space > end ? end : space;
      const key = text.slice(at, keyEnd);
      last = values.get(key) ?? [];
      // A copy: a slice would keep the whole text alive.
      last.push(data.toString('latin1', Math.min(keyEnd + 1, end), end));
      values.set(key, last);
    }
    at = end + 1;
  }
  return { values, body: data.subarray(Math.min(at, data.length)) };
}

function oidHeader(headers: Headers, key: string, oid: string): string {
  const text = headers.values.get(key)?.[0] ?? '';
  if (!isOid(text)) throw new GitError('corrupt', `object ${oid}: bad ${key} header`);
  return text;
}

/**
 * Parses a commit.
 * @param data content without git's object header
 * @throws GitError `corrupt` if the tree or a parent is not an object id
 */
export function parseCommit(oid: string, data: Buffer): Commit {
  const headers = parseHeaders(data);
  const encoding = headers.values.get('encoding')?.[0];
  const parents = headers.values.get('parent') ?? [];
  if (!parents.every(isOid)) throw new GitError('corrupt', `object ${oid}: bad parent header`);
  const signature = (headers.values.get('gpgsig') ?? headers.values.get('gpgsig-sha256'))?.[0];
  // Commits contain no NUL bytes, so none is written in these encodings, whatever its header says.
  const ofText = encoding !== undefined && WIDE.test(encoding) ? undefined : encoding;
  return {
    oid,
    tree: oidHeader(headers, 'tree', oid),
    parents,
    author: parseIdentity(headers.values.get('author')?.[0] ?? '', ofText),
    committer: parseIdentity(headers.values.get('committer')?.[0] ?? '', ofText),
    message: decodeText(headers.body, ofText),
    ...(encoding === undefined ? {} : { encoding }),
    ...(signature === undefined ? {} : { signature }),
  };
}

/**
 * Parses an annotated tag.
 * @param data content without git's object header
 * @throws GitError `corrupt` if the target is not an object id
 */
export function parseTag(oid: string, data: Buffer): Tag {
  const headers = parseHeaders(data);
  const type = headers.values.get('type')?.[0] ?? '';
  if (type !== 'commit' && type !== 'tree' && type !== 'blob' && type !== 'tag') {
    throw new GitError('corrupt', `object ${oid}: bad type header`);
  }
  const tagger = headers.values.get('tagger')?.[0];
  const text = decodeText(headers.body);
  const signatureAt = SIGNATURE.exec(text)?.index ?? -1;
  return {
    oid,
    object: oidHeader(headers, 'object', oid),
    type,
    name: decodeText(Buffer.from(headers.values.get('tag')?.[0] ?? '', 'latin1')),
    tagger: tagger === undefined ? null : parseIdentity(tagger, undefined),
    message: signatureAt < 0 ? text : text.slice(0, signatureAt),
    ...(signatureAt < 0 ? {} : { signature: text.slice(signatureAt) }),
  };
}
