import { usersWithAddresses } from '../../access/user-addresses.ts';
import type { Db } from '../../db/db.schema.ts';
import { asciiLower } from '../../db/like.ts';

const BATCH = 500;
/** Addresses of one push that are looked up; who writes under more is no team. */
const MAX_ADDRESSES = 50_000;

/** The addresses of authors and committers of a push, each once. */
export class CommitPeople {
  /** By address in lower case: what is said where nobody has confirmed it. */
  readonly #refusals = new Map<string, string>();

  add(role: 'Author' | 'Committer', email: string): void {
    const key = asciiLower(email);
    if (this.#refusals.has(key) || this.#refusals.size > MAX_ADDRESSES) return;
    this.#refusals.set(key, `${role} '${email}' is not a member of team`);
  }

  /** Why the push cannot be taken: one of the addresses is of no user; null where each is. */
  async refuse(db: Db): Promise<string | null> {
    const all = [...this.#refusals.keys()];
    if (all.length > MAX_ADDRESSES) return `A push may have at most ${MAX_ADDRESSES} authors while they are checked`;
    for (let at = 0; at < all.length; at += BATCH) {
      const some = all.slice(at, at + BATCH);
      const known = new Set((await usersWithAddresses(db, some)).map(({ email }) => email));
      const unknown = some.find((email) => !known.has(email));
      if (unknown !== undefined) return this.#refusals.get(unknown)!;
    }
    return null;
  }
}
