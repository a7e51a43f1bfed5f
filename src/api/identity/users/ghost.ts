import type { Clock } from '../../../core/clock.ts';
import { outlive } from '../../../db/removal.ts';
import type { Db } from '../../../db/schema.ts';
import { createAccount } from './account.ts';

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
  await outlive(db, userId, await ghostId(db, clock));
}
