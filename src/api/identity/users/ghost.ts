import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../../../db/schema.ts';
import { createAccount } from './account.ts';

/** Tables and columns that name the user who wrote something: they go to the ghost when he is deleted. */
const CONTRIBUTIONS = [
  ['notes', 'author_id'],
  ['commit_statuses', 'author_id'],
  ['pipelines', 'user_id'],
  ['projects', 'creator_id'],
  ['issues', 'author_id'],
  ['merge_requests', 'author_id'],
  ['snippets', 'author_id'],
] as const;

/** Tables and columns that only note who made an entry: emptied when he is deleted. */
const MENTIONS = [
  ['users', 'created_by_id'],
  ['members', 'created_by_id'],
  ['deploy_tokens', 'creator_id'],
  ['deploy_keys', 'user_id'],
  ['notes', 'resolved_by_id'],
  ['notes', 'updated_by_id'],
  ['issues', 'closed_by_id'],
  ['issues', 'updated_by_id'],
  ['merge_requests', 'closed_by_id'],
  ['merge_requests', 'updated_by_id'],
  ['merge_requests', 'merge_user_id'],
] as const;

/** Id of the user who stands for deleted ones; made when it is first needed. */
async function ghostId(db: Db, clock: Clock): Promise<number> {
  const known = await db.selectFrom('users').select('id').where('kind', '=', 'ghost').executeTakeFirst();
  if (known !== undefined) return known.id;
  for (let n = 0; ; n += 1) {
    const username = n === 0 ? 'ghost' : `ghost${n}`;
    const taken = await db
      .selectFrom('users')
      .select('id')
      .where((eb) => eb.or([eb('username', '=', username), eb('email', '=', `${username}@noreply.invalid`)]))
      .executeTakeFirst();
    if (taken !== undefined) continue;
    const ghost = await createAccount(db, clock, {
      username,
      name: 'Ghost User',
      email: `${username}@noreply.invalid`,
      kind: 'ghost',
      withNamespace: false,
      columns: { bio: 'This is a "Ghost User", created to hold what deleted users leave.' },
    });
    return ghost.id;
  }
}

/** Gives what a user wrote to the ghost, so that it outlives the account. */
export async function handToGhost(db: Db, clock: Clock, userId: number): Promise<void> {
  const ghost = await ghostId(db, clock);
  for (const [table, column] of CONTRIBUTIONS) {
    await db
      .updateTable(table)
      .set({ [column]: ghost })
      .where(column, '=', userId)
      .execute();
  }
  for (const [table, column] of MENTIONS) {
    await db
      .updateTable(table)
      .set({ [column]: null })
      .where(column, '=', userId)
      .execute();
  }
}
