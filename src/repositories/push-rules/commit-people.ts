import { usersWithAddresses } from '../../access/user-addresses.ts';
import type { Db } from '../../db/db.schema.ts';
import { asciiLower } from '../../db/like.ts';

const BATCH = 500;
/** Maximum number of addresses of one push that are looked up. */
const MAX_ADDRESSES = 50_000;

/** The distinct addresses of authors and committers of a push. */
export class CommitPeople {
  /** Refusal by address in lower case, for addresses that no user has confirmed. */
  readonly #refusals = new Map<string, string>();

  add(role: 'Author' | 'Committer', email: string): void {
    const key = asciiLower(email);
    if (this.#refusals.has(key) || this.#refusals.size > MAX_ADDRESSES) return;
    this.#refusals.set(key, `${role} '${email}' is not a member of team`);
  }

  /** Returns the refusal if one of the addresses belongs to no user, else null. */
  async refuse(db: Db): Promise<string | null> {
    const all = [...this.#refusals.keys()];
    if (all.length > MAX_ADDRESSES)
      return `A push can have at most ${MAX_ADDRESSES} different author and committer addresses while they are checked`;
    for (let at = 0; at < all.length; at += BATCH) {
      const some = all.slice(at, at + BATCH);
      const known = new Set((await usersWithAddresses(db, some)).map(({ email }) => email));
      const unknown = some.find((email) => !known.has(email));
      if (unknown !== undefined) return this.#refusals.get(unknown)!;
    }
    return null;
  }
}
