import { BoundedCache } from '../core/bounded-cache.ts';
import type { Commit, Tag } from './git.objects.ts';
import { SeenObjects } from './seen-objects.ts';
import type { TreeObject } from './tree-object.ts';

export type CachedObject =
  | { type: 'commit'; commit: Commit }
  | { type: 'tree'; tree: TreeObject }
  | { type: 'tag'; tag: Tag }
  | { type: 'blob'; data: Buffer };

/** Small blobs only: a large one would push out hundreds of trees. */
export const MAX_CACHED_BLOB = 64 * 1024;

function weigh(object: CachedObject): number {
  if (object.type === 'blob') return 200 + object.data.length;
  if (object.type === 'tree') return object.tree.size;
  const text = object.type === 'commit' ? object.commit : object.tag;
  return 1_200 + 2 * (text.message.length + (text.signature?.length ?? 0));
}

/**
 * Parsed objects of all repositories, bounded by estimated bytes. Keyed by repository id and object id;
 * objects never change, so an entry is never stale.
 */
export class ObjectCache {
  readonly #entries: BoundedCache<string, CachedObject>;
  readonly #lately = new SeenObjects();

  /** @param maxBytes estimated bytes kept */
  constructor(maxBytes: number) {
    this.#entries = new BoundedCache(maxBytes, weigh);
  }

  /** Whether an object that was just read is worth keeping: it was read not long ago. */
  wants(oid: string): boolean {
    return this.#lately.testAndAdd(oid);
  }

  get(repository: string, oid: string): CachedObject | undefined {
    return this.#entries.get(`${repository}\0${oid}`);
  }

  set(repository: string, oid: string, object: CachedObject): void {
    this.#entries.set(`${repository}\0${oid}`, object);
  }
}
