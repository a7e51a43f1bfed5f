import { INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockInstance, lockRow } from '../../../db/lock-row.ts';
import type { Deps } from '../../../deps.ts';

/** The only row of the table. */
const ROW = 1;

/**
 * Id of the top-level group that manages the security policies; null if there is none, or if it was deleted or moved
 * below another group.
 */
export async function policyGroup(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('security_policy_settings')
    .innerJoin('namespaces', 'namespaces.id', 'security_policy_settings.csp_namespace_id')
    .select('csp_namespace_id')
    .where('security_policy_settings.id', '=', ROW)
    .where('parent_id', 'is', null)
    .executeTakeFirst();
  return row?.csp_namespace_id ?? null;
}

/**
 * Sets the group (part 2, section 4.10).
 * @param id null for none
 * @throws ApiError 422 if it is not a top-level group
 */
export async function setPolicyGroup({ db: database, clock }: Deps, id: number | null): Promise<void> {
  await database.transaction().execute(async (db) => {
    await lockInstance(db);
    if (id !== null) await requireTopLevelGroup(db, id);
    const from = await policyGroup(db);
    const columns = { csp_namespace_id: id, updated_at: timestamp(clock) };
    await db
      .insertInto('security_policy_settings')
      .values({ id: ROW, ...columns })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
      .execute();
    if (from === id) return;
    const [old, now] = [from === null ? '' : String(from), id === null ? '' : String(id)];
    await recordAudit({ clock }, db, {
      name: 'security_policy_settings_updated',
      entity: INSTANCE,
      message: `Changed CSP namespace from ${old} to ${now}`,
      more: { change: 'csp_namespace_id', from: old, to: now },
    });
  });
}

async function requireTopLevelGroup(db: Db, id: number): Promise<void> {
  const namespace = (await lockRow(db, 'namespaces', id))
    ? await db.selectFrom('namespaces').select(['kind', 'parent_id']).where('id', '=', id).executeTakeFirst()
    : undefined;
  if (namespace?.kind !== 'group') throw refused('Validation failed: CSP namespace must be a group', 422);
  if (namespace.parent_id !== null) throw refused('Validation failed: CSP namespace must be a top level Group', 422);
}
