import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, deflateSync } from 'node:zlib';

/** Contents of a commit by path, as blob ids. */
type Tree = ReadonlyMap<string, string>;

export interface LooseCommit {
  /** Where it is to be found; nowhere without. */
  ref?: string;
  parents: readonly string[];
  /** Whether the files are all that it has; else they change those of the first parent. */
  whole?: boolean;
  /** Content by path; null removes the path. */
  files: Readonly<Record<string, string | null>>;
  /** The lines from the author to the end of the message. */
  rest: string;
}

/** Writes commits as git-fast-import does, but without a process: in loose objects and a loose ref. */
export class LooseCommits {
  readonly #dir: string;
  readonly #trees = new Map<string, Tree>();

  #hash: 'sha1' | 'sha256' | undefined;

  /** @param dir a bare repository */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** @returns the commit's id; undefined if the files of its parent are needed, which was not written by this */
  write({ ref, parents, whole = false, files, rest }: LooseCommit): string | undefined {
    const before = whole || parents.length === 0 ? new Map<string, string>() : this.#trees.get(parents[0]!);
    if (before === undefined) return undefined;
    const tree = new Map(before);
    for (const [path, content] of Object.entries(files)) {
      for (const other of tree.keys())
        if (other === path || isBelow(other, path) || isBelow(path, other)) tree.delete(other);
      if (content !== null) tree.set(path, this.#object('blob', Buffer.from(content)));
    }
    const lines = [`tree ${this.#tree([...tree])}`, ...parents.map((parent) => `parent ${parent}`), rest];
    const oid = this.#object('commit', Buffer.from(lines.join('\n')));
    this.#trees.set(oid, tree);
    if (ref === undefined) return oid;
    const file = join(this.#dir, ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.lock`, `${oid}\n`, { flag: 'wx' });
    renameSync(`${file}.lock`, file);
    return oid;
  }

  #tree(entries: readonly (readonly [path: string, oid: string])[]): string {
    const folders = new Map<string, [string, string][]>();
    const items: { key: Buffer; mode: string; name: string; oid: string }[] = [];
    for (const [path, oid] of entries) {
      const slash = path.indexOf('/');
      if (slash === -1) items.push({ key: Buffer.from(path), mode: '100644', name: path, oid });
      else {
        const name = path.slice(0, slash);
        folders.set(name, [...(folders.get(name) ?? []), [path.slice(slash + 1), oid]]);
      }
    }
    for (const [name, inside] of folders) {
      items.push({ key: Buffer.from(`${name}/`), mode: '40000', name, oid: this.#tree(inside) });
    }
    // Git orders folders as if their names ended with a slash.
    items.sort((a, b) => a.key.compare(b.key));
    return this.#object(
      'tree',
      Buffer.concat(
        items.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
      ),
    );
  }

  #object(type: string, content: Buffer): string {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    this.#hash ??= /objectformat = sha256/i.test(readFileSync(join(this.#dir, 'config'), 'utf8')) ? 'sha256' : 'sha1';
    const oid = createHash(this.#hash).update(bytes).digest('hex');
    const file = join(this.#dir, 'objects', oid.slice(0, 2), oid.slice(2));
    if (existsSync(file)) return oid;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, deflateSync(bytes, { level: constants.Z_BEST_SPEED }), { mode: 0o444 });
    return oid;
  }
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
