import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { timestamp } from '../../core/clock.ts';
import { isUniqueViolation } from '../../db/db.errors.ts';
import type { Db } from '../../db/db.schema.ts';
import { type ImportSourceUser, SOURCE_USER_STATUS } from '../../db/tables/import-source-users.table.ts';
import type { Deps } from '../../deps.ts';
import { type ImportedObject, isImportedObject } from './coerce-import.ts';

/** Origin of imported users, and settings of their placeholders. */
export interface ImportOrigin {
  /** Top-level group of the import; null in a personal namespace, where the owner gets all contributions. */
  namespaceId: number | null;
  hostname: string;
  importType: 'gitlab_migration' | 'gitlab_project' | 'gitlab_group';
  /** Id of the user who stands for unnamed users. */
  importerId: number;
  /** Maximum number of placeholders. */
  maxPlaceholders?: number;
}

const USER_KEYS: ReadonlySet<string> = new Set([
  'author_id',
  'user_id',
  'closed_by_id',
  'updated_by_id',
  'resolved_by_id',
  'merge_user_id',
]);
const MAX_NAME = 127;
/** Invisible characters that can make a name look like another; joiners stay, as some scripts use them. */
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const BATCH_SIZE = 500;
/** Maximum number of placeholders below a top-level group; a shared one stands for all others. */
const MAX_PLACEHOLDERS = 50_000;
const OTHERS = 'import_user';

/** Ids of all users named in an object, at any depth. */
export function userIdsIn(value: unknown, ids = new Set<number>()): Set<number> {
  if (Array.isArray(value)) {
    for (const each of value) userIdsIn(each, ids);
  } else if (isImportedObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'number' && USER_KEYS.has(key) && Number.isSafeInteger(each) && each > 0) ids.add(each);
      else if (typeof each === 'object') userIdsIn(each, ids);
    }
  }
  return ids;
}

/** Maps users of the source server to local users; creates placeholders for unknown ones. */
export class ImportedUsers {
  readonly #deps: Deps;
  readonly #origin: ImportOrigin;
  readonly #known = new Map<number, number>();
  /** Id of the shared placeholder beyond the maximum. */
  #others: number | null = null;
  #count: number | null = null;

  constructor(deps: Deps, origin: ImportOrigin) {
    this.#deps = deps;
    this.#origin = origin;
  }

