import type { Db } from '../../../db/schema.ts';
import type { User } from '../../../db/tables/users.ts';
import { usersById } from '../../identity/index.ts';

/** The user of an id; undefined for nobody, or one who is gone. */
export const userOf = async (db: Db, id: number | null): Promise<User | undefined> =>
  id === null ? undefined : (await usersById(db, [id])).get(id);
