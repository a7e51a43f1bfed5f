import { constants, createInflate, deflateSync, type Inflate } from 'node:zlib';

/**
 * Internals of node's `inflateSync`, which creates a new native object for each stream. The documented API has no way
 * to reuse one; `isUsable` checks that the internals are as expected.
 */
interface Internals {
  _handle?: {
    reset(): void;
    writeSync(flush: number, input: Buffer, from: number, length: number, out: Buffer, at: number, room: number): void;
  } | null;
  /** Remaining bytes of output and input. */
  _writeState?: Uint32Array;
}

const SAMPLE = Buffer.from('abc abc abc');

let stream: (Inflate & Internals) | undefined;
let isUsable: boolean | undefined;

/**
 * Inflates a zlib stream with a reused native object, which saves a tenth of the processor time of cold requests.
 * @param from start of the stream in `bytes`; `to` is a position at or after its end
 * @param out receives the output: at most `maxOutput` bytes, which is at most its length
 * @param isWhole whether the stream must end within the output with a valid checksum; otherwise a prefix is enough
 * @returns number of bytes of output; -1 if the stream is damaged or this node is not supported: then `inflateSync`
 *   decides
 */
export function inflateReused(
  bytes: Buffer,
  from: number,
  to: number,
  out: Buffer,
  maxOutput: number,
  isWhole: boolean,
): number {
  isUsable ??= tryOut();
  // A damaged file may leave nothing to read.
  const isThere = from < to && to <= bytes.length;
  return isUsable && isThere ? write(bytes, from, to, out, maxOutput, isWhole) : -1;
}

function write(bytes: Buffer, from: number, to: number, out: Buffer, maxOutput: number, isWhole: boolean): number {
  if (stream === undefined) {
    stream = createInflate({ chunkSize: 64 });
    // Errors are reported after the object has destroyed itself, which is checked below.
    stream.on('error', () => {});
  }
  const { _handle: handle, _writeState: left } = stream;
  const flush = isWhole ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  handle!.reset();
  handle!.writeSync(flush, bytes, from, to - from, out, 0, maxOutput);
  if (!stream.destroyed) return maxOutput - left![0]!;
  stream = undefined;
  return -1;
}

/** Checks that a valid stream is inflated and a damaged one is rejected. */
function tryOut(): boolean {
  try {
    const sound = deflateSync(SAMPLE);
    const damaged = Buffer.from(sound);
    damaged[sound.length - 1]! ^= 1;
    const out = Buffer.alloc(SAMPLE.length + 1);
    return [sound, damaged, sound].every((bytes) => {
      const length = write(bytes, 0, bytes.length, out, out.length, true);
      return bytes === sound ? length === SAMPLE.length && out.subarray(0, length).equals(SAMPLE) : length === -1;
    });
  } catch {
    return false;
  }
}
