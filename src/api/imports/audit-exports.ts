import type { Caller } from '../../access/caller.ts';
import { auditEntity, recordAudit } from '../../audit/record.audit.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';

const MESSAGES = {
  export_created: 'Export as an archive started',
  export_file_download_started: 'Download of the exported archive started',
  relation_export_created: 'Export of relations started',
  relation_export_download_started: 'Download of an exported relation started',
} as const;

/** Records the audit event of an export, unless administrators have enabled silent exports for themselves. */
export async function recordExport(
  deps: Deps,
  db: Db,
  caller: Caller,
  action: keyof typeof MESSAGES,
  of: { kind: 'project' | 'group'; id: number; relation?: string },
): Promise<void> {
  if (caller.admin && (await applicationSettings(deps, db)).silent_admin_exports_enabled) return;
  await recordAudit(deps, db, {
    name: `${of.kind}_${action}`,
    entity: auditEntity(of.kind, of.id),
    message: of.relation === undefined ? MESSAGES[action] : `${MESSAGES[action]}: ${of.relation}`,
  });
}
