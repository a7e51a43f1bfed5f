import { Readable } from 'node:stream';
import { currentScope, type RequestScope } from '../../core/request-scope.ts';
import { GitError, isOid, type ObjectType } from '../common/index.ts';
import { runGit } from '../process/index.ts';
import { blobChunks, type StreamOptions } from './blob-stream.ts';
import { isPossiblyLost, isRepository } from './damage.ts';
import { type Commit, parseCommit, parseTag, type Tag, type TreeEntry } from './git.objects.ts';
import { MAX_CACHED_BLOB, type ObjectCache } from './object-cache.ts';
import { ObjectFolder } from './object-folder.ts';
import { parseObjectName } from './object-name.ts';
import type { NewObject } from './object-writer.ts';
import { detachFromPool } from './packs/buffer-pool.ts';
import { ObjectNames } from './packs/object-names.ts';
import { detachedObject, type PackResources, type RawObject, TooLargeToRead } from './packs/raw-object.ts';
import { TreeObject } from './tree-object.ts';

export interface ObjectInfo {
  oid: string;
  type: ObjectType;
  /** Size of the content in bytes. */
  size: number;
}

/** `data` is null if the object exceeds the requested size: use `stream` instead. */
export interface ObjectData extends ObjectInfo {
  data: Buffer | null;
}

/** Larger commits, trees and tags are refused. Real ones are far smaller. */
const MAX_PARSED_BYTES = 32 * 1024 * 1024;
const MAX_CHECKED_BYTES = 1024 * 1024;

/** Reads the objects of one repository. */
export class ObjectReader {
  readonly #id: string;
  readonly #dir: string;
  readonly #folder: ObjectFolder;
  readonly #cache: ObjectCache;
  readonly #resolve: (ref: string) => Promise<string | null>;

  /** @param resolve returns the id of a reference; null if there is no such reference */
  constructor(
    id: string,
    dir: string,
    shared: PackResources,
    cache: ObjectCache,
    resolve: (ref: string) => Promise<string | null>,
  ) {
    this.#id = id;
    this.#dir = dir;
    this.#folder = new ObjectFolder(dir, shared);
    this.#cache = cache;
    this.#resolve = resolve;
  }

  /** Closes the files of the repository; the next read opens them again. */
  retire(): void {
    this.#folder.close();
  }

  /**
   * Type and size of an object; null if it does not exist or an abbreviated id is ambiguous. In a damaged repository, a
   * missing complete id is an error.
   * @param name a complete or abbreviated object id, or a name below `refs/`, with an optional `^{commit}`
   * @throws GitError `invalid` for any other text, `corrupt`, `failed`, `busy`
   */
  async info(name: string): Promise<ObjectInfo | null> {
    const oid = await this.#oidOf(name);
    const object = oid === null ? null : await this.#raw(oid, -1);
    if (oid === null || object === null) {
      await this.#refuseLost(name);
      return null;
    }
    return { oid, type: object.type, size: object.size };
  }

