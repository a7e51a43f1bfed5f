import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EntryCache } from '../../core/cache/index.ts';
import { currentScope } from '../../core/request-scope.ts';
import { compareBytes, GitError, isValidRefName } from '../common/index.ts';
import { type FileStamp, isMissing, isUnchanged, stampOf } from '../files/index.ts';
import { isRepository, type ObjectReader } from '../objects/index.ts';
import { LooseRefs } from './loose-refs.ts';
import { PackedRefs, type Ref } from './packed-refs.ts';
import { HEADS } from './ref-folders.ts';
import { RefTransactions, type TransactionOptions } from './ref-transactions.ts';
import type { RefUpdate } from './ref-update.ts';

export type { Ref } from './packed-refs.ts';
export type { TransactionOptions } from './ref-transactions.ts';
export type { RefUpdate } from './ref-update.ts';

interface Snapshot {
  loose: number;
  packed: number;
  refs: readonly Ref[];
  corrupt: readonly string[];
}

/** The references of one repository: read from disk on every call, changed in durable transactions. */
export class RefStore {
  readonly #dir: string;
  readonly #headPath: string;
  #head: { stamp: FileStamp; branch: string | null } | undefined;
  readonly #loose: LooseRefs;
  readonly #packed: PackedRefs;
  readonly #transactions: RefTransactions;
  readonly #snapshots = new EntryCache<string, Snapshot>('ref_lists');
  /** Weak, since results derived from references outlive this object and must not keep it alive. */
  readonly #self = new WeakRef(this);

