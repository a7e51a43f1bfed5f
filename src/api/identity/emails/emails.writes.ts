import type { Insertable } from 'kysely';
import { isEmailTaken } from '../../../access/user-addresses.ts';
import { recordAudit, user } from '../../../audit/record.audit.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Email, EmailsTable } from '../../../db/tables/emails.table.ts';
import type { Deps } from '../../../deps.ts';
import { emailErrors } from '../users/users.rules.ts';

const taken = () => invalidModel({ email: ['has already been taken'] });

/**
 * Adds a secondary address to a user.
 * @param input `confirmed_at` is null for an unconfirmed address
 * @throws ApiError 400 if the address is invalid or taken
 */
export async function addEmail(deps: Deps, input: Insertable<EmailsTable>): Promise<Email> {
  const errors = emailErrors(input.email);
  if (errors.length > 0) throw invalidModel({ email: errors });
  try {
    return await deps.db.transaction().execute(async (db) => {
      if (await isEmailTaken(db, input.email)) throw taken();
      if (input.confirmed_at !== null) await deps.lifecycle.addressConfirmed.run(db, input.user_id, input.email);
      const added = await db.insertInto('emails').values(input).returningAll().executeTakeFirstOrThrow();
      await recordEmail(deps, db, 'created', added);
      return added;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw taken();
    throw error;
  }
}

const recordEmail = (deps: Deps, db: Db, happened: 'created' | 'destroyed', { id, user_id, email }: Email) =>
  recordAudit(deps, db, {
    name: `email_${happened}`,
    entity: user(user_id),
    target: { id, type: 'Email', details: email },
    message: happened === 'created' ? 'Email created' : 'Email destroyed',
  });

/** Finds a secondary address of a user. @throws ApiError 404 */
export async function emailOf(db: Db, userId: number, id: number): Promise<Email> {
  return db
    .selectFrom('emails')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => notFound('Email'));
}

/** Removes a secondary address. If it was the public or the commit address, the primary one takes its place. */
export async function removeEmail(deps: Deps, address: Email): Promise<void> {
  const { id, user_id, email } = address;
  await deps.db.transaction().execute(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('emails').where('id', '=', id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordEmail(deps, db, 'destroyed', address);
    for (const column of ['public_email', 'commit_email', 'notification_email'] as const) {
      await db
        .updateTable('users')
        .set({ [column]: null })
        .where('id', '=', user_id)
        .where(column, '=', email)
        .execute();
    }
  });
}