  /** Id of the local user for a source user, after `ensure`; the importer if none is named. */
  of(id: unknown): number {
    return (typeof id === 'number' ? this.#known.get(id) : undefined) ?? this.#origin.importerId;
  }

  /** As `of`; null if none is named. */
  ofOptional(id: unknown): number | null {
    return typeof id === 'number' ? (this.#known.get(id) ?? null) : null;
  }

  /** Ensures that there is a local user for each source user. */
  async ensure(ids: Iterable<number>): Promise<void> {
    const missing = [...ids].filter((id) => !this.#known.has(id));
    const { namespaceId, importerId } = this.#origin;
    if (namespaceId === null) {
      for (const id of missing) this.#known.set(id, importerId);
      return;
    }
    for (let at = 0; at < missing.length; at += BATCH_SIZE) {
      await this.#load(namespaceId, missing.slice(at, at + BATCH_SIZE));
    }
    for (const id of missing) if (!this.#known.has(id)) await this.#add(namespaceId, { id });
  }

  /** Records the data of a source user. */
  async add(person: ImportedObject): Promise<void> {
    const { namespaceId } = this.#origin;
    const { id } = person;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) return;
    if (namespaceId === null) return void this.#known.set(id, this.#origin.importerId);
    await this.#load(namespaceId, [id]);
    if (!this.#known.has(id)) await this.#add(namespaceId, { ...person, id });
  }

  /** The rows of source users, after `ensure`. */
  rows(db: Db, ids: readonly number[]): Promise<ImportSourceUser[]> {
    return this.#query(db, this.#origin.namespaceId ?? 0, ids.map(String)).execute();
  }

  #query(db: Db, namespaceId: number, identifiers: readonly string[]) {
    return db
      .selectFrom('import_source_users')
      .selectAll()
      .where('namespace_id', '=', namespaceId)
      .where('source_hostname', '=', this.#origin.hostname)
      .where('import_type', '=', this.#origin.importType)
      .where('source_user_identifier', 'in', identifiers);
  }

  async #load(namespaceId: number, ids: readonly number[]): Promise<void> {
    for (const row of await this.#query(this.#deps.db, namespaceId, ids.map(String)).execute()) {
      const user = standsFor(row);
      if (user !== null) this.#known.set(Number(row.source_user_identifier), user);
    }
  }

  async #add(namespaceId: number, person: ImportedObject & { id: number }): Promise<void> {
    this.#count ??= await this.#countPeople(namespaceId);
    if (this.#count < (this.#origin.maxPlaceholders ?? MAX_PLACEHOLDERS)) {
      this.#known.set(person.id, await this.#enter(namespaceId, String(person.id), person));
      this.#count += 1;
    } else {
      this.#others ??= await this.#enter(namespaceId, OTHERS, { id: 0, username: 'import', name: 'Import User' });
      this.#known.set(person.id, this.#others);
    }
  }

  async #countPeople(namespaceId: number): Promise<number> {
    const { total } = await this.#deps.db
      .selectFrom('import_source_users')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('namespace_id', '=', namespaceId)
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /** Records a source user with a placeholder, if not yet done. @returns id of the local user */
  async #enter(
    namespaceId: number,
    identifier: string,
    { id, username, name }: ImportedObject & { id: number },
  ): Promise<number> {
    const sourceName = typeof name === 'string' ? name.replace(UNSEEN, '').toWellFormed().slice(0, MAX_NAME) : null;
    const sourceUsername = typeof username === 'string' ? username.replace(/[^\w.-]/g, '').slice(0, MAX_NAME) : null;
    const now = timestamp(this.#deps.clock);
    const enter = async (db: Db) => {
      const placeholder = await makePlaceholder(
        this.#deps,
        db,
        sourceUsername ?? `user${id}`,
        sourceName ?? `User ${id}`,
      );
      await db
        .insertInto('import_source_users')
        .values({
          namespace_id: namespaceId,
          source_hostname: this.#origin.hostname,
          import_type: this.#origin.importType,
          source_user_identifier: identifier,
          source_username: sourceUsername,
          source_name: sourceName,
          placeholder_user_id: placeholder,
          reassign_to_user_id: null,
          reassigned_by_user_id: null,
          reassignment_token: null,
          reassignment_error: null,
          // The shared placeholder cannot be reassigned.
          ...(identifier === OTHERS ? { status: SOURCE_USER_STATUS.keep_as_placeholder } : {}),
          created_at: now,
          updated_at: now,
        })
        .execute();
      return placeholder;
    };
    try {
      return await this.#deps.db.transaction().execute(enter);
    } catch (error) {
      // A concurrent import below the same group has recorded the user.
      if (!isUniqueViolation(error)) throw error;
      const [known] = await this.#query(this.#deps.db, namespaceId, [identifier]).execute();
      const user = known === undefined ? null : standsFor(known);
      if (user === null) throw error;
      return user;
    }
  }
}

/** Id of the local user: the user to whom contributions were reassigned, or the placeholder. */
const standsFor = (row: ImportSourceUser): number | null =>
  (row.status === SOURCE_USER_STATUS.completed ? row.reassign_to_user_id : null) ?? row.placeholder_user_id;

/** Creates a placeholder user, who can never sign in. @returns the id */
async function makePlaceholder(deps: Deps, db: Db, username: string, name: string): Promise<number> {
  const unique = crc32(randomBytes(16)).toString(36);
  const path = `${username.replace(/[^a-zA-Z0-9]/g, '').slice(0, 100) || 'user'}_placeholder_${unique}`;
  const now = timestamp(deps.clock);
  const { id } = await db
    .insertInto('users')
    .values({
      username: path,
      name: `Placeholder ${name}`,
      email: `${path}@noreply.${new URL(deps.externalUrl()).hostname}`,
      kind: 'placeholder',
      password_hash: null,
      can_create_group: 0,
      projects_limit: 0,
      created_by_id: null,
      created_at: now,
      updated_at: now,
      confirmed_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
