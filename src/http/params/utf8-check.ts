import { isUtf8 } from 'node:buffer';
import { badRequest } from '../../core/core.errors.ts';

/** Length of the sequence started by a byte; 1 for other bytes. */
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

/** Checks that chunks together are valid UTF-8, wherever they are cut. */
export class Utf8Check {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws ApiError 400 */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const cut = cutOf(bytes);
    if (!isUtf8(bytes.subarray(0, cut))) throw badRequest('the text is not valid UTF-8');
    this.#rest = Buffer.from(bytes.subarray(cut));
  }

  /** @throws ApiError 400 if the last character is incomplete */
  end(): void {
    if (this.#rest.length > 0) throw badRequest('the text is not valid UTF-8');
  }
}
