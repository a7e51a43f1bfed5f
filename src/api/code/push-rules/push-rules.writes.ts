import type { Caller } from '../../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { recordPushRule } from '../../../audit/push-rules.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { notFound, refused } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { PushRule } from '../../../db/tables/push-rules.table.ts';
import type { Deps } from '../../../deps.ts';
import { inheritedPushRule, ownPushRule } from '../../../repositories/push-rules/effective-push-rule.ts';
import type { PushRuleInput } from './push-rules.inputs.ts';
import { NO_RULES, type RuleColumns, ruleColumns } from './push-rules.rules.ts';

/** Project or group of a push rule. */
export interface PushRuleOwner {
  type: 'project' | 'group';
  id: number;
}

/**
 * Locks the owner, so that its push rule is changed by one request at a time, and checks the rights of the caller
 * again.
 * @throws ApiError 401, 403, 404
 */
async function hold(deps: Deps, db: Db, caller: Caller, { type, id }: PushRuleOwner): Promise<void> {
  await lockRow(db, type === 'project' ? 'projects' : 'namespaces', id);
  if (type === 'project') await revalidateProjectAbility(deps, db, caller, id, 'admin_push_rules');
  else await revalidateGroupAbility(deps, db, caller, id, 'admin_group_push_rules');
}

async function insert(deps: Deps, db: Db, { type, id }: PushRuleOwner, columns: RuleColumns): Promise<PushRule> {
  const now = timestamp(deps.clock);
  const rule = await db
    .insertInto('push_rules')
    .values({
      ...columns,
      project_id: type === 'project' ? id : null,
      namespace_id: type === 'group' ? id : null,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordPushRule(deps, db, 'created', rule, NO_RULES);
  return rule;
}

/** Creates the push rule of a project or group. @throws ApiError 400; 422 if it has one; 401, 403, 404 */
export function createPushRule(
  deps: Deps,
  caller: Caller,
  owner: PushRuleOwner,
  input: PushRuleInput,
): Promise<PushRule> {
  const columns = ruleColumns(input);
  return deps.db.transaction().execute(async (db) => {
    await hold(deps, db, caller, owner);
    if ((await ownPushRule(db, owner.type, owner.id)) !== undefined) {
      throw refused(`${owner.type === 'project' ? 'Project' : 'Group'} push rule exists, try updating`, 422);
    }
    return insert(deps, db, owner, { ...NO_RULES, ...columns });
  });
}

/**
 * Updates a push rule; absent attributes are kept. A project with an inherited rule gets a changed copy of it.
 * @throws ApiError 400; 404 if there is none; 401, 403
 */
export function updatePushRule(
  deps: Deps,
  caller: Caller,
  owner: PushRuleOwner,
  input: PushRuleInput,
): Promise<PushRule> {
  const columns = ruleColumns(input);
  return deps.db.transaction().execute(async (db) => {
    await hold(deps, db, caller, owner);
    const before = await ownPushRule(db, owner.type, owner.id);
    if (before === undefined) {
      const above = owner.type === 'project' ? await inheritedPushRule(db, owner.id) : undefined;
      if (above === undefined) throw notFound('Push rule');
      return insert(deps, db, owner, { ...rulesOf(above), ...columns });
    }
    const rule = await db
      .updateTable('push_rules')
      .set({ ...columns, updated_at: timestamp(deps.clock) })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordPushRule(deps, db, 'changed', rule, before);
    return rule;
  });
}

/** Returns the rules without ids and times. */
function rulesOf({ id, project_id, namespace_id, created_at, updated_at, ...columns }: PushRule): RuleColumns {
  return columns;
}

/** Deletes the push rule of a project or group. @throws ApiError 404 if it has none; 401, 403 */
export async function removePushRule(deps: Deps, caller: Caller, owner: PushRuleOwner): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await hold(deps, db, caller, owner);
    const rule = await ownPushRule(db, owner.type, owner.id);
    if (rule === undefined) throw notFound();
    await db.deleteFrom('push_rules').where('id', '=', rule.id).execute();
    await recordPushRule(deps, db, 'deleted', rule);
  });
}