  /** @param objects of the same repository, as targets of references */
  constructor(dir: string, objects: () => ObjectReader) {
    this.#dir = dir;
    this.#headPath = join(dir, 'HEAD');
    this.#loose = new LooseRefs(dir);
    this.#packed = new PackedRefs(join(dir, 'packed-refs'));
    this.#transactions = new RefTransactions(dir, objects, {
      resolve: (ref) => {
        this.#loose.invalidate(ref);
        return this.resolve(ref);
      },
      packed: (ref) => {
        this.#packed.refresh();
        return this.#packed.find(ref);
      },
      isPackedInTheWay: (above, prefix) => this.#isPackedInTheWay(above, prefix),
    });
  }

  /**
   * Target of a reference, not peeled; null if it does not exist or its name is not well-formed.
   * @param ref full name, e.g. `refs/heads/main`
   * @throws GitError `corrupt` if its file contains no object id, or the repository does not exist
   */
  async resolve(ref: string): Promise<string | null> {
    if (!isValidRefName(ref)) return null;
    const oid = this.#find(ref);
    this.#observe((store) => store.#find(ref) === oid);
    return oid;
  }

  /** Registers a check of whether the state read here is still current. */
  #observe(isSame: (store: RefStore) => boolean): void {
    const { validators } = currentScope();
    if (validators === undefined) return;
    const self = this.#self;
    validators.add(() => {
      const store = self.deref();
      return store !== undefined && isSame(store);
    });
  }

  #find(ref: string): string | null {
    const loose = this.#loose.read(ref);
    if (loose === null) throw new GitError('corrupt', `${ref} holds no object id`);
    if (loose !== undefined) return loose;
    this.#packed.refresh();
    const packed = this.#packed.find(ref);
    if (packed === null) this.#refuseGone();
    return packed;
  }

  /**
   * All references below a folder in byte order, without broken and symbolic ones. Returns the same array while nothing
   * changes, so that derived data can be cached by its identity.
   * @param prefix `refs/` or a folder below it with a trailing slash, e.g. `refs/heads/`
   * @throws GitError `invalid` for another prefix
   */
  async list(prefix: string): Promise<readonly Ref[]> {
    return this.#observedSnapshot(prefix).refs;
  }

  /** Full names of the broken and symbolic references that `list` omits. */
  async corrupt(prefix = 'refs/'): Promise<readonly string[]> {
    return this.#observedSnapshot(prefix).corrupt;
  }

  /**
   * Branch of HEAD without `refs/heads/`, whether or not it exists; null if HEAD is not a branch.
   * @throws GitError `corrupt` if the repository has no HEAD
   */
  async head(): Promise<string | null> {
    const branch = this.#readHead();
    this.#observe((store) => store.#readHead() === branch);
    return branch;
  }

  /** Commit of HEAD's branch; null if there is none. @throws as `head` and `resolve` */
  async tip(): Promise<string | null> {
    const branch = await this.head();
    return branch === null ? null : await this.resolve(`${HEADS}${branch}`);
  }

  #readHead(): string | null {
    const stats = statSync(this.#headPath, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) throw new GitError('corrupt', `${this.#dir} has no HEAD`);
    if (this.#head !== undefined && isUnchanged(this.#head.stamp, stats)) return this.#head.branch;
    const stamp = stampOf(stats);
    try {
      const text = readFileSync(this.#headPath, 'utf8');
      const branch = /^ref:\s*refs\/heads\/(.+?)\s*$/.exec(text)?.[1] ?? null;
      this.#head = { stamp, branch };
      return branch;
    } catch (error) {
      if (isMissing(error)) throw new GitError('corrupt', `${this.#dir} has no HEAD`);
      throw error;
    }
  }

  /**
   * Applies all updates or none; durable when it fulfils.
   * @throws errors of `stored` and `fence`; GitError `conflict` if a reference differs from `old` or its name
   *   collides with a folder, `locked` if another process holds it, `invalid` for invalid names, missing objects or a
   *   branch that is not a commit, `corrupt` for a broken reference, `busy`; the file system's error
   */
  async transaction(updates: readonly RefUpdate[], options?: TransactionOptions): Promise<void> {
    await this.#transactions.run(updates, options);
  }

  #isPackedInTheWay(above: Iterable<string>, prefix: string): boolean {
    this.#packed.refresh();
    for (const name of above) if (this.#packed.find(name) !== null) return true;
    return this.#packed.has(prefix);
  }

  /** A missing repository must not look like one without refs. */
  #refuseGone(): void {
    if (!isRepository(this.#dir)) throw new GitError('corrupt', `${this.#dir} is not a repository`);
  }

  #observedSnapshot(prefix: string): Snapshot {
    const snapshot = this.#snapshot(prefix);
    const { loose, packed } = snapshot;
    this.#observe((store) => {
      const now = store.#snapshot(prefix);
      return now.loose === loose && now.packed === packed;
    });
    return snapshot;
  }

  #snapshot(prefix: string): Snapshot {
    if (!prefix.endsWith('/') || (prefix !== 'refs/' && !isValidRefName(prefix.slice(0, -1)))) {
      throw new GitError('invalid', 'not a folder of references');
    }
    // Loose first: git writes packed-refs before it removes the loose file, so that nothing is missed in between.
    const loose = this.#loose.refresh(prefix);
    const packed = this.#packed.refresh();
    const known = this.#snapshots.get(prefix);
    if (known !== undefined && known.loose === loose && known.packed === packed) return known;
    const snapshot = { loose, packed, ...this.#merge(prefix) };
    if (snapshot.refs.length === 0) this.#refuseGone();
    this.#snapshots.set(prefix, snapshot);
    return snapshot;
  }

  #merge(prefix: string): Pick<Snapshot, 'refs' | 'corrupt'> {
    const byName = new Map<string, Ref>();
    for (const ref of this.#packed.below(prefix)) byName.set(ref.name, ref);
    const corrupt: string[] = [];
    for (const { name, oid } of this.#loose.below(prefix)) {
      if (oid !== null) byName.set(name, { name, oid });
      else {
        corrupt.push(name);
        byName.delete(name);
      }
    }
    const refs = [...byName.values()].sort((a, b) => compareBytes(a.name, b.name));
    return { refs, corrupt: corrupt.sort(compareBytes) };
  }
}
