import { Readable } from 'node:stream';
import { currentScope, inScope, type RequestScope } from '../core/request-scope.ts';
import {
  CatFile,
  type CatFileAnswer,
  type CatFileEnd,
  type CatFileRequest,
  catFileError,
  type ObjectInfo,
} from './cat-file.ts';
import { mayBeLost } from './damage.ts';
import { GitError } from './errors.ts';
import { MAX_CACHED_BLOB, type ObjectCache } from './object-cache.ts';
import { type Commit, isOid, parseCommit, parseTag, parseTree, type Tag, type TreeEntry } from './objects.ts';
import { spawnGit } from './process.ts';
import { isValidRefName } from './ref-name.ts';
import { orRelease, type WarmSlot, type WarmSlots } from './warm-slots.ts';

export type { ObjectInfo } from './cat-file.ts';

/** `data` is null where the object is larger than the caller wanted: `stream` it instead. */
export interface ObjectData extends ObjectInfo {
  data: Buffer | null;
}

/** Commits, trees and tags above this are refused: none that people make comes near. */
const MAX_PARSED_BYTES = 32 * 1024 * 1024;
const MAX_PENDING = 20_000;
const MAX_STREAM_MS = 30 * 60_000;
const PEEL = /\^\{(?:commit|tree|blob|tag|)\}$/;

/** Whether a name is an object id (also a shortened one) or a reference, with an optional `^{type}`. */
function isObjectName(name: string): boolean {
  const bare = name.replace(PEEL, '');
  return /^[0-9a-f]{4,64}$/.test(bare) || isValidRefName(bare);
}

/** Reads the objects of one repository through a warm `git cat-file`. */
export class ObjectReader {
  readonly #id: string;
  readonly #dir: string;
  readonly #slots: WarmSlots;
  readonly #cache: ObjectCache;
  #process: CatFile | undefined;
  #slot: WarmSlot | undefined;
  #starting = false;
  #waiting: CatFileRequest[] = [];

  constructor(id: string, dir: string, slots: WarmSlots, cache: ObjectCache) {
    this.#id = id;
    this.#dir = dir;
    this.#slots = slots;
    this.#cache = cache;
  }

  /** Lets the warm process end once it has answered; the next read starts another. */
  retire(): void {
    this.#process?.retire();
    this.#process = undefined;
  }

  /**
   * Type and size of an object; null where it does not exist or a shortened id is ambiguous. Of a damaged repository
   * nobody can say that a complete id does not exist.
   * @param name a complete or shortened object id, or a name below `refs/`, with an optional `^{commit}`
   * @throws GitError `invalid` for any other text, `corrupt`, `failed`, `busy`
   */
  async info(name: string): Promise<ObjectInfo | null> {
    const answer = await this.#ask('info', name, 0);
    return answer && { oid: answer.oid, type: answer.type, size: answer.size };
  }

