import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentScope } from '../core/request-scope.ts';
import { etagOfDigest, Serialized } from './http.send.ts';

const MiB = 1024 * 1024;
/** Characters encoded before other work gets its turn. */
const BATCH_SIZE = MiB / 4;
/**
 * Bytes of a body that do not count against the memory limit, and step by which the reservation of a larger one grows.
 */
const SMALL = MiB;
const STEP = 16 * MiB;
/** The chunks, and the body that they are joined to. */
const TIMES = 2;

/**
 * Serializes a large JSON body in chunks; its memory reservation grows with it.
 * @param pieces parts of the text in their order
 * @param maxChunkBytes maximum size in bytes
 * @returns null if it would exceed the maximum
 * @throws ApiError 429, 503 if too many requests wait for memory; the reason of the request's signal
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
