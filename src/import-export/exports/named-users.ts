import type { Db } from '../../db/db.schema.ts';
import type { Portable } from '../relations/relation.ts';
import { USER_CONTRIBUTIONS } from '../relations/user-contributions.ts';

const BATCH_SIZE = 500;

/** Collects the users named by objects of an export until they are saved with these. */
export class NamedUsers {
  readonly #portable: Portable;
  readonly #known = new Set<number>();
  #new = new Set<number>();

  constructor(portable: Portable) {
    this.#portable = portable;
  }

  add(id: number | null): void {
    if (id !== null && !this.#known.has(id)) this.#new.add(id);
  }

  /** Saves the users named since the last call, for the relation of users. */
  async save(db: Db): Promise<void> {
    const ids = [...this.#new];
    if (ids.length === 0) return;
    const { kind, id } = this.#portable;
    const telling = await db
      .selectFrom('relation_exports')
      .select('id')
      .where(`${kind}_id`, '=', id)
      .where('relation', '=', USER_CONTRIBUTIONS)
      .executeTakeFirst();
    if (telling === undefined) return;
    for (let at = 0; at < ids.length; at += BATCH_SIZE) {
      await db
        .insertInto('relation_export_users')
        .columns(['export_id', 'user_id'])
        .expression((eb) =>
          eb
            .selectFrom('users')
            .select([eb.val(telling.id).as('export_id'), 'id as user_id'])
            .where('id', 'in', ids.slice(at, at + BATCH_SIZE)),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  /** To be called after the commit of `save`. */
  saved(): void {
    for (const id of this.#new) this.#known.add(id);
    this.#new = new Set();
  }
}
