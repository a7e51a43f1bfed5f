/** An OpenPGP packet (RFC 9580, section 4): tag and content. */
export interface Packet {
  tag: number;
  body: Buffer;
}

export const SIGNATURE = 2;
export const PUBLIC_KEY = 6;
export const USER_ID = 13;
export const PUBLIC_SUBKEY = 14;

const MAX_PACKETS = 5_000;

/**
 * Reads a length of one, two or five bytes; returns it with the start of the content. Throws RangeError past the end.
 */
export function readLength(bytes: Buffer, at: number): { length: number; start: number } {
  const first = bytes.readUInt8(at);
  if (first < 192) return { length: first, start: at + 1 };
  if (first < 224) return { length: ((first - 192) << 8) + bytes.readUInt8(at + 1) + 192, start: at + 2 };
  if (first === 255) return { length: bytes.readUInt32BE(at + 1), start: at + 5 };
  throw new RangeError('a packet in parts');
}

function oldLength(bytes: Buffer, at: number, kind: number): { length: number; start: number } {
  if (kind === 0) return { length: bytes.readUInt8(at), start: at + 1 };
  if (kind === 1) return { length: bytes.readUInt16BE(at), start: at + 2 };
  if (kind === 2) return { length: bytes.readUInt32BE(at), start: at + 4 };
  return { length: bytes.length - at, start: at };
}

/** Parses packets; throws RangeError for invalid ones. */
export function readPackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    if ((tag & 0x80) === 0 || packets.length === MAX_PACKETS) throw new RangeError('no packet');
    const isNew = (tag & 0x40) !== 0;
    const { length, start } = isNew ? readLength(bytes, at + 1) : oldLength(bytes, at + 1, tag & 3);
    if (start + length > bytes.length) throw new RangeError('a packet that is cut');
    packets.push({ tag: isNew ? tag & 0x3f : (tag >> 2) & 0x0f, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return packets;
}

/**
 * Decodes an armoured text (RFC 9580, section 6).
 * @param kind the text after `BEGIN PGP`
 * @returns null if it is not an armoured text of that kind
 */
export function dearmor(text: string, kind: 'SIGNATURE' | 'PUBLIC KEY BLOCK', maxLength: number): Buffer | null {
  if (text.length > maxLength) return null;
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n');
  const begin = lines.indexOf(`-----BEGIN PGP ${kind}-----`);
  const end = lines.indexOf(`-----END PGP ${kind}-----`, begin);
  if (begin === -1 || end === -1) return null;
  let first = begin + 1;
  // Optional headers end with an empty line.
  while (first < end && /^[A-Za-z-]+: /.test(lines[first]!)) first += 1;
  const data = lines.slice(first, end).map((line) => line.trim());
  if (data[0] === '') data.shift();
  if (/^=[A-Za-z0-9+/]{4}$/.test(data.at(-1) ?? '')) data.pop();
  return data.length > 0 && data.every((line) => /^[A-Za-z0-9+/=]+$/.test(line))
    ? Buffer.from(data.join(''), 'base64')
    : null;
}

/** Reads numbers and byte strings in sequence; throws RangeError past the end. */
export class Reader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('past the end');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  uint16(): number {
    return this.take(2).readUInt16BE();
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  /** A number of any size, big-endian, without leading zeros. */
  number(): Buffer {
    return this.take((this.uint16() + 7) >> 3);
  }
}
