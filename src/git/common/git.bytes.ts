/**
 * Git's names are bytes, mostly UTF-8. A byte outside valid UTF-8 becomes a lone surrogate U+DC80..U+DCFF, so that
 * every name maps to exactly one string and back. `String.prototype.toWellFormed` makes such a string printable.
 */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Replacement character for invalid bytes. */
const REPLACED = '\ufffd';
const LONE_SURROGATE = /[\udc80-\udcff]/;
const ABOVE_BASIC_ORDER = /[\ud800-\uffff]/;

/** Length in bytes of the valid UTF-8 sequence at `at`; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length < 2) return length;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

/**
 * Length in bytes of the UTF-8 from `start` on that git accepts, up to `end`: without the two code points that it
 * rejects.
 */
export function utf8Length(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const length = bytes[at]! < 0x80 ? 1 : sequenceLength(bytes, at);
    const isNone = length === 3 && bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2]! >= 0xbe;
    if (length === 0 || isNone || at + length > end) break;
    at += length;
  }
  return at - start;
}

/** Decodes a name; `encodeBytes` restores the same bytes. */
export function decodeBytes(bytes: Buffer): string {
  const plain = bytes.toString('utf8');
  if (!plain.includes(REPLACED)) return plain;
  try {
    return strict.decode(bytes);
  } catch {}
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    text += length === 0 ? String.fromCharCode(0xdc00 + bytes[at]!) : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return text;
}

/** Encodes a string from `decodeBytes`, or any other string as UTF-8. */
export function encodeBytes(text: string): Buffer {
  if (text.isWellFormed() || !LONE_SURROGATE.test(text)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (const point of text) {
    const code = point.codePointAt(0)!;
    const escaped = code >= 0xdc80 && code <= 0xdcff;
    parts.push(escaped ? Buffer.from([code - 0xdc00]) : Buffer.from(point, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** Compares two names by their bytes, as git does; returns a negative number, 0 or a positive number. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  if (ABOVE_BASIC_ORDER.test(a) || ABOVE_BASIC_ORDER.test(b)) return Buffer.compare(encodeBytes(a), encodeBytes(b));
  return a < b ? -1 : 1;
}

/** Decodes text such as names and messages: UTF-8 if valid, else `encoding` if given, else Latin-1. */
export function decodeText(bytes: Buffer, encoding?: string): string {
  if (encoding !== undefined) {
    try {
      return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {}
  }
  const text = bytes.toString('utf8');
  if (!text.includes(REPLACED)) return text;
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** A buffer over the same memory. Bytes received from another thread are plain arrays. */
export const bufferOver = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) as Buffer;

/** Path of a file whose name is given in git's form. */
export function bytesPath(dir: string, name: string): string | Buffer {
  return name.isWellFormed() ? `${dir}/${name}` : Buffer.concat([Buffer.from(`${dir}/`), encodeBytes(name)]);
}
