import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Engine } from '../../db/migration-history.ts';
import { isMissing } from '../../git/files/index.ts';

/** What is known of a snapshot. */
export interface SnapshotFacts {
  name: string;
  /** By the system's clock: the bench's goes back with each restore. */
  created_at: string;
  /** Bytes of database, repositories and blobs; files are shared with the installation. */
  bytes: number;
}

export interface Manifest extends SnapshotFacts {
  engine: Engine;
  /** Name of the last migration of its database. */
  migration: string;
}

/** Name of the snapshot of what the seed made; none that clients may choose. */
export const START = '.start';
const TEMPORARY = '.tmp-';
const MANIFEST = 'snapshot.json';
const MARKER = 'restoring';

/** The snapshots of a data folder, each a folder. */
export class SnapshotFolders {
  readonly #root: string;
  /** File with the name of the snapshot whose restore has begun. */
  readonly marker: string;
  /** Whether what is stored must outlast a power failure. */
  readonly #flush: boolean;

  /** @param config whose data folder is not changed unless something is stored */
  constructor({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>) {
    this.#flush = database.kind === 'postgres' || database.durable;
    const own = join(dataDir, 'test-bench');
    this.#root = join(own, 'snapshots');
    this.marker = join(own, MARKER);
  }

  of(name: string): string {
    return join(this.#root, name);
  }

  has(name: string): boolean {
    return existsSync(join(this.of(name), MANIFEST));
  }

  /** @throws the file system's error */
  read(name: string): Manifest {
    return JSON.parse(readFileSync(join(this.of(name), MANIFEST), 'utf8'));
  }

  /** Names of all complete snapshots, that of the start included. */
  names(): string[] {
    return this.#entries().filter((name) => !name.startsWith(TEMPORARY) && this.has(name));
  }

  /** Makes a folder for a snapshot that is not complete. */
  begin(): string {
    const folder = join(this.#root, `${TEMPORARY}${randomUUID()}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Makes a folder the complete snapshot of a name. */
  complete(folder: string, manifest: Manifest): void {
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest), { flush: this.#flush });
    renameSync(folder, this.of(manifest.name));
  }

  /** Takes the name away from a snapshot. @returns its folder, which is to be removed */
  withdraw(name: string): string {
    const folder = join(this.#root, `${TEMPORARY}${randomUUID()}`);
    renameSync(this.of(name), folder);
    return folder;
  }

  /** Folders that are no complete snapshots. */
  leftovers(): string[] {
    return this.#entries().flatMap((name) => (name.startsWith(TEMPORARY) || !this.has(name) ? [this.of(name)] : []));
  }

  /** The snapshot whose restore has begun and not ended; null if there is none. */
  get restoring(): string | null {
    try {
      return readFileSync(this.marker, 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  set restoring(name: string | null) {
    if (name === null) {
      rmSync(this.marker, { force: true });
      return;
    }
    const temporary = `${this.marker}.${process.pid}`;
    writeFileSync(temporary, name, { flush: this.#flush });
    renameSync(temporary, this.marker);
  }

  #entries(): string[] {
    try {
      return readdirSync(this.#root);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}
