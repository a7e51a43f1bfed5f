import type { Insertable } from 'kysely';
import { type Clock, timestamp } from '../../../core/clock.ts';
import { type Bit, bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { User, UserKind, UsersTable } from '../../../db/tables/users.table.ts';

export interface NewAccount {
  username: string;
  name: string;
  email: string;
  admin?: boolean;
  kind?: UserKind;
  passwordHash?: string | null;
  /** False for bots, which have no namespace. */
  withNamespace?: boolean;
  createdById?: number | null;
  /** False for an address that the user still has to confirm. */
  confirmed?: boolean;
  /** Further columns: profile, limits and the like. */
  columns?: Partial<Insertable<UsersTable>>;
}

/**
 * Inserts a user and their personal namespace. A taken name or address causes a unique violation.
 * @param db handle of a transaction
 */
export async function createAccount(db: Db, clock: Clock, account: NewAccount): Promise<User> {
  const now = timestamp(clock);
  const user = await db
    .insertInto('users')
    .values({
      username: account.username,
      name: account.name,
      email: account.email,
      admin: bit(account.admin ?? false) as Bit,
      kind: account.kind ?? 'human',
      password_hash: account.passwordHash ?? null,
      created_by_id: account.createdById ?? null,
      created_at: now,
      updated_at: now,
      confirmed_at: account.confirmed === false ? null : now,
      ...account.columns,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (account.withNamespace !== false) await createPersonalNamespace(db, clock, user);
  return user;
}

async function createPersonalNamespace(db: Db, clock: Clock, user: User): Promise<void> {
  const now = timestamp(clock);
  const { id } = await db
    .insertInto('namespaces')
    .values({
      kind: 'user',
      name: user.name,
      path: user.username,
      full_path: user.username,
      parent_id: null,
      lineage: '',
      owner_id: user.id,
      visibility: 'public',
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .updateTable('namespaces')
    .set({ lineage: `/${id}/` })
    .where('id', '=', id)
    .execute();
}
