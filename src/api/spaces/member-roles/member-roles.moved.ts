import { sql } from 'kysely';
import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import type { Db } from '../../../db/db.schema.ts';

/** A transferred group with everything below it, or a transferred project. */
export type MovedSpace = { lineage: string } | { projectId: number };

/**
 * Removes custom roles of other hierarchies from memberships in what was transferred, since roles apply in their own
 * hierarchy only. Access levels are kept. Takes the handle of the transaction of the transfer.
 * @param rootId new top-level group; null in a personal namespace
 */
export async function dropForeignRoles(db: Db, moved: MovedSpace, rootId: number | null): Promise<void> {
  const foreign = sql`select id from member_roles where group_id is not null and group_id <> ${rootId ?? 0}`;
  const transactionHook =
    'projectId' in moved
      ? sql<boolean>`source_type = 'project' and source_id = ${moved.projectId}`
      : sql<boolean>`(
          (source_type = 'group' and source_id in (${groupsBelow(moved.lineage)})) or
          (source_type = 'project' and source_id in (
            select id from projects where namespace_id in (${groupsBelow(moved.lineage)}))))`;
  for (const table of ['members', 'invitations', 'group_links'] as const) {
    await sql`update ${sql.table(table)} set member_role_id = null
      where member_role_id in (${foreign}) and ${transactionHook}`.execute(db);
  }
}

const groupsBelow = (lineage: string) =>
  sql`select id from namespaces where lineage >= ${lineage} and lineage < ${lineage + AFTER_LINEAGE}`;
