import type { FairSlots } from '../../core/fair-slots.ts';
import type { ObjectType } from '../git.objects.ts';
import type { BlockFiles } from './block-files.ts';
import { copyFromPool } from './buffer-pool.ts';
import type { DeltaBaseCache } from './delta-base-cache.ts';
import type { EventLoopYield } from './event-loop-yield.ts';

/** An object as it is stored, without its id. */
export interface RawObject {
  type: ObjectType;
  /** Bytes of content. */
  size: number;
  /** Left out where it is larger than was asked. */
  data: Buffer | null;
}

/** The same with its content in pieces. */
export interface RawStream {
  type: ObjectType;
  size: number;
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** What the packs of all repositories share. */
export interface PackResources {
  files: BlockFiles;
  /** What deltas were applied to. */
  bases: DeltaBaseCache;
  /** Bytes that large deltas take while they are applied. */
  memory: FairSlots;
  fairness: EventLoopYield;
  /** Bytes of a content that is inflated without handing it to another thread. */
  inlineInflateBytes: number;
  /**
   * Whether version after version of files is read: each is kept for the next one, and taken for what its id says, as git takes what it
   * has checked when it was pushed.
   */
  readsVersions: boolean;
}

/** What takes more memory than the server has to give: git is to read it. */
export class TooLargeToRead extends Error {}

/** An object that lasts longer than to the next wait. */
export function detachedObject(object: RawObject): RawObject {
  return object.data === null ? object : { ...object, data: copyFromPool(object.data) };
}

/** Pieces as one; nothing past `size` is kept. */
export async function concatChunks(chunks: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  const data = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  for await (const chunk of chunks) filled += chunk.copy(data, filled);
  return data;
}
