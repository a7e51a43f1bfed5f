import { BoundedCache } from '../../core/cache/index.ts';
import type { Commit, Tag } from './git.objects.ts';
import { SeenObjects } from './seen-objects.ts';
import type { TreeObject } from './tree-object.ts';

export type CachedObject =
  | { type: 'commit'; commit: Commit }
  | { type: 'tree'; tree: TreeObject }
  | { type: 'tag'; tag: Tag }
  | { type: 'blob'; data: Buffer };

/** Only small blobs are cached: a large one would evict hundreds of trees. */
export const MAX_CACHED_BLOB = 64 * 1024;

function weigh(object: CachedObject): number {
  if (object.type === 'blob') return 200 + object.data.length;
  if (object.type === 'tree') return object.tree.size;
  const text = object.type === 'commit' ? object.commit : object.tag;
  return 1_200 + 2 * (text.message.length + (text.signature?.length ?? 0));
}

/**
 * Cache of parsed objects of all repositories, bounded by estimated size. Keyed by repository id and object id; objects
 * are immutable, so entries never become stale.
 */
export class ObjectCache {
  readonly #entries: BoundedCache<string, CachedObject>;
  readonly #lately = new SeenObjects();

  /** @param maxBytes estimated size in bytes, if not that of the table */
  constructor(maxBytes?: number) {
    this.#entries = new BoundedCache('git_objects', weigh, { bytes: maxBytes });
  }

  /** Whether to cache an object: it was read before, not long ago. */
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
