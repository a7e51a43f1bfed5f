import { decodeBytes, encodeBytes, GitError } from '../common/index.ts';
import { type TreeEntry, typeOfMode } from './git.objects.ts';

export const SPACE = 0x20;
export const ZERO = 0x30;
const FOLDER = '40000';
/** A folder may have six digits as well. */
const SIX_DIGITS = /^(?:1[026]0[0-7]{3}|040000)$/;

/** Whether the entry that starts at `at` is a folder. */
export const isFolderAt = (data: Buffer, at: number): boolean => data[data[at] === ZERO ? at + 1 : at] === ZERO + 4;

/** A name as encoded in a tree: between mode and id. */
export const asInTree = (name: string): Buffer => encodeBytes(` ${name}\0`);

/**
 * Finds an entry by name without parsing the others. Rejects matches inside another entry's name or id.
 * @param oid of the tree; determines the object format
 * @param name as returned by `asInTree`
 * @returns the entry with its mode in six digits; null if there is none
 * @throws GitError `corrupt` if it is truncated
 */
export function findEntry(oid: string, data: Buffer, name: Buffer): { mode: string; oid: string } | null {
  if (name.indexOf(0) !== name.length - 1) return null;
  for (let at = data.indexOf(name); at >= 0; at = data.indexOf(name, at + 1)) {
    const mode = modeBefore(oid, data, at);
    if (mode === null) continue;
    const id = at + name.length;
    const end = id + oid.length / 2;
    if (end > data.length) throw cutShort(oid);
    return { mode, oid: data.toString('hex', id, end) };
  }
  return null;
}

/** Six-digit mode before a position; null if no entry starts with it. */
function modeBefore(oid: string, data: Buffer, at: number): string | null {
  const six = data.toString('latin1', Math.max(0, at - 6), at);
  if (SIX_DIGITS.test(six) && isStart(oid, data, at - 6)) return six;
  return six.endsWith(FOLDER) && isStart(oid, data, at - 5) ? `0${FOLDER}` : null;
}

/** Whether an entry starts at a position that looks like mode, space, name and NUL. */
function isStart(oid: string, data: Buffer, at: number): boolean {
  if (at === 0) return true;
  const id = at - oid.length / 2;
  if (id < 1 || data[id - 1] !== 0) return false;
  // Inside another entry, the end of its mode or name would be among these bytes, which otherwise are an id.
  let n = id;
  while (n < at && data[n] !== 0 && (data[n] !== SPACE || (data[n - 1]! & ~7) !== ZERO)) n += 1;
  if (n === at) return true;
  let start = 0;
  while (start < at) start = endOf(oid, data, start);
  return start === at;
}

const cutShort = (oid: string) => new GitError('corrupt', `tree ${oid}: an entry is cut short`);

/** End of the entry that starts at `at`. @throws GitError `corrupt` if it is truncated */
export function endOf(oid: string, data: Buffer, at: number): number {
  const { length } = data;
  let nul = at;
  while (nul < length && data[nul] !== 0) nul += 1;
  const end = nul + 1 + oid.length / 2;
  if (end > length) throw cutShort(oid);
  return end;
}

/** The entry between `at` and `end`. @throws GitError `corrupt` if it is truncated */
export function entryFrom(oid: string, data: Buffer, at: number, end: number): TreeEntry {
  const nul = end - oid.length / 2 - 1;
  const space = data.indexOf(SPACE, at);
  if (space < 0 || space > nul) throw cutShort(oid);
  const mode = data.toString('latin1', at, space).padStart(6, '0');
  let bits = 0;
  for (let n = space + 1; n < nul; n += 1) bits |= data[n]!;
  const name = bits < 0x80 ? data.toString('latin1', space + 1, nul) : decodeBytes(data.subarray(space + 1, nul));
  return { mode, name, oid: data.toString('hex', nul + 1, end), type: typeOfMode(mode) };
}

/**
 * Parses a tree.
 * @param oid determines the object format
 * @param data content without git's object header
 * @throws GitError `corrupt` if an entry is truncated
 */
export function parseTree(oid: string, data: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < data.length; ) {
    const end = endOf(oid, data, at);
    entries.push(entryFrom(oid, data, at, end));
    at = end;
  }
  return entries;
}