  /**
   * An object with its content, which is null if it is larger than `maxBytes`. The buffer may be shared and must not be
   * modified.
   * @throws GitError as `info`
   */
  async read(oid: string, maxBytes: number): Promise<ObjectData | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached?.type === 'blob') {
      const { data } = cached;
      return { oid, type: 'blob', size: data.length, data: data.length > maxBytes ? null : data };
    }
    const store = await this.#folder.open();
    const whole = store.isComplete(oid) ? oid : (await this.info(oid))?.oid;
    const object = whole === undefined ? null : await this.#raw(whole, maxBytes);
    if (whole === undefined || object === null) {
      await this.#refuseLost(oid);
      return null;
    }
    const { type, size, data } = object;
    if (data !== null && type === 'blob' && size <= MAX_CACHED_BLOB && this.#cache.wants(whole)) {
      this.#cache.set(this.#id, whole, { type: 'blob', data: detachFromPool(data) });
    }
    return { oid: whole, type, size, data };
  }

  /**
   * Passes the content of a blob to `take` synchronously; it lies in reusable memory.
   * @returns null if there is no such blob, or it is larger than `maxBytes`
   * @throws GitError as `info`; errors of `take`
   */
  async useBlob<T>(oid: string, maxBytes: number, take: (content: Buffer) => T): Promise<T | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached?.type === 'blob') return cached.data.length > maxBytes ? null : take(cached.data);
    if (!isOid(oid)) throw new GitError('invalid', 'not an object id');
    const blob = await this.#use(oid, maxBytes, ({ type, data }) => {
      return type !== 'blob' || data === null ? { taken: null } : { taken: take(data) };
    });
    if (blob === null) await this.#refuseLost(oid);
    return blob === null ? null : blob.taken;
  }

  /** Caches new objects that were just written, with their ids. */
  remember(objects: readonly NewObject[]): void {
    for (const { type, data, oid } of objects) {
      if (oid === undefined || !Buffer.isBuffer(data)) continue;
      if (type === 'tree') this.#cache.set(this.#id, oid, { type, tree: new TreeObject(oid, detachFromPool(data)) });
      else if (type === 'commit') this.#cache.set(this.#id, oid, { type, commit: parseCommit(oid, data) });
      else if (type === 'blob' && data.length <= MAX_CACHED_BLOB)
        this.#cache.set(this.#id, oid, { type, data: detachFromPool(data) });
    }
  }

  /**
   * Type of an object, verified on disk whatever is cached, since a repository can be damaged meanwhile. Only the start
   * of a large object is verified.
   * @throws GitError as `info`
   */
  async typeOnDisk(oid: string): Promise<ObjectType | null> {
    if (!isOid(oid)) throw new GitError('invalid', 'not an object id');
    const type = await this.#use(oid, MAX_CHECKED_BYTES, (object) => object.type);
    if (type === null) await this.#refuseLost(oid);
    return type;
  }

  /**
   * A parsed commit; null if there is none with this id. Shared; must not be modified.
   * @throws GitError as `info`
   */
  async commit(oid: string): Promise<Commit | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached !== undefined) return cached.type === 'commit' ? cached.commit : null;
    const commit = await this.#parsed(oid, 'commit', parseCommit);
    if (commit !== null && this.#cache.wants(oid)) this.#cache.set(this.#id, oid, { type: 'commit', commit });
    return commit;
  }

  /**
   * The entries of a tree in git's order; null if there is none with this id. Shared; must not be modified.
   * @throws GitError as `info`
   */
  async tree(oid: string): Promise<readonly TreeEntry[] | null> {
    const tree = await this.treeObject(oid);
    if (tree === null) return null;
    const { isParsed, entries } = tree;
    // It takes more memory now.
    if (!isParsed) this.#cache.set(this.#id, oid, { type: 'tree', tree });
    return entries;
  }

  /**
   * An unparsed tree, for access to a few entries; null if there is none with this id.
   * @throws GitError as `info`
   */
  async treeObject(oid: string): Promise<TreeObject | null> {
    return await this.useTree(oid, (tree) => tree, true);
  }

  /**
   * Passes a tree to `take` synchronously; it may lie in reusable memory.
   * @param lasts whether the tree is used longer, which caches it
   * @returns null if there is no tree with this id
   * @throws GitError as `info`; errors of `take`
   */
  async useTree<T>(oid: string, take: (tree: TreeObject) => T, lasts = false): Promise<T | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached !== undefined) return cached.type === 'tree' ? take(cached.tree) : null;
    const shouldCache = lasts || this.#cache.wants(oid);
    const parsedTree = await this.#parsed(oid, 'tree', (_, data) => {
      const tree = new TreeObject(oid, shouldCache ? detachFromPool(data) : data);
      if (shouldCache) this.#cache.set(this.#id, oid, { type: 'tree', tree });
      return { taken: take(tree) };
    });
    return parsedTree === null ? null : parsedTree.taken;
  }

  /**
   * A parsed annotated tag; null if there is none with this id. Shared; must not be modified.
   * @throws GitError as `info`
   */
  async tag(oid: string): Promise<Tag | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached !== undefined) return cached.type === 'tag' ? cached.tag : null;
    const tag = await this.#parsed(oid, 'tag', parseTag);
    if (tag === null) return null;
    this.#cache.set(this.#id, oid, { type: 'tag', tag });
    return tag;
  }

  /**
   * Streams the content of a blob of any size, with back-pressure. Destroying the stream ends the child; a damaged or
   * missing blob is an error of the stream, possibly after its first bytes.
   * @throws GitError `invalid` if `oid` is not a complete object id (of the call, not of the stream)
   */
  stream(oid: string, options: StreamOptions = {}): Readable {
    if (!isOid(oid)) throw new GitError('invalid', 'not an object id');
    return Readable.from(this.#chunks(oid, options, currentScope()), {
      objectMode: false,
      highWaterMark: 256 * 1024,
    });
  }

  /** @param scope of the request: the stream is read after its handler has returned */
  async *#chunks(oid: string, options: StreamOptions, scope: RequestScope): AsyncGenerator<Buffer> {
    const signal = options.signal ?? scope.signal;
    const store = await this.#folder.open();
    try {
      const object = store.isComplete(oid) ? await store.stream(oid) : null;
      if (object === null) await this.#refuseLost(oid);
      if (object?.type !== 'blob') throw new GitError('not_found', `no blob ${oid}`);
      for await (const chunk of object.chunks) {
        if (signal?.aborted) throw new GitError('aborted', `blob ${oid}: stopped`);
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof TooLargeToRead)) throw error;
      yield* blobChunks(this.#dir, oid, options, scope);
    }
  }

  async #parsed<T>(oid: string, type: ObjectType, parse: (oid: string, data: Buffer) => T): Promise<T | null> {
    if (!isOid(oid)) throw new GitError('invalid', 'not an object id');
    const result = await this.#use(oid, MAX_PARSED_BYTES, (object) => {
      if (object.type !== type) return { parsed: null };
      if (object.data === null) throw new GitError('output_too_large', `${type} ${oid}: ${object.size} bytes`);
      return { parsed: parse(oid, object.data) };
    });
    if (result === null) await this.#refuseLost(oid);
    return result === null ? null : result.parsed;
  }

  /** Reads an object by its complete id. */
  async #raw(oid: string, maxBytes: number): Promise<RawObject | null> {
    return await this.#use(oid, maxBytes, detachedObject);
  }

  /** Passes an object to `take` synchronously; its content may lie in reusable memory. */
  async #use<T>(oid: string, maxBytes: number, take: (object: RawObject) => T): Promise<T | null> {
    const open = this.#folder.open();
    const store = open instanceof Promise ? await open : open;
    if (!store.isComplete(oid)) return null;
    try {
      return await store.use(oid, maxBytes, take);
    } catch (error) {
      if (!(error instanceof TooLargeToRead)) throw error;
      const { type, size } = (await store.read(oid, -1))!;
      const { stdout } = await runGit(['cat-file', type, oid], { gitDir: this.#dir, maxOutput: size });
      return take({ type, size, data: stdout });
    }
  }

  async #oidOf(name: string): Promise<string | null> {
    const { bare, peelTo } = parseObjectName(name);
    const names = new ObjectNames(await this.#folder.open(), (oid) => this.#raw(oid, MAX_PARSED_BYTES));
    const oid = bare.startsWith('refs/') ? await this.#resolve(bare) : await names.complete(bare, peelTo);
    return oid === null || peelTo === undefined ? oid : await names.peel(oid, peelTo);
  }

  /** Throws if a missing object may be lost through damage. */
  async #refuseLost(name: string): Promise<void> {
    if (isOid(name) ? !(await isPossiblyLost(this.#dir, name)) : isRepository(this.#dir)) return;
    throw new GitError('corrupt', `object ${name} is lost`);
  }
}
