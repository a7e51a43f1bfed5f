import { isUtf8 } from 'node:buffer';
import { badRequest } from '../../core/core.errors.ts';

/** Length of the sequence that a byte begins; 1 for what begins none. */
function sequenceLength(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

/** Index from which on a chunk ends within a character. */
function cutOf(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Checks that chunks make up valid UTF-8 together, wherever they are cut. */
export class Utf8Check {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws ApiError 400 */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const cut = cutOf(bytes);
    if (!isUtf8(bytes.subarray(0, cut))) throw badRequest('the text is not valid UTF-8');
    this.#rest = Buffer.from(bytes.subarray(cut));
  }

  /** @throws ApiError 400 where the last character is cut off */
  end(): void {
    if (this.#rest.length > 0) throw badRequest('the text is not valid UTF-8');
  }
}
