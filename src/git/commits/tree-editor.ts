import { GitError, type ObjectFormat } from '../common/index.ts';
import type { FileContent } from '../files/index.ts';
import {
  encodeEntry,
  type NewObject,
  nameObject,
  type ObjectReader,
  type TreeEntry,
  TreeObject,
} from '../objects/index.ts';
import { CommitError } from './commit-error.ts';

/** A file, symbolic link or submodule: `oid` of an existing object, or `data` of a new one. */
export interface Leaf {
  kind: 'leaf';
  mode: string;
  oid: string | null;
  data: FileContent | null;
}

interface Folder {
  kind: 'folder';
  /** Unchanged tree on disk; null once something below has changed. */
  oid: string | null;
  /** Original tree, an empty tree for a new one; null until it is read. */
  tree: TreeObject | null;
  /** Loaded folders and changed entries by name; null for removed ones. */
  known: Map<string, Leaf | Folder | null>;
}

/** An empty tree contains no ids, so it is the same in both object formats. */
const NOTHING = new TreeObject('', Buffer.alloc(0));

/** Edits a tree: reads only the folders on the way to the changes, and writes only the changed ones. */
export class TreeEditor {
  readonly #objects: ObjectReader;
  readonly #root: Folder;

  /** @param tree the original tree; null for an empty one */
  constructor(objects: ObjectReader, tree: string | null) {
    this.#objects = objects;
    this.#root = tree === null ? emptyFolder() : folderOf(tree);
  }

  /** Entry at a path: a leaf, `folder`, or null. */
  async find(parts: readonly string[]): Promise<Leaf | 'folder' | null> {
    let node: Leaf | Folder = this.#root;
    for (const part of parts) {
      if (node.kind === 'leaf') return null;
      const next = await this.#child(node, part);
      if (next === null) return null;
      node = next;
    }
    return node.kind === 'leaf' ? node : 'folder';
  }

  /**
   * Puts a leaf at a path, creating folders as needed and replacing an existing leaf.
   * @throws CommitError `file_exists` if a component on the way is not a folder, `directory_exists` if a folder is at
   *   the path
   */
  async put(parts: readonly string[], leaf: Leaf): Promise<void> {
    const path = parts.join('/');
    const way: Folder[] = [this.#root];
    for (const part of parts.slice(0, -1)) {
      const folder = way.at(-1)!;
      const next = (await this.#child(folder, part)) ?? emptyFolder();
      if (next.kind === 'leaf') throw new CommitError('file_exists', path);
      folder.known.set(part, next);
      way.push(next);
    }
    const folder = way.at(-1)!;
    const name = parts.at(-1)!;
    if ((await this.#child(folder, name))?.kind === 'folder') throw new CommitError('directory_exists', path);
    folder.known.set(name, leaf);
    for (const folder of way) folder.oid = null;
  }

  /** Removes a leaf, which must exist, with the folders that become empty. */
  async remove(parts: readonly string[]): Promise<void> {
    const way: Folder[] = [this.#root];
    for (const part of parts.slice(0, -1)) {
      const next = await this.#child(way.at(-1)!, part);
      if (next?.kind !== 'folder') throw new CommitError('file_missing', parts.join('/'));
      way.push(next);
    }
    for (let depth = way.length - 1; depth >= 0; depth -= 1) {
      const folder = way[depth]!;
      folder.oid = null;
      const child = await this.#child(folder, parts[depth]!);
      if (child?.kind === 'leaf' || (child !== null && isEmpty(child))) folder.known.set(parts[depth]!, null);
    }
  }

  /**
   * Id of the changed tree, and every new object of it.
   * @param format object format of the repository
   */
  async finish(format: ObjectFormat): Promise<{ tree: string; objects: NewObject[] }> {
    const objects: NewObject[] = [];
    return { tree: await finishFolder(this.#root, format, objects), objects };
  }

  async #child(folder: Folder, name: string): Promise<Leaf | Folder | null> {
    const known = folder.known.get(name);
    if (known !== undefined) return known;
    if (folder.tree === null) {
      const tree = await this.#objects.treeObject(folder.oid!);
      if (tree === null) throw new GitError('corrupt', `tree ${folder.oid} is missing`);
      folder.tree = tree;
    }
    const entry = folder.tree.find(name);
    if (entry?.type !== 'tree') return entry && leafOf(entry);
    const child = folderOf(entry.oid);
    folder.known.set(name, child);
    return child;
  }
}

const folderOf = (oid: string): Folder => ({ kind: 'folder', oid, tree: null, known: new Map() });
const emptyFolder = (): Folder => ({ kind: 'folder', oid: null, tree: NOTHING, known: new Map() });
const leafOf = ({ mode, oid }: TreeEntry): Leaf => ({ kind: 'leaf', mode, oid, data: null });

/** Whether a loaded folder is empty. */
function isEmpty({ tree, known }: Folder): boolean {
  if (tree === null || [...known.values()].some((child) => child !== null)) return false;
  return tree.count === [...known.keys()].filter((name) => tree.find(name) !== null).length;
}

async function finishFolder(folder: Folder, format: ObjectFormat, objects: NewObject[]): Promise<string> {
  if (folder.oid !== null) return folder.oid;
  const changes = new Map<string, Buffer | null>();
  for (const [name, node] of folder.known) {
    if (node?.kind === 'folder' && node.oid !== null) continue;
    if (node === null) {
      changes.set(name, null);
      continue;
    }
    const oid =
      node.kind === 'folder' ? await finishFolder(node, format, objects) : await finishLeaf(node, format, objects);
    changes.set(name, encodeEntry({ name, mode: node.kind === 'folder' ? '040000' : node.mode, oid }));
  }
  const data = folder.tree!.edited(changes);
  folder.oid = await nameObject('tree', data, format);
  objects.push({ type: 'tree', data, oid: folder.oid });
  return folder.oid;
}

async function finishLeaf(leaf: Leaf, format: ObjectFormat, objects: NewObject[]): Promise<string> {
  if (leaf.data !== null) {
    leaf.oid = await nameObject('blob', leaf.data, format);
    objects.push({ type: 'blob', data: leaf.data, oid: leaf.oid });
    leaf.data = null;
  }
  return leaf.oid!;
}
