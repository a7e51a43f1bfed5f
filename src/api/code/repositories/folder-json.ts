import { copyBytes } from '../../../core/detached-copy.ts';
import type { TreeObject } from '../../../git/objects/index.ts';
import { presentEntry } from './repositories.entry-views.ts';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Text before, between and after the fields of an entry. */
const ID = ascii('{"id":"');
const NAME = ascii('","name":"');
const TYPE = ascii('","type":"');
const PATH = ascii('","path":"');
const MODE = ascii('","mode":"');
const END = ascii('"}');
/** Upper bound of the length of these texts, with type and mode. */
const FIXED = 100;
const [TREE, BLOB, COMMIT] = [ascii('tree'), ascii('blob'), ascii('commit')];
const DIGITS = ascii('0123456789abcdef');
const MODE_DIGITS = 6;
const [SPACE, QUOTE, COMMA, BACKSLASH, LAST_PLAIN] = [0x20, 0x22, 0x2c, 0x5c, 0x7e];
const [ZERO, ONE, FOUR, SIX] = [0x30, 0x31, 0x34, 0x36];
const [OPEN, CLOSE] = [0x5b, 0x5d];

/** Size of the reused buffer; few pages are larger. */
const BUFFER_BYTES = 64 * 1024;
/** Reused buffer, and the position of the next write. */
const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
let memory = buffer;
let length = 0;

/**
 * Renders entries of a folder as JSON, directly from the bytes of the tree: rendering objects takes five times as long.
 * @param places offsets of the entries
 * @param prefix folder of the entries, with a trailing slash; empty for the root
 * @returns a copy of its own
 * @throws GitError `corrupt` for a truncated entry
 */
export function folderJson(tree: TreeObject, places: readonly number[], prefix: string): Buffer {
  const folder = Buffer.from(JSON.stringify(prefix.toWellFormed()).slice(1, -1));
  memory = buffer;
  length = 0;
  put(OPEN);
  for (const place of places) {
    const end = tree.endOf(place);
    reserve(FIXED + folder.length + 2 * (end - place));
    if (length > 1) put(COMMA);
    const start = length;
    if (writePlain(tree, place, end, folder)) continue;
    length = start;
    const entry = tree.entryFrom(place);
    const text = Buffer.from(JSON.stringify(presentEntry({ ...entry, path: entry.name }, prefix)));
    reserve(text.length);
    putAll(text, 0, text.length);
  }
  reserve(1);
  put(CLOSE);
  const json = copyBytes(memory.subarray(0, length));
  memory = buffer;
  return json;
}

function reserve(bytes: number): void {
  if (length + bytes <= memory.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (length + bytes));
  memory.copy(larger, 0, 0, length);
  memory = larger;
}

function put(byte: number): void {
  memory[length] = byte;
  length += 1;
}

function putAll(bytes: Buffer, from: number, to: number): void {
  const out = memory;
  let at = length;
  for (let n = from; n < to; n += 1) out[at++] = bytes[n]!;
  length = at;
}

/** @returns false if the name contains characters that JSON escapes */
function writePlain(tree: TreeObject, start: number, end: number, folder: Buffer): boolean {
  const data = tree.content;
  const id = end - tree.idBytes;
  let space = start;
  while (data[space] !== SPACE && space < id) space += 1;
  const name = space + 1;
  if (name >= id || !isPlain(data, start, space) || !isPlain(data, name, id - 1)) return false;
  putAll(ID, 0, ID.length);
  putHex(data, id, end);
  putAll(NAME, 0, NAME.length);
  putAll(data, name, id - 1);
  putAll(TYPE, 0, TYPE.length);
  const type = typeAt(data, start);
  putAll(type, 0, type.length);
  putAll(PATH, 0, PATH.length);
  putAll(folder, 0, folder.length);
  putAll(data, name, id - 1);
  putAll(MODE, 0, MODE.length);
  for (let digits = space - start; digits < MODE_DIGITS; digits += 1) put(ZERO);
  putAll(data, start, space);
  putAll(END, 0, END.length);
  return true;
}

function isPlain(data: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = data[at]!;
    if (byte < SPACE || byte > LAST_PLAIN || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}

function putHex(data: Buffer, from: number, to: number): void {
  const out = memory;
  let at = length;
  for (let n = from; n < to; n += 1) {
    const byte = data[n]!;
    out[at] = DIGITS[byte >> 4]!;
    out[at + 1] = DIGITS[byte & 15]!;
    at += 2;
  }
  length = at;
}

/** Returns the type of the entry at an offset by its mode: `40000`, `160000`, and others. */
function typeAt(data: Buffer, start: number): Buffer {
  const at = data[start] === ZERO ? start + 1 : start;
  if (data[at] === FOUR) return TREE;
  return data[at] === ONE && data[at + 1] === SIX ? COMMIT : BLOB;
}
