/** Reads SSH wire format: numbers, and strings with a length prefix (RFC 4251, section 5). */
export class SshReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Offset in bytes. */
  get at(): number {
    return this.#at;
  }

  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** @throws RangeError at a premature end, like all methods */
  bytes(length: number): Buffer {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new RangeError('a field that is too long');
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  byte(): number {
    return this.bytes(1)[0]!;
  }

  boolean(): boolean {
    return this.byte() !== 0;
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE();
  }

  uint64(): bigint {
    return this.bytes(8).readBigUInt64BE();
  }

  string(): Buffer {
    return this.bytes(this.uint32());
  }

  /** A string with one character per byte. */
  text(): string {
    return this.string().toString('latin1');
  }

  /** Names separated by commas. */
  names(): string[] {
    const text = this.text();
    return text === '' ? [] : text.split(',');
  }
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Encodes a string with its length prefix. */
export const sshString = (value: Buffer | string): Buffer => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([uint32(bytes.length), bytes]);
};

/** Encodes a non-negative number. @param bytes big-endian bytes */
export function sshNumber(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const bare = first === -1 ? Buffer.alloc(0) : bytes.subarray(first);
  return sshString(bare.length > 0 && bare[0]! >= 0x80 ? Buffer.concat([Buffer.alloc(1), bare]) : bare);
}
