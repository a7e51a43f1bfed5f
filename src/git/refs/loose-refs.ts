import { type Dirent, readdirSync } from 'node:fs';
import { EntryCache } from '../../core/cache/index.ts';
import { bytesPath, decodeBytes, isValidRefName } from '../common/index.ts';
import { type FileStamp, isMissing, isUnchanged, readFile, stampOf, statOf } from '../files/index.ts';

interface LooseFile {
  stamp: FileStamp;
  /** Null for a broken or symbolic reference. */
  oid: string | null;
}

interface Folder {
  stamp: FileStamp | undefined;
  files: Map<string, LooseFile>;
  folders: Map<string, Folder>;
  /** Changes whenever this folder's files or the set of its folders change. */
  version: number;
}

function entriesOf(path: string | Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The loose references below `refs/`. A folder is read again when its status has changed. */
export class LooseRefs {
  readonly #dir: string;
  readonly #root: Folder = { stamp: undefined, files: new Map(), folders: new Map(), version: 0 };
  #versions = 0;
  /** References read individually, with the file status at that time. */
  readonly #recent = new EntryCache<string, LooseFile>('loose_refs');

  /** @param dir directory of the repository */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Object id of a reference; null for a broken one, undefined if there is no such file. */
  read(name: string): string | null | undefined {
    const path = bytesPath(this.#dir, name);
    const stats = statOf(path);
    if (stats === undefined || stats.isDirectory()) return undefined;
    const known = this.#recent.get(name);
    if (known !== undefined && isUnchanged(known.stamp, stats)) return known.oid;
    const stamp = stampOf(stats);
    const oid = stats.isFile() ? readFile(path) : null;
    if (oid !== undefined && stamp.trusted) this.#recent.set(name, { stamp, oid });
    return oid;
  }

  /** Forces the next `read` of a reference to read its file, whatever its status. */
  invalidate(name: string): void {
    this.#recent.delete(name);
  }

  /**
   * Refreshes everything below a folder.
   * @param prefix `refs/` or a folder below it, with a trailing slash
   * @returns a number that changes exactly when something below the folder changes
   */
  refresh(prefix: string): number {
    return this.#refresh(this.#folder(prefix), prefix.slice(0, -1));
  }

  /** The loose references below a folder, unsorted; `oid` is null for a broken one. Call `refresh` first. */
  *below(prefix: string): Generator<{ name: string; oid: string | null }> {
    yield* walk(this.#folder(prefix), prefix.slice(0, -1));
  }

  #folder(prefix: string): Folder {
    let folder = this.#root;
    for (const part of prefix.split('/').slice(1, -1)) {
      let next = folder.folders.get(part);
      if (next === undefined) {
        next = { stamp: undefined, files: new Map(), folders: new Map(), version: 0 };
        // The parent learns of it only in its own scan.
        if (statOf(bytesPath(this.#dir, prefix.slice(0, -1)))?.isDirectory()) folder.folders.set(part, next);
      }
      folder = next;
    }
    return folder;
  }

  #refresh(folder: Folder, name: string): number {
    const path = bytesPath(this.#dir, name);
    const stats = statOf(path);
    if (stats === undefined || !stats.isDirectory()) {
      if (folder.files.size > 0 || folder.folders.size > 0) folder.version = ++this.#versions;
      folder.stamp = undefined;
      folder.files.clear();
      folder.folders.clear();
      return folder.version;
    }
    if (folder.stamp === undefined || !isUnchanged(folder.stamp, stats)) {
      const stamp = stampOf(stats);
      if (this.#scan(folder, name, path)) folder.version = ++this.#versions;
      // Set last, so that a failed read is repeated.
      folder.stamp = stamp;
    }
    let version = folder.version;
    for (const [part, child] of folder.folders) version = Math.max(version, this.#refresh(child, `${name}/${part}`));
    return version;
  }

  /** Reads a folder again; returns whether its files or the set of its folders changed. */
  #scan(folder: Folder, name: string, path: string | Buffer): boolean {
    const files = new Map<string, LooseFile>();
    const folders = new Map<string, Folder>();
    let changed = false;
    for (const entry of entriesOf(path)) {
      const part = decodeBytes(entry.name);
      if (entry.isDirectory()) {
        const known = folder.folders.get(part);
        changed ||= known === undefined;
        folders.set(part, known ?? { stamp: undefined, files: new Map(), folders: new Map(), version: 0 });
        continue;
      }
      if (!isValidRefName(`${name}/${part}`)) continue;
      const before = folder.files.get(part);
      const file = this.#readFile(`${name}/${part}`, before);
      if (file === undefined) continue;
      changed ||= before?.oid !== file.oid;
      files.set(part, file);
    }
    changed ||= files.size !== folder.files.size || folders.size !== folder.folders.size;
    folder.files = files;
    folder.folders = folders;
    return changed;
  }

  #readFile(name: string, before: LooseFile | undefined): LooseFile | undefined {
    const path = bytesPath(this.#dir, name);
    const stats = statOf(path);
    if (stats === undefined) return undefined;
    if (before !== undefined && isUnchanged(before.stamp, stats)) return before;
    const stamp = stampOf(stats);
    const oid = stats.isFile() ? readFile(path) : null;
    return oid === undefined ? undefined : { stamp, oid };
  }
}

function* walk(folder: Folder, name: string): Generator<{ name: string; oid: string | null }> {
  for (const [part, file] of folder.files) yield { name: `${name}/${part}`, oid: file.oid };
  for (const [part, child] of folder.folders) yield* walk(child, `${name}/${part}`);
}
