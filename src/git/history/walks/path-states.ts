import { emptyTreeLike, GitError } from '../../common/index.ts';
import { asInTree, findEntry, type ObjectReader } from '../../objects/index.ts';

/** Tree entry of a given name: id and mode. */
interface Entry {
  mode: string;
  oid: string;
}

const MAX_CACHED = 5_000;
const MAX_TREE_BYTES = 32 * 1024 * 1024;
const FOLDER = '40000';
const SUBMODULE = '160000';

/** Content of trees at one path, for walks that compare two trees there. */
export class PathStates {
  readonly #objects: ObjectReader;
  /** Components of the path as they appear in trees. */
  readonly #names: readonly Buffer[];
  readonly #onlyFolder: boolean;
  /** Entries on the path, by the tree that contains them. */
  readonly #entries = new Map<string, Entry | null>();

  /** Content at the path, by the trees on the way to it. */
  readonly #states = new Map<string, string>();

  /** @param path with slashes; a trailing one matches only a folder */
  constructor(objects: ObjectReader, path: string) {
    this.#objects = objects;
    this.#onlyFolder = path.endsWith('/');
    const names = (this.#onlyFolder ? path.slice(0, -1) : path).split('/');
    this.#names = names.map(asInTree);
  }

  /**
   * Content of a tree at the path, as a string that can be compared; empty if it is absent.
   * @throws GitError `corrupt` if a tree is missing
   */
  async stateAt(root: string): Promise<string> {
    const passed: string[] = [];
    let tree: string | null = root;
    let state: string | undefined;
    for (let depth = 0; state === undefined; depth += 1) {
      if (tree === null) {
        state = '';
        break;
      }
      state = this.#states.get(`${depth}${tree}`);
      if (state !== undefined) break;
      passed.push(`${depth}${tree}`);
      const entry: Entry | null = await this.#entry(tree, depth);
      if (depth === this.#names.length - 1) state = stateOf(entry);
      tree = entry?.mode === FOLDER ? entry.oid : null;
    }
    if (this.#states.size >= MAX_CACHED) this.#states.clear();
    for (const key of passed) this.#states.set(key, state);
    return state;
  }

  /**
   * Whether two trees have the same content at the path. Reads only the differing trees on the way to it.
   * @param b null for an empty tree
   * @throws GitError `corrupt` if a tree is missing
   */
  async areSame(a: string, b: string | null): Promise<boolean> {
    let one: string | null = a;
    let other: string | null = b;
    for (let depth = 0; ; depth += 1) {
      if (one === other) return true;
      const first: Entry | null = one === null ? null : await this.#entry(one, depth);
      const second: Entry | null = other === null ? null : await this.#entry(other, depth);
      if (first?.oid === second?.oid && first?.mode === second?.mode) return true;
      if (depth === this.#names.length - 1) return stateOf(first) === stateOf(second);
      one = first?.mode === FOLDER ? first.oid : null;
      other = second?.mode === FOLDER ? second.oid : null;
    }
  }

  async #entry(tree: string, depth: number): Promise<Entry | null> {
    const key = `${depth}${tree}`;
    const cached = this.#entries.get(key);
    if (cached !== undefined) return cached;
    const treeEntry = findEntry(tree, await this.#read(tree), this.#names[depth]!);
    let entry: Entry | null = treeEntry === null ? null : { mode: modeOf(treeEntry.mode), oid: treeEntry.oid };
    const isFile = entry !== null && entry.mode !== FOLDER && entry.mode !== SUBMODULE;
    if (isFile && this.#onlyFolder && depth === this.#names.length - 1) entry = null;
    if (this.#entries.size >= MAX_CACHED) this.#entries.clear();
    this.#entries.set(key, entry);
    return entry;
  }

  async #read(tree: string): Promise<Buffer> {
    if (tree === emptyTreeLike(tree)) return Buffer.alloc(0);
    const object = await this.#objects.read(tree, MAX_TREE_BYTES);
    if (object === null || object.type !== 'tree') throw new GitError('corrupt', `tree ${tree} is missing`);
    if (object.data === null) throw new GitError('output_too_large', `tree ${tree}: ${object.size} bytes`);
    return object.data;
  }
}

/** Mode in git's canonical form: of a file's permissions only the owner's execute bit counts. */
function modeOf(mode: string): string {
  if (!mode.startsWith('100')) return mode.replace(/^0/, '');
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
}

/** Git treats an empty folder as absent. */
function stateOf(entry: Entry | null): string {
  return entry === null || entry.oid === emptyTreeLike(entry.oid) ? '' : `${entry.mode} ${entry.oid}`;
}
