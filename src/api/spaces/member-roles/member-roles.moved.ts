import { sql } from 'kysely';
import { AFTER_LINEAGE } from '../../../access/access.membership.ts';
import type { Db } from '../../../db/db.schema.ts';

/** What is moved: a group with all below it, or one project. */
export type MovedSpace = { lineage: string } | { projectId: number };

/**
 * Takes the custom roles of other trees of groups from all who have them in what was moved: roles hold in their own tree alone. The
 * levels stay. Give the handle of the transaction that moves.
 * @param rootId the group now at the top; null in a personal namespace
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
