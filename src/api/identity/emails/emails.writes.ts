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
 * Gives a user a further address.
 * @param input `confirmed_at` null means that nobody has confirmed yet that it is theirs
 * @throws ApiError 400 when it is no address, or somebody has it
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

/** A further address of the user. @throws ApiError 404 */
export async function emailOf(db: Db, userId: number, id: number): Promise<Email> {
  const email = await db
    .selectFrom('emails')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (email === undefined) throw notFound('Email');
  return email;
}

/** Takes a further address away; where it was shown or committed with, the first one is used again. */
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
