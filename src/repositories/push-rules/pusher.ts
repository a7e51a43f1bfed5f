import type { Db } from '../../db/db.schema.ts';
import { asciiLower } from '../../db/like.ts';
import type { PushRule } from '../../db/tables/push-rules.table.ts';

/** Facts about the pusher required by push rules; empty without a user. */
export interface Pusher {
  name: string | null;
  /** Confirmed addresses in lower case. */
  addresses: ReadonlySet<string>;
  /** Unconfirmed addresses in lower case. */
  unconfirmed: ReadonlySet<string>;
}

const NOBODY: Pusher = { name: null, addresses: new Set(), unconfirmed: new Set() };

/** Reads the pusher as far as the rule requires. */
export async function readPusher(db: Db, rule: PushRule, userId: number | null): Promise<Pusher> {
  if (userId === null || (rule.commit_committer_check === 0 && rule.commit_committer_name_check === 0)) return NOBODY;
  const user = await db
    .selectFrom('users')
    .select(['name', 'email', 'confirmed_at'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user === undefined) return NOBODY;
  const further = await db
    .selectFrom('emails')
    .select(['email', 'confirmed_at'])
    .where('user_id', '=', userId)
    .execute();
  const all = [{ email: user.email, confirmed_at: user.confirmed_at }, ...further];
  const those = (confirmed: boolean) =>
    new Set(
      all.filter(({ confirmed_at }) => (confirmed_at !== null) === confirmed).map(({ email }) => asciiLower(email)),
    );
  return { name: user.name, addresses: those(true), unconfirmed: those(false) };
}

/** Whether the facts about a pusher are unchanged since the commits were checked. */
export const isSamePusher = (was: Pusher, is: Pusher): boolean =>
  was.name === is.name && [...was.addresses].every((address) => is.addresses.has(address));
