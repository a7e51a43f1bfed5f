import { sql } from 'kysely';
import { jobCaller } from '../../../access/job-caller.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower } from '../../../db/like.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { AUTOMATIC } from '../../../mail/mail.ts';
import { enqueueMail } from '../../../mail/send-mail.ts';
import { assign } from './placeholder-reassignments.assign.ts';
import { type CsvRow, failureCsv } from './reassignment-csv.ts';

/** Processes the rows of an uploaded CSV file. */
export const REASSIGNMENT_CSV = jobKind<{ group_id: number; user_id: number; rows: CsvRow[] }>('placeholders.sheet', {
  lane: 'transfers',
  maxAttempts: 5,
});

const NO_USER = 'No matching user for provided information.';
const NO_SOURCE_USER = 'No source user of this group is awaiting reassignment under that identifier.';

/** Finds an active user by user name, or by public email address. */
async function findUser(db: Db, { username, email }: CsvRow): Promise<User | undefined> {
  const people = db.selectFrom('users').selectAll().where('kind', '=', 'human').where('state', '=', 'active');
  if (username !== '') {
    const user = await people.where(sql<string>`lower(username)`, '=', asciiLower(username)).executeTakeFirst();
    const other = email !== '' && user?.public_email?.toLowerCase() !== email.toLowerCase();
    return other ? undefined : user;
  }
  return people.where(sql<string>`lower(public_email)`, '=', email.toLowerCase()).limit(1).executeTakeFirst();
}

async function assignRow(deps: Deps, groupId: number, userId: number, row: CsvRow): Promise<string | null> {
  const caller = await jobCaller(deps, userId);
  const group = await findNamespace(deps, String(groupId), 'group');
  const may = caller && group && (await groupPermissions(deps, caller, group)).can('admin_placeholder_reassignments');
  if (caller === undefined || may !== true) return 'You do not have permission to reassign placeholder users here.';
  return deps.db.transaction().execute(async (db) => {
    const user = await findUser(db, row);
    if (user === undefined) return NO_USER;
    const waiting = await db
      .selectFrom('import_source_users')
      .selectAll()
      .where('namespace_id', '=', groupId)
      .where('source_hostname', '=', row.host)
      .where('import_type', '=', row.importType)
      .where('source_user_identifier', '=', row.identifier)
      .executeTakeFirst();
    if (waiting === undefined) return NO_SOURCE_USER;
    // Done by an earlier run of the job.
    if (waiting.reassign_to_user_id === user.id && waiting.reassigned_by_user_id === userId) return null;
    return (await assign(deps, db, waiting, user, caller)) ? null : NO_SOURCE_USER;
  });
}

/** Registers the job for uploaded CSV files. */
export function registerReassignmentCsv(deps: Deps): void {
  deps.jobs.register(REASSIGNMENT_CSV, async ({ group_id, user_id, rows }, { signal }) => {
    const assigned = rows.filter(({ username, email }) => username !== '' || email !== '');
    const failures: { row: CsvRow; error: string }[] = [];
    for (const row of assigned) {
      signal.throwIfAborted();
      const error = await assignRow(deps, group_id, user_id, row);
      if (error !== null) failures.push({ row, error });
    }
    await report(deps, { group_id, user_id, failures, skipped: rows.length - assigned.length, all: rows.length });
  });
}

async function report(
  deps: Deps,
  object: {
    group_id: number;
    user_id: number;
    failures: { row: CsvRow; error: string }[];
    skipped: number;
    all: number;
  },
): Promise<void> {
  const { failures, skipped, all } = object;
  await deps.db.transaction().execute(async (db) => {
    const user = await db.selectFrom('users').selectAll().where('id', '=', object.user_id).executeTakeFirst();
    const group = await db.selectFrom('namespaces').selectAll().where('id', '=', object.group_id).executeTakeFirst();
    if (user === undefined || group === undefined) return;
    const content = failureCsv(failures);
    await enqueueMail(db, deps, {
      to: user.notification_email ?? user.email,
      subject: `Placeholder reassignments of ${group.full_path} were processed`,
      text: [
        'The CSV file with the placeholder reassignments was processed.',
        `Matched: ${all - skipped - failures.length}`,
        `Failed: ${failures.length}`,
        `Skipped: ${skipped}`,
        ...(failures.length === 0 ? [] : ['The attached CSV file lists the failures with their reasons.']),
      ].join('\n\n'),
      headers: AUTOMATIC,
      ...(failures.length === 0
        ? {}
        : { attachments: [{ filename: 'failures.csv', contentType: 'text/csv; charset=utf-8', content }] }),
    });
  });
}
