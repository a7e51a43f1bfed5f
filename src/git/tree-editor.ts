import { CommitError } from './commit-error.ts';
import { GitError } from './errors.ts';
import { encodeTree } from './object-encode.ts';
import type { ObjectReader } from './object-reader.ts';
import { type NewObject, nameObject } from './object-writer.ts';
import type { ObjectFormat } from './objects.ts';
import type { FileContent } from './stored-content.ts';

/** A file, symbolic link or submodule: `oid` of an old object, or the `data` of a new one. */
export interface Leaf {
  kind: 'leaf';
  mode: string;
  oid: string | null;
  data: FileContent | null;
}

interface Folder {
  kind: 'folder';
  /** The tree on disk that it still equals; null once something below has changed. */
  oid: string | null;
  /** Null until the tree is read. */
  children: Map<string, Leaf | Folder> | null;
}

/** A tree being changed: reads only the folders on the way to what is touched, writes only the changed ones. */
export class TreeEditor {
  readonly #objects: ObjectReader;
  readonly #root: Folder;

  /** @param tree the tree to start from; null for an empty one */
  constructor(objects: ObjectReader, tree: string | null) {
    this.#objects = objects;
    this.#root = tree === null ? emptyFolder() : { kind: 'folder', oid: tree, children: null };
  }

  /** What is at a path: a leaf, `folder`, or null. */
  async find(parts: readonly string[]): Promise<Leaf | 'folder' | null> {
    let node: Leaf | Folder = this.#root;
    for (const part of parts) {
      if (node.kind === 'leaf') return null;
      const next: Leaf | Folder | undefined = (await this.#children(node)).get(part);
      if (next === undefined) return null;
      node = next;
    }
    return node.kind === 'leaf' ? node : 'folder';
  }

  /**
   * Puts a leaf at a path, making folders as needed and replacing a leaf that is there.
   * @throws CommitError `file_exists` where a component on the way is no folder, `directory_exists` where a folder is there
   */
  async put(parts: readonly string[], leaf: Leaf): Promise<void> {
    const path = parts.join('/');
    const way: Folder[] = [this.#root];
    for (const part of parts.slice(0, -1)) {
      const children = await this.#children(way.at(-1)!);
      const next = children.get(part) ?? emptyFolder();
      if (next.kind === 'leaf') throw new CommitError('file_exists', path);
      children.set(part, next);
      way.push(next);
    }
    const children = await this.#children(way.at(-1)!);
    const name = parts.at(-1)!;
    if (children.get(name)?.kind === 'folder') throw new CommitError('directory_exists', path);
    children.set(name, leaf);
    for (const folder of way) folder.oid = null;
  }

  /** Takes a leaf away, with the folders that it leaves empty; there must be one. */
  async remove(parts: readonly string[]): Promise<void> {
    const way: Folder[] = [this.#root];
    for (const part of parts.slice(0, -1)) {
      const next = (await this.#children(way.at(-1)!)).get(part);
      if (next?.kind !== 'folder') throw new CommitError('file_missing', parts.join('/'));
      way.push(next);
    }
    for (let depth = way.length - 1; depth >= 0; depth -= 1) {
      const folder = way[depth]!;
      folder.oid = null;
      const children = await this.#children(folder);
      const child = children.get(parts[depth]!);
      if (child?.kind === 'leaf' || child?.children?.size === 0) children.delete(parts[depth]!);
    }
  }

  /**
   * The id of the changed tree, and every object that must be written for it.
   * @param format the hash of the repository
   */
  async finish(format: ObjectFormat): Promise<{ tree: string; objects: NewObject[] }> {
    const objects: NewObject[] = [];
    return { tree: await finishFolder(this.#root, format, objects), objects };
  }

  async #children(folder: Folder): Promise<Map<string, Leaf | Folder>> {
    if (folder.children !== null) return folder.children;
    const entries = folder.oid === null ? [] : await this.#objects.tree(folder.oid);
    if (entries === null) throw new GitError('corrupt', `tree ${folder.oid} is missing`);
    const children = new Map<string, Leaf | Folder>();
    for (const { name, mode, oid, type } of entries) {
      children.set(
        name,
        type === 'tree' ? { kind: 'folder', oid, children: null } : { kind: 'leaf', mode, oid, data: null },
      );
    }
    folder.children = children;
    return children;
  }
}

function emptyFolder(): Folder {
  return { kind: 'folder', oid: null, children: new Map() };
}

async function finishFolder(folder: Folder, format: ObjectFormat, objects: NewObject[]): Promise<string> {
  if (folder.oid !== null) return folder.oid;
  const entries: { name: string; mode: string; oid: string }[] = [];
  for (const [name, node] of folder.children!) {
    const oid =
      node.kind === 'folder' ? await finishFolder(node, format, objects) : await finishLeaf(node, format, objects);
    entries.push({ name, mode: node.kind === 'folder' ? '040000' : node.mode, oid });
  }
  const data = encodeTree(entries);
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
