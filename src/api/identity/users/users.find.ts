import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { equalsIgnoringCase } from '../../../db/like.ts';
import type { User } from '../../../db/tables/users.table.ts';

/** Finds a user by id. @throws ApiError 404 */
export async function userById(db: Db, id: number): Promise<User> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (user === undefined) throw notFound('User');
  return user;
}

/** Finds a user by id or by user name (case-insensitive). @throws ApiError 404 */
export async function userByIdOrName(db: Db, idOrName: string): Promise<User> {
  if (/^[1-9]\d{0,14}$/.test(idOrName)) return userById(db, Number(idOrName));
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => equalsIgnoringCase(eb.ref('username'), idOrName))
    .executeTakeFirstOrThrow(() => notFound('User'));
}
