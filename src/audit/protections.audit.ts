import { roleName } from '../core/access-levels.ts';
import type { Db } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import { type AuditEntity, type AuditEntry, recordAudit } from './record.audit.ts';

/** Holder of a right in a protection. */
interface Level {
  action: string;
  access_level: number | null;
  user_id?: number | null;
  group_id?: number | null;
  deploy_key_id?: number | null;
}

/** Recorded facts of a protected branch or tag. */
export interface ProtectionFacts {
  id: number;
  name: string;
  allow_force_push?: number;
  code_owner_approval_required?: number;
  levels: readonly Level[];
}

/** Holders of each right as text: `Maintainer`, `User 5`. */
function allowed({ levels }: ProtectionFacts): Record<string, string> {
  const by: Record<string, string[]> = {};
  for (const level of levels) {
    const list = by[level.action] ?? [];
    by[level.action] = list;
    if (level.user_id != null) list.push(`User ${level.user_id}`);
    else if (level.group_id != null) list.push(`Group ${level.group_id}`);
    else if (level.deploy_key_id != null) list.push(`Deploy key ${level.deploy_key_id}`);
    else list.push(level.access_level === 60 ? 'Admin' : roleName(level.access_level ?? 0));
  }
  return Object.fromEntries(Object.entries(by).map(([action, names]) => [action, names.sort().join(', ')]));
}

const ACTIONS = ['push', 'merge', 'unprotect', 'create'];
const FLAGS = [
  ['allow_force_push', 'allow force push', 'protected_branch_allow_force_push_updated'],
  [
    'code_owner_approval_required',
    'code owner approval required',
    'protected_branch_code_owner_approval_required_updated',
  ],
] as const;

/** Records, in the transaction, that a branch or tag was protected or unprotected. */
export function recordProtection(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  entity: AuditEntity,
  kind: 'branch' | 'tag',
  happened: 'created' | 'removed',
  protection: ProtectionFacts,
): Promise<void> {
  const levels = allowed(protection);
  return recordAudit(deps, db, {
    name: `protected_${kind}_${happened}`,
    entity,
    target: targetOf(kind, protection),
    message: happened === 'created' ? `Added protected ${kind}` : `Unprotected ${kind}`,
    more: Object.fromEntries(Object.entries(levels).map(([action, names]) => [`allowed_to_${action}`, names])),
  });
}

const targetOf = (kind: 'branch' | 'tag', { id, name }: ProtectionFacts) => ({
  id,
  type: kind === 'branch' ? 'ProtectedBranch' : 'ProtectedTag',
  details: name,
});

/** Records changes of a branch protection, in the transaction. */
export async function recordProtectionChange(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  entity: AuditEntity,
  before: ProtectionFacts,
  after: ProtectionFacts,
): Promise<void> {
  const [old, now] = [allowed(before), allowed(after)];
  const target = targetOf('branch', after);
  const entries: AuditEntry[] = [];
  for (const action of ACTIONS) {
    const [from, to] = [old[action] ?? '', now[action] ?? ''];
    if (from === to) continue;
    const change = `allowed to ${action}`;
    const message = `Changed ${change} from ${from} to ${to}`;
    entries.push({ name: 'protected_branch_updated', entity, target, message, more: { change, from, to } });
  }
  for (const [column, change, name] of FLAGS) {
    const [from, to] = [before[column] === 1, after[column] === 1];
    if (from === to) continue;
    entries.push({
      name,
      entity,
      target,
      message: `Changed ${change} from ${from} to ${to}`,
      more: { change, from, to },
    });
  }
  await recordAudit(deps, db, entries);
}
