import type { FairSlots } from '../../../core/fair-slots.ts';
import type { ObjectType } from '../../common/index.ts';
import type { BlockFiles } from './block-files.ts';
import { copyFromPool } from './buffer-pool.ts';
import type { DeltaBaseCache } from './delta-base-cache.ts';
import type { EventLoopYield } from './event-loop-yield.ts';

/** An object as stored, without its id. */
export interface RawObject {
  type: ObjectType;
  /** Size of the content in bytes. */
  size: number;
  /** Null if the content exceeds the requested maximum. */
  data: Buffer | null;
}

/** A stored object with its content as a stream. */
export interface RawStream {
  type: ObjectType;
  size: number;
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Resources shared by the packs of all repositories. */
export interface PackResources {
  files: BlockFiles;
  /** Cache of delta bases. */
  bases: DeltaBaseCache;
  /** Memory for large deltas, in bytes. */
  memory: FairSlots;
  fairness: EventLoopYield;
  /** Maximum inflated size in bytes that is not handed to another thread. */
  inlineInflateBytes: number;
  /**
   * Whether consecutive versions of files are read. Each is cached for the next one, and its content is trusted without
   * a hash, as git trusts what it has verified on push.
   */
  readsVersions: boolean;
}

/** The object requires more memory than the server allows: git must read it. */
export class TooLargeToRead extends Error {}

/** Detaches an object from reusable memory, so that it outlasts the next wait. */
export function detachedObject(object: RawObject): RawObject {
  return object.data === null ? object : { ...object, data: copyFromPool(object.data) };
}

/** Concatenates chunks, up to `size` bytes. */
export async function concatChunks(chunks: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  const data = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  for await (const chunk of chunks) filled += chunk.copy(data, filled);
  return data;
}
