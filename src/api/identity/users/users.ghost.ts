import type { ExpressionBuilder } from 'kysely';
import type { Clock } from '../../../core/clock.ts';
import { reassignToGhostUser } from '../../../db/db.removal.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { withdrawVotes } from '../../../db/votes.ts';
import { createAccount } from './users.account.ts';

/** Id of the ghost user, which stands for deleted users; created on first use. */
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
      columns: { bio: 'This is a "Ghost User", created to hold contributions of deleted users.' },
    });
    return ghost.id;
  }
}

/** Condition: the ghost user already has the same reaction, from another deleted user. */
const sameReactionBy = (ghost: number) => (eb: ExpressionBuilder<Schema, 'award_emoji'>) =>
  eb.exists(
    eb
      .selectFrom('award_emoji as theirs')
      .select('theirs.id')
      .where('theirs.user_id', '=', ghost)
      .whereRef('theirs.awardable_type', '=', 'award_emoji.awardable_type')
      .whereRef('theirs.awardable_id', '=', 'award_emoji.awardable_id')
      .whereRef('theirs.name', '=', 'award_emoji.name'),
  );

/** Moves the contributions of a user to the ghost user. */
export async function reassignToGhost(db: Db, clock: Clock, userId: number): Promise<void> {
  const ghost = await ghostId(db, clock);
  await withdrawVotes(db, userId, sameReactionBy(ghost));
  await db.deleteFrom('award_emoji').where('user_id', '=', userId).where(sameReactionBy(ghost)).execute();
  await reassignToGhostUser(db, userId, ghost);
}
