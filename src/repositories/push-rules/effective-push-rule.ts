import { lineageIds } from '../../access/access.membership.ts';
import { effectivePlan, includesPlan } from '../../access/access.plan.ts';
import type { Db } from '../../db/db.schema.ts';
import type { PushRule } from '../../db/tables/push-rules.table.ts';
import type { Deps } from '../../deps.ts';

/** The push rule set on a project or group itself. */
export function ownPushRule(db: Db, type: 'project' | 'group', id: number): Promise<PushRule | undefined> {
  const column = type === 'project' ? 'project_id' : 'namespace_id';
  return db.selectFrom('push_rules').selectAll().where(column, '=', id).executeTakeFirst();
}

/** The effective push rule of a project: its own, else that of the nearest ancestor group with one. */
export async function pushRuleOf(db: Db, projectId: number): Promise<PushRule | undefined> {
  return (await ownPushRule(db, 'project', projectId)) ?? (await inheritedPushRule(db, projectId));
}

/** The push rule that a project inherits if it has none of its own. */
export async function inheritedPushRule(db: Db, projectId: number): Promise<PushRule | undefined> {
  const above = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['namespaces.lineage', 'namespaces.kind'])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  return above?.kind === 'group' ? nearestRule(db, lineageIds(above.lineage)) : undefined;
}

/** @param groups from the root downwards */
async function nearestRule(db: Db, groups: readonly number[]): Promise<PushRule | undefined> {
  if (groups.length === 0) return undefined;
  const rows = await db.selectFrom('push_rules').selectAll().where('namespace_id', 'in', groups).execute();
  return rows.sort((a, b) => groups.indexOf(b.namespace_id!) - groups.indexOf(a.namespace_id!))[0];
}

/**
 * The effective push rule of a project; null for none, and on plans without push rules. Queries nothing if there can be
 * none.
 * @param own id of its own rule
 * @param groups from the root downwards
 */
export async function effectivePushRule(
  deps: Deps,
  { own, groups }: { own: number | null; groups: readonly number[] },
): Promise<PushRule | null> {
  const { db } = deps;
  const ofProject =
    own === null ? undefined : await db.selectFrom('push_rules').selectAll().where('id', '=', own).executeTakeFirst();
  const rule = ofProject ?? (await nearestRule(db, groups));
  return rule !== undefined && includesPlan(await effectivePlan(deps, db), 'premium') ? rule : null;
}
