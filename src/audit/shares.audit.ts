import { roleName } from '../core/access-levels.ts';
import type { Db } from '../db/db.schema.ts';
import type { GroupLink } from '../db/tables/group-links.table.ts';
import type { Deps } from '../deps.ts';
import { type AuditEntry, group, project, recordAudit } from './record.audit.ts';

type Share = Pick<GroupLink, 'source_type' | 'source_id' | 'group_id' | 'group_access' | 'expires_at'>;

/**
 * Records, in the transaction, that a project or group was shared with a group or the share was removed. Events of
 * projects are recorded in the project and in the invited group.
 */
export async function recordShare(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  happened: 'created' | 'removed',
  { source_type, source_id, group_id, group_access, expires_at }: Share,
): Promise<void> {
  const paths = async (table: 'projects' | 'namespaces', id: number) =>
    (await db.selectFrom(table).select('full_path').where('id', '=', id).executeTakeFirst())?.full_path ?? 'unknown';
  const invited = await paths('namespaces', group_id);
  const as = roleName(group_access);
  const more: AuditEntry['more'] =
    happened === 'created' ? { add: 'group_access', as, expiry_to: expires_at } : { remove: 'group_access' };
  const target = { id: group_id, type: 'Group', details: invited };
  if (source_type === 'group') {
    const name = `group_share_with_group_link_${happened}` as const;
    const place = await paths('namespaces', source_id);
    const message =
      happened === 'created'
        ? `Invited ${invited} to the group ${place}`
        : `Removed ${invited} from the group ${place}`;
    return recordAudit(deps, db, { name, entity: group(source_id), target, message, more });
  }
  const name = happened === 'created' ? 'project_group_link_created' : 'project_group_link_deleted';
  const message = happened === 'created' ? 'Added project group link' : 'Removed project group link';
  const shared = { id: source_id, type: 'Project', details: await paths('projects', source_id) };
  await recordAudit(deps, db, [
    { name, entity: project(source_id), target, message, more },
    { name, entity: group(group_id), target: shared, message, more },
  ]);
}
