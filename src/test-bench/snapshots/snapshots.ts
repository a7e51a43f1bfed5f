import { rmSync } from 'node:fs';
import { systemClock, timestamp } from '../../core/clock.ts';
import { ApiError, conflict, notFound } from '../../core/core.errors.ts';
import { otherServers } from '../../db/db.claim.ts';
import { readHistory } from '../../db/migration-history.ts';
import type { Deps } from '../../deps.ts';
import type { SshServer } from '../../git-server/ssh/ssh-server.server.ts';
import { type DatabaseCopies, sqliteCopies } from './database-copies.ts';
import { type KeptFolder, readList, rootsOf, writeList } from './file-lists.ts';
import { restoreFiles } from './files.restore.ts';
import { takeFiles } from './files.take.ts';
import { FolderStates } from './folder-states.ts';
import { forgetState } from './forget-state.ts';
import { Gate } from './gate.ts';
import { postgresCopies } from './postgres-copies.ts';
import { quiesce, resumeAll } from './quiesce.ts';
import { RemovedFiles } from './removed-files.ts';
import { type Manifest, type SnapshotFacts, SnapshotFolders, START } from './snapshot-folders.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MAX_SNAPSHOTS = 1_000;
/** Lists of files in memory, of the snapshots used last. */
const LISTS = 3;

const factsOf = ({ name, created_at, bytes }: Manifest): SnapshotFacts => ({ name, created_at, bytes });

/** @throws ApiError 400 */
export function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new ApiError(
    400,
    'name must begin with a letter or digit and have up to 100 letters, digits, ".", "_" and "-"',
  );
}

/**
 * Snapshots of a whole instance: database, repositories and blobs. They are taken and restored one at a time, while the
 * gate is closed and nothing is under way.
 */
export class Snapshots {
  readonly gate: Gate = new Gate();
  readonly #deps: Deps;
  readonly #reload: () => Promise<void>;
  readonly #folders: SnapshotFolders;
  readonly #copies: DatabaseCopies;
  readonly #states = new FolderStates();
  readonly #lists = new Map<string, KeptFolder[]>();
  #ssh: SshServer | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  /** Whether there is a start to go back to. */
  #marksStart = false;
  /** Whether a restore has failed half-way. */
  #broken = false;
  /** Name of the last migration of this version. */
  #version: string | null = null;

  /** @param reload takes over what the test bench itself keeps in the database, after a restore */
  constructor(deps: Deps, reload: () => Promise<void>) {
    this.#deps = deps;
    this.#reload = reload;
    this.#folders = new SnapshotFolders(deps.config);
    this.#copies = copiesOf(deps);
  }

  /** Has the connections of an SSH server closed by restores. */
  attach(ssh: SshServer | null): void {
    this.#ssh = ssh;
  }

