import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentScope } from '../core/request-scope.ts';
import { etagOfDigest, Serialized } from './http.send.ts';

const MiB = 1024 * 1024;
/** Characters that are encoded before others have their turn. */
const BATCH_SIZE = MiB / 4;
/** Bytes of a body that count as nothing in the memory of all, and by how many the share of a larger one grows. */
const SMALL = MiB;
const STEP = 16 * MiB;
/** The parts, and the body that is put together of them. */
const TIMES = 2;

/**
 * Makes a body of JSON that may be large, a part at a time; it takes its share of the memory of all while it grows.
 * @param pieces of the text, in their order
 * @param maxChunkBytes bytes that it may have
 * @returns null where it would have more
 * @throws ApiError 429, 503 while too many wait for memory; the reason of the request's signal
 */
export async function serializeInChunks(pieces: Iterable<string>, maxChunkBytes: number): Promise<Serialized | null> {
  const { memory, signal } = currentScope();
  const parts: Buffer[] = [];
  const digest = createHash('sha1');
  let bytes = 0;
  let share = SMALL;
  let text = '';
  const encode = () => {
    const part = Buffer.from(text);
    text = '';
    bytes += part.length;
    digest.update(part);
    parts.push(part);
  };
  for (const piece of pieces) {
    text += piece;
    if (text.length < BATCH_SIZE) continue;
    encode();
    if (bytes > maxChunkBytes) return null;
    if (bytes > share) {
      await memory?.hold(TIMES * STEP, signal);
      share += STEP;
    }
    await nextTurn();
    signal?.throwIfAborted();
  }
  encode();
  return bytes > maxChunkBytes ? null : new Serialized(Buffer.concat(parts), etagOfDigest(digest.digest('hex')));
}
