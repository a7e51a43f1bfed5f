import { constants, createInflate, deflateSync, type Inflate } from 'node:zlib';

/**
 * What node's own `inflateSync` works with. It sets all of it up for each stream and leaves it to the garbage collector, for which
 * there is no other way in what node documents; `isUsable` tells whether it is as it was.
 */
interface Internals {
  _handle?: {
    reset(): void;
    writeSync(flush: number, input: Buffer, from: number, length: number, out: Buffer, at: number, room: number): void;
  } | null;
  /** Bytes of the output, and of the input, that are left. */
  _writeState?: Uint32Array;
}

const SAMPLE = Buffer.from('abc abc abc');

let stream: (Inflate & Internals) | undefined;
let isUsable: boolean | undefined;

/**
 * Inflates a stream of zlib with what the one before was inflated with.
 * @param from where it begins in these bytes, and `to` where it has ended for sure
 * @param out gets what comes out: the `maxOutput` bytes there can be at most, which is its length or less
 * @param isWhole whether it is to end there with the right sum; else its first bytes are enough
 * @returns how many bytes came out; -1 where it is damaged, or this node cannot do it: `inflateSync` is to say
 */
export function inflateInJs(
  bytes: Buffer,
  from: number,
  to: number,
  out: Buffer,
  maxOutput: number,
  isWhole: boolean,
): number {
  isUsable ??= tryOut();
  // Of a damaged file there may be nothing left.
  const isThere = from < to && to <= bytes.length;
  return isUsable && isThere ? write(bytes, from, to, out, maxOutput, isWhole) : -1;
}

function write(bytes: Buffer, from: number, to: number, out: Buffer, maxOutput: number, isWhole: boolean): number {
  if (stream === undefined) {
    stream = createInflate({ chunkSize: 64 });
    // It says what is wrong after it has destroyed itself, which is seen below.
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

/** Whether a sound stream comes out, and a damaged one does not. */
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
