import { sql } from 'kysely';
import type { Db } from '../db/db.schema.ts';
import { asciiLower, equalsIgnoringCase } from '../db/like.ts';
import type { User } from '../db/tables/users.table.ts';

/** Whether an email address is already used by another user, as primary or secondary address. */
export async function isEmailTaken(db: Db, email: string, exceptUserId = 0): Promise<boolean> {
  const first = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
    .where('id', '!=', exceptUserId)
    .executeTakeFirst();
  if (first !== undefined) return true;
  const further = await db
    .selectFrom('emails')
    .select('id')
    .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
    .where('user_id', '!=', exceptUserId)
    .executeTakeFirst();
  return further !== undefined;
}

/** Id of the user with a confirmed primary or secondary address; undefined if there is none. */
export async function userWithAddress(db: Db, email: string): Promise<number | undefined> {
  const first = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  if (first !== undefined) return first.id;
  const further = await db
    .selectFrom('emails')
    .select('user_id')
    .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return further?.user_id;
}

/**
 * Users with confirmed primary or secondary addresses.
 * @param emails in lower case; at most some hundred
 * @returns users by address in lower case
 */
export async function usersWithAddresses(
  db: Db,
  emails: readonly string[],
): Promise<{ email: string; id: number; username: string }[]> {
  if (emails.length === 0) return [];
  const further = await db
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .select(['users.id', 'users.username', sql<string>`lower(emails.email)`.as('email')])
    .where(sql<string>`lower(emails.email)`, 'in', emails)
    .where('emails.confirmed_at', 'is not', null)
    .execute();
  const first = await db
    .selectFrom('users')
    .select(['id', 'username', sql<string>`lower(email)`.as('email')])
    .where(sql<string>`lower(email)`, 'in', emails)
    .where('confirmed_at', 'is not', null)
    .execute();
  return [...further, ...first];
}

/** Addresses that a user may show or commit with: the primary one and confirmed secondary ones. */
export async function addressesOf(db: Db, user: Pick<User, 'id' | 'email'>): Promise<string[]> {
  const rows = await db
    .selectFrom('emails')
    .select('email')
    .where('user_id', '=', user.id)
    .where('confirmed_at', 'is not', null)
    .execute();
  return [user.email, ...rows.map(({ email }) => email)].map(asciiLower);
}