  /**
   * An object with its content, which is left out (`data: null`) where it is larger than `maxBytes`.
   * The buffer may be shared: it must not be changed.
   * @throws GitError as `info`
   */
  async read(oid: string, maxBytes: number): Promise<ObjectData | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached?.type === 'blob') {
      const { data } = cached;
      return { oid, type: 'blob', size: data.length, data: data.length > maxBytes ? null : data };
    }
    const info = await this.info(oid);
    if (info === null || info.size > maxBytes) return info && { ...info, data: null };
    const answer = await this.#ask('contents', info.oid, maxBytes);
    if (answer?.data && answer.type === 'blob' && answer.size <= MAX_CACHED_BLOB) {
      this.#cache.set(this.#id, answer.oid, { type: 'blob', data: answer.data });
    }
    return answer;
  }

  /**
   * A parsed commit; null where there is none of this id. Shared: it must not be changed.
   * @throws GitError as `info`
   */
  async commit(oid: string): Promise<Commit | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached !== undefined) return cached.type === 'commit' ? cached.commit : null;
    const data = await this.#parsed(oid, 'commit');
    if (data === null) return null;
    const commit = parseCommit(oid, data);
    this.#cache.set(this.#id, oid, { type: 'commit', commit });
    return commit;
  }

  /**
   * The entries of a tree in git's order; null where there is no tree of this id. Shared: not to be changed.
   * @throws GitError as `info`
   */
  async tree(oid: string): Promise<readonly TreeEntry[] | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached !== undefined) return cached.type === 'tree' ? cached.entries : null;
    const data = await this.#parsed(oid, 'tree');
    if (data === null) return null;
    const entries = parseTree(oid, data);
    this.#cache.set(this.#id, oid, { type: 'tree', entries });
    return entries;
  }

  /**
   * A parsed annotated tag; null where there is none of this id. Shared: it must not be changed.
   * @throws GitError as `info`
   */
  async tag(oid: string): Promise<Tag | null> {
    const cached = this.#cache.get(this.#id, oid);
    if (cached !== undefined) return cached.type === 'tag' ? cached.tag : null;
    const data = await this.#parsed(oid, 'tag');
    if (data === null) return null;
    const tag = parseTag(oid, data);
    this.#cache.set(this.#id, oid, { type: 'tag', tag });
    return tag;
  }

  /**
   * The content of a blob of any size, with back-pressure. Destroying the stream ends the child; a damaged
   * or missing blob is an error of the stream, also after its first bytes.
   * @param options `timeoutMs` milliseconds until the child is ended (default 30 minutes)
   * @throws GitError `invalid` where `oid` is no complete object id (of the call, not of the stream)
   */
  stream(oid: string, options: { signal?: AbortSignal; timeoutMs?: number } = {}): Readable {
    if (!isOid(oid)) throw new GitError('invalid', 'not an object id');
    return Readable.from(blobChunks(this.#dir, oid, options, currentScope()), {
      objectMode: false,
      highWaterMark: 256 * 1024,
    });
  }

  async #parsed(oid: string, type: 'commit' | 'tree' | 'tag'): Promise<Buffer | null> {
    if (!isOid(oid)) throw new GitError('invalid', 'not an object id');
    const answer = await this.#ask('contents', oid, MAX_PARSED_BYTES);
    if (answer === null || answer.type !== type) return null;
    if (answer.data === null) throw new GitError('output_too_large', `${type} ${oid}: ${answer.size} bytes`);
    return answer.data;
  }

  async #ask(command: CatFileRequest['command'], name: string, maxBytes: number): Promise<CatFileAnswer | null> {
    if (!isObjectName(name)) throw new GitError('invalid', 'not an object name');
    const answer = await new Promise<CatFileAnswer | null>((resolve, reject) => {
      this.#send({ command, name, maxBytes, attempts: 0, resolve, reject });
    });
    if (answer === null && isOid(name)) await this.#refuseLost(name);
    return answer;
  }

  /** An object that is not found where something is damaged is no object that never was. */
  async #refuseLost(oid: string): Promise<void> {
    const process = this.#process;
    // What git complains of lies in its other pipe by now, and is read in this turn.
    await new Promise(setImmediate);
    if (!process?.damaged && !(await mayBeLost(this.#dir, oid))) return;
    throw new GitError('corrupt', `object ${oid} is lost`);
  }

  #send(request: CatFileRequest): void {
    if (this.#process !== undefined && this.#process.pending < MAX_PENDING) {
      this.#process.send(request);
      this.#slot?.touch();
    } else if (this.#process !== undefined || this.#waiting.length >= MAX_PENDING) {
      request.reject(new GitError('busy', 'too many object reads are waiting'));
    } else {
      this.#waiting.push(request);
      void this.#start();
    }
  }

  async #start(): Promise<void> {
    if (this.#starting) return;
    this.#starting = true;
    try {
      const slot = await this.#slots.take();
      const process: CatFile = orRelease(slot, () => {
        return new CatFile(this.#dir, (end) => {
          if (this.#process === process) this.#process = undefined;
          slot.release();
          this.#recover(end);
        });
      });
      this.#process = process;
      this.#slot = slot;
      // Sent before the slot is held: it may have to be given back at once.
      for (const request of this.#waiting.splice(0)) process.send(request);
      slot.hold({
        get idle() {
          return process.pending === 0;
        },
        retire: () => {
          if (this.#process === process) this.#process = undefined;
          process.retire();
        },
        check: (now) => process.check(now),
      });
    } catch (error) {
      const reason = error instanceof Error ? error : new GitError('failed', 'cat-file could not start');
      for (const request of this.#waiting.splice(0)) request.reject(reason);
    } finally {
      this.#starting = false;
    }
  }

  /** Asks again what a dead process left unanswered; the request it died of gets one second chance. */
  #recover(end: CatFileEnd): void {
    const [first] = end.unanswered;
    if (first === undefined) return;
    if (end.guilty) first.attempts += 1;
    for (const request of end.unanswered) {
      if (end.hopeless || request.attempts > 1) request.reject(catFileError(end, request.name));
      else this.#send(request);
    }
  }
}

/** @param scope of the request: the stream is read after its handler has ended */
async function* blobChunks(
  dir: string,
  oid: string,
  options: { signal?: AbortSignal; timeoutMs?: number },
  scope: RequestScope,
) {
  const limits = { timeoutMs: MAX_STREAM_MS, ...options, gitDir: dir, lane: 'transport' as const };
  const git = await inScope(scope, () => spawnGit(['cat-file', 'blob', oid], limits));
  git.stdin.end();
  try {
    for await (const chunk of git.stdout) yield chunk as Buffer;
    const { code, stderr, killed } = await git.done;
    if (killed !== null) throw new GitError(killed === 'timeout' ? 'timeout' : 'aborted', `blob ${oid}: stopped`);
    if (code !== 0) throw new GitError(/not found|Not a valid/i.test(stderr) ? 'not_found' : 'corrupt', stderr.trim());
  } finally {
    git.kill();
  }
}
