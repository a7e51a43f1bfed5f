import type { ObjectFormat } from '../common/index.ts';
import { encodeTree, type NewObject, nameObject, type TreeEntry } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { mergeFile } from './native-file-merge.ts';

/** Tree ids of the common ancestor and both sides. */
export interface MergedTrees {
  base: string;
  ours: string;
  theirs: string;
}

/** A tree and the objects to write before it exists. */
export interface NativeMerge {
  tree: string;
  objects: NewObject[];
}

/** Maximum number of folders read before the merge is left to git: three for each that both sides changed. */
const MAX_FOLDERS = 300;
const PLAIN_MODES = new Set(['100644', '100755', '120000', '160000', '040000']);

type Entry = TreeEntry | undefined;

/** Git may produce another result, or a conflict. */
class LeftToGit extends Error {}

/**
 * Merges two trees like git if no heuristics are needed: each path is taken from the side that changed it, and changes
 * of both sides to a file are far apart. Writes nothing.
 *
 * Git's heuristics concern renames. They affect the result only if a path that one side removed, or something new in a
 * folder that it removed, was touched by the other side, or if both sides added or removed the same path. All of this
 * is left to git.
 * @returns null if it is left to git, or if a tree is missing
 * @throws GitError as `ObjectReader.tree`
 */
export async function nativeMerge(repo: Repository, { base, ours, theirs }: MergedTrees): Promise<NativeMerge | null> {
  const merge = new Merge(repo, ours.length === 64 ? 'sha256' : 'sha1');
  try {
    const tree = await merge.folder('', base, ours, theirs);
    return { tree: tree ?? (await merge.emptyTree()), objects: merge.objects };
  } catch (error) {
    if (error instanceof LeftToGit) return null;
    throw error;
  }
}

class Merge {
  readonly objects: NewObject[] = [];
  readonly #repo: Repository;
  readonly #format: ObjectFormat;
  #read = 0;

  constructor(repo: Repository, format: ObjectFormat) {
    this.#repo = repo;
    this.#format = format;
  }

  /** @returns the merged tree; null if it is empty */
  async folder(prefix: string, base: string | null, ours: string, theirs: string): Promise<string | null> {
    if (ours === theirs && base === null) throw new LeftToGit();
    const [before, one, other] = [await this.#entries(base), await this.#entries(ours), await this.#entries(theirs)];
    const merged: TreeEntry[] = [];
    let [isOurs, isTheirs] = [true, true];
    for (const name of new Set([...before.keys(), ...one.keys(), ...other.keys()])) {
      const [b, o, t] = [before.get(name), one.get(name), other.get(name)];
      const result = isSame(b, o) ? t : isSame(b, t) ? o : await this.#both(`${prefix}${name}`, b, o, t);
      isOurs &&= isSame(result, o);
      isTheirs &&= isSame(result, t);
      if (result !== undefined) merged.push(result);
    }
    if (isOurs) return ours;
    if (isTheirs) return theirs;
    return merged.length === 0 ? null : await this.#add('tree', encodeTree(merged));
  }

  emptyTree(): Promise<string> {
    return this.#add('tree', Buffer.alloc(0));
  }

  /** Merges an entry that both sides changed. */
  async #both(path: string, b: Entry, o: Entry, t: Entry): Promise<Entry> {
    if (o === undefined || t === undefined) throw new LeftToGit();
    if (o.type === 'tree' && t.type === 'tree' && (b === undefined || b.type === 'tree')) {
      const oid = await this.folder(`${path}/`, b?.oid ?? null, o.oid, t.oid);
      return oid === null ? undefined : { ...o, oid };
    }
    if (b === undefined || [b, o, t].some(({ type }) => type === 'tree')) throw new LeftToGit();
    if (isSame(o, t)) return o;
    if (b.mode !== o.mode || b.mode !== t.mode || !b.mode.startsWith('100')) throw new LeftToGit();
    const content = await mergeFile(this.#repo, path, { base: b.oid, ours: o.oid, theirs: t.oid });
    if (content === null) throw new LeftToGit();
    return { ...o, oid: await this.#add('blob', content) };
  }

  async #add(type: 'blob' | 'tree', data: Buffer): Promise<string> {
    const oid = await nameObject(type, data, this.#format);
    this.objects.push({ type, data, oid });
    return oid;
  }

  async #entries(tree: string | null): Promise<ReadonlyMap<string, TreeEntry>> {
    if (tree === null) return new Map();
    this.#read += 1;
    const entries = this.#read > MAX_FOLDERS ? null : await this.#repo.objects.tree(tree);
    if (entries === null) throw new LeftToGit();
    const named = new Map(entries.map((entry) => [entry.name, entry]));
    // Trees that current git versions would not write are not reused.
    const isPlain = named.size === entries.length && entries.length > 0;
    if (!isPlain || !entries.every(({ mode }) => PLAIN_MODES.has(mode))) throw new LeftToGit();
    return named;
  }
}

const isSame = (a: Entry, b: Entry): boolean => a?.oid === b?.oid && a?.mode === b?.mode;