  /**
   * Makes the state of now the one that `reset` goes back to. It is kept before the first change: until then nothing is
   * copied. One of an earlier start stays.
   * @param again whether it replaces one of an earlier start, as after a seed that changed something
   */
  async markStart(again = false): Promise<void> {
    await this.#inTurn(async () => {
      for (const folder of this.#folders.leftovers()) rmSync(folder, { recursive: true, force: true });
      if (this.#folders.has(START) && (again || !(await this.#fits(this.#folders.read(START)))))
        await this.#drop(START);
      await this.#copies.dropOthers(this.#folders.names().map((name) => this.#folders.of(name)));
    });
    this.#marksStart = true;
    if (this.#folders.has(START)) return this.gate.beforeChange(null);
    let taking: Promise<void> | null = null;
    this.gate.beforeChange(() => {
      taking ??= this.#takeStart().catch((error: unknown) => {
        taking = null;
        throw error;
      });
      return taking;
    });
  }

  /** All snapshots, by name. */
  list(): SnapshotFacts[] {
    const names = this.#folders.names().filter((name) => name !== START);
    return names.sort().map((name) => factsOf(this.#folders.read(name)));
  }

  /**
   * Keeps the state of now under a name.
   * @throws ApiError 400 for an invalid name, 409 for one that is taken, 503 if work under way does not end
   */
  take(name: string): Promise<SnapshotFacts> {
    checkName(name);
    return this.#inTurn(() => {
      if (this.#folders.has(name)) throw conflict(`There is a snapshot ${name} already`);
      if (this.#folders.names().length >= MAX_SNAPSHOTS)
        throw conflict(`There are ${MAX_SNAPSHOTS} snapshots already; delete some`);
      return this.#take(name);
    });
  }

  /**
   * Makes everything as it was when a snapshot was taken.
   * @throws ApiError 404 for an unknown name, 409 for a snapshot of another version or configuration, 503 if work under
   *   way does not end; other errors, after which the instance is as before, or answers 503 until one is restored
   */
  restore(name: string): Promise<SnapshotFacts> {
    return this.#inTurn(async () => {
      if (!NAME.test(name) || !this.#folders.has(name)) throw notFound('Snapshot');
      // The way back to the start must not be lost.
      if (this.#marksStart && !this.#folders.has(START)) await this.#take(START);
      return this.#restore(name);
    });
  }

  /** Goes back to the state of the start, with what the seed made. @throws as `restore` */
  async reset(): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#marksStart) throw conflict('The server has not been started completely');
      // Without it nothing has changed.
      if (this.#folders.has(START)) await this.#restore(START);
    });
  }

  /** @throws ApiError 404 for an unknown name, 409 for a snapshot whose restore has failed half-way */
  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!NAME.test(name) || !this.#folders.has(name)) throw notFound('Snapshot');
      // The next start would look for it.
      if (this.#folders.restoring === name) throw conflict(`Snapshot ${name} was restored in part only`);
      await this.#drop(name);
    });
  }

  #inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #takeStart(): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#folders.has(START)) await this.#take(START);
    });
    this.gate.beforeChange(null);
  }

  async #take(name: string): Promise<SnapshotFacts> {
    const { config, downloads, database } = this.#deps;
    if (this.#broken) throw new ApiError(409, BROKEN);
    await this.#refuseOthers();
    await this.#rest(false);
    const folder = this.#folders.begin();
    try {
      await downloads.flush();
      const bytes = await this.#copies.take(folder);
      await database.onDisk();
      const files = takeFiles(rootsOf(config), folder, this.#states);
      writeList(folder, files.list);
      const manifest: Manifest = {
        name,
        created_at: timestamp(systemClock),
        bytes: bytes + files.bytes,
        engine: config.database.kind,
        migration: await this.#migration(),
      };
      this.#folders.complete(folder, manifest);
      this.#remember(name, files.list);
      return factsOf(manifest);
    } catch (error) {
      await this.#copies.drop(folder).catch(() => {});
      rmSync(folder, { recursive: true, force: true });
      throw error;
    } finally {
      resumeAll({ deps: this.#deps, gate: this.gate });
    }
  }

  async #restore(name: string): Promise<SnapshotFacts> {
    const manifest = this.#folders.read(name);
    if (!(await this.#fits(manifest)))
      throw conflict(`Snapshot ${name} was taken by another version of the server, or of another database`);
    await this.#refuseOthers();
    const folder = this.#folders.of(name);
    const list = this.#listOf(name);
    if (!this.#broken) await this.#rest(true);
    let begun = this.#broken;
    let removed: RemovedFiles | null = null;
    try {
      // A write that is under way must not end in the other database.
      if (!this.#broken) await this.#deps.downloads.flush();
      removed = new RemovedFiles(this.#folders.begin());
      const putDatabase = await this.#copies.prepare(folder);
      this.#folders.restoring = name;
      begun = true;
      restoreFiles(rootsOf(this.#deps.config), list, folder, this.#states, removed.remove);
      await putDatabase();
      await forgetState(this.#deps);
      await this.#reload();
      this.#folders.restoring = null;
      this.#broken = false;
    } catch (error) {
      if (!begun) resumeAll({ deps: this.#deps, gate: this.gate });
      else this.#breakDown(name, error);
      throw error;
    } finally {
      void removed?.empty();
    }
    // Its sessions belong to users of a state that is gone.
    this.#ssh?.disconnect();
    resumeAll({ deps: this.#deps, gate: this.gate });
    return factsOf(manifest);
  }

  #breakDown(name: string, error: unknown): void {
    this.#broken = true;
    this.#states.clear();
    this.gate.breakDown(BROKEN);
    this.#deps.log.log('error', 'a snapshot was restored in part only', { snapshot: name, error: String(error) });
  }

  async #rest(replaces: boolean): Promise<void> {
    await quiesce({ deps: this.#deps, gate: this.gate, ssh: this.#ssh }, replaces);
  }

  /** @throws ApiError 409 if other processes work on the data, which would not notice a restore */
  async #refuseOthers(): Promise<void> {
    const { config, db } = this.#deps;
    if (config.database.kind === 'postgres' && (await otherServers(db)))
      throw conflict('Snapshots need a server that is alone on its database');
  }

  async #migration(): Promise<string> {
    const { db, config } = this.#deps;
    // Kept, because a restore that has failed half-way may leave a database that cannot be read.
    this.#version ??= (await readHistory(db, config.database.kind)).at(-1)!.name;
    return this.#version;
  }

  async #fits({ engine, migration }: Manifest): Promise<boolean> {
    return engine === this.#deps.config.database.kind && migration === (await this.#migration());
  }

  async #drop(name: string): Promise<void> {
    this.#lists.delete(name);
    const folder = this.#folders.withdraw(name);
    await this.#copies.drop(folder);
    rmSync(folder, { recursive: true, force: true });
  }

  #listOf(name: string): KeptFolder[] {
    const list = this.#lists.get(name) ?? readList(this.#folders.of(name));
    this.#remember(name, list);
    return list;
  }

  #remember(name: string, list: KeptFolder[]): void {
    this.#lists.delete(name);
    this.#lists.set(name, list);
    if (this.#lists.size > LISTS) this.#lists.delete(this.#lists.keys().next().value!);
  }
}

const BROKEN = 'a restore has failed half-way: restore a snapshot, or reset';

function copiesOf({ config, database }: Deps): DatabaseCopies {
  if (config.database.kind === 'sqlite') return sqliteCopies(config.database, database.file!);
  return postgresCopies(database.db);
}
