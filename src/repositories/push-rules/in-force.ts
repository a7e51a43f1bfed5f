import { lineageIds } from '../../access/membership.ts';
import { holds, planInForce } from '../../access/plan.ts';
import type { Db } from '../../db/schema.ts';
import type { PushRule } from '../../db/tables/push-rules.ts';
import type { Deps } from '../../deps.ts';

/** The push rule that a project or a group has of its own. */
export function ownPushRule(db: Db, type: 'project' | 'group', id: number): Promise<PushRule | undefined> {
  const column = type === 'project' ? 'project_id' : 'namespace_id';
  return db.selectFrom('push_rules').selectAll().where(column, '=', id).executeTakeFirst();
}

/** The push rule that a project goes by: its own, else that of the nearest group above that has one. */
export async function pushRuleOf(db: Db, projectId: number): Promise<PushRule | undefined> {
  return (await ownPushRule(db, 'project', projectId)) ?? (await inheritedPushRule(db, projectId));
}

/** The one that it would go by without one of its own. */
export async function inheritedPushRule(db: Db, projectId: number): Promise<PushRule | undefined> {
  const above = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['namespaces.lineage', 'namespaces.kind'])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  return above?.kind === 'group' ? groupPushRule(db, above.lineage) : undefined;
}

/** The same, and null for none: a server whose plan has no push rules goes by none. */
export async function pushRuleInForce(deps: Deps, projectId: number): Promise<PushRule | null> {
  const rule = await pushRuleOf(deps.db, projectId);
  if (rule === undefined) return null;
  return holds(await planInForce(deps, deps.db), 'premium') ? rule : null;
}

async function groupPushRule(db: Db, lineage: string): Promise<PushRule | undefined> {
  const ids = lineageIds(lineage);
  const rows =
    ids.length === 0 ? [] : await db.selectFrom('push_rules').selectAll().where('namespace_id', 'in', ids).execute();
  return rows.sort((a, b) => ids.indexOf(b.namespace_id!) - ids.indexOf(a.namespace_id!))[0];
}
