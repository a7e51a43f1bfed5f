import { emptyTreeLike } from '../arguments.ts';
import { encodeBytes } from '../bytes.ts';
import { GitError } from '../errors.ts';
import type { ObjectReader } from '../object-reader.ts';

/** What a tree has of one name: an id of the mode. */
interface Entry {
  mode: string;
  oid: string;
}

const MAX_KEPT = 5_000;
const MAX_TREE_BYTES = 32 * 1024 * 1024;
const FOLDER = '40000';
const SUBMODULE = '160000';
const FILE_MODE = /^100[0-7]{3}$/;
/** The mode as git takes one: of a file it heeds only whether its owner may execute it. */
const MODES = new Map(['40000', '040000', '120000', '160000'].map((mode) => [mode, mode.replace(/^0/, '')]));

/** What is at one path in trees, for walks that ask whether two trees have the same there. */
export class PathStates {
  readonly #objects: ObjectReader;
  /** The parts of the path as they stand in a tree: between a space and a NUL. */
  readonly #names: readonly Buffer[];
  readonly #onlyFolder: boolean;
  /** Entries on the way, by the tree that they are in. */
  readonly #entries = new Map<string, Entry | null>();

  /** What is at the path, by the trees on the way to it. */
  readonly #states = new Map<string, string>();

  /** @param path with slashes; one at the end means that only a folder counts */
  constructor(objects: ObjectReader, path: string) {
    this.#objects = objects;
    this.#onlyFolder = path.endsWith('/');
    const names = (this.#onlyFolder ? path.slice(0, -1) : path).split('/');
    this.#names = names.map((name) => Buffer.concat([Buffer.from(' '), encodeBytes(name), Buffer.from('\0')]));
  }

  /**
   * What a tree has at the path, as a text that is equal where that is; empty for nothing.
   * @throws GitError `corrupt` where a tree is missing
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
    if (this.#states.size >= MAX_KEPT) this.#states.clear();
    for (const key of passed) this.#states.set(key, state);
    return state;
  }

  /**
   * Whether two trees have the same at the path; reads no more of them than differs on the way to it.
   * @param b null for nothing
   * @throws GitError `corrupt` where a tree is missing
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
    const kept = this.#entries.get(key);
    if (kept !== undefined) return kept;
    const found = entryIn(await this.#read(tree), this.#names[depth]!, tree.length / 2);
    const isFile = found !== null && found.mode !== FOLDER && found.mode !== SUBMODULE;
    const entry = isFile && this.#onlyFolder && depth === this.#names.length - 1 ? null : found;
    if (this.#entries.size >= MAX_KEPT) this.#entries.clear();
    this.#entries.set(key, entry);
    return entry;
  }

  async #read(tree: string): Promise<Buffer> {
    if (tree === emptyTreeLike(tree)) return Buffer.alloc(0);
    const found = await this.#objects.read(tree, MAX_TREE_BYTES);
    if (found === null || found.type !== 'tree') throw new GitError('corrupt', `tree ${tree} is missing`);
    if (found.data === null) throw new GitError('output_too_large', `tree ${tree}: ${found.size} bytes`);
    return found.data;
  }
}

/** Finds one entry of a tree without taking the others apart. The bytes of an id would have to look like a whole entry to be taken for one. */
function entryIn(tree: Buffer, name: Buffer, hashBytes: number): Entry | null {
  for (let at = tree.indexOf(name); at >= 0; at = tree.indexOf(name, at + 1)) {
    const id = at + name.length;
    for (const digits of [6, 5]) {
      const mode = modeOf(tree.toString('latin1', Math.max(0, at - digits), at));
      if (mode === null || id + hashBytes > tree.length) continue;
      return { mode, oid: tree.toString('hex', id, id + hashBytes) };
    }
  }
  return null;
}

function modeOf(text: string): string | null {
  if (!FILE_MODE.test(text)) return MODES.get(text) ?? null;
  return (Number.parseInt(text, 8) & 0o100) === 0 ? '100644' : '100755';
}

/** A folder without anything in it is nothing to git. */
function stateOf(entry: Entry | null): string {
  return entry === null || entry.oid === emptyTreeLike(entry.oid) ? '' : `${entry.mode} ${entry.oid}`;
}
