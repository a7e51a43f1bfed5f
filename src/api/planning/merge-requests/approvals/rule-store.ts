import type { Db } from '../../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../../db/prepared.ts';
import type { ApprovalRule, ApprovalRuleType } from '../../../../db/tables/approval-rules.table.ts';

/** A rule with its approvers and protected branches. */
export interface StoredRule extends ApprovalRule {
  userIds: readonly number[];
  groupIds: readonly number[];
  /** Access levels of direct project members who may approve; for code owner rules only. */
  roles: readonly number[];
  /** Ids of the protected branches that it is limited to. */
  branchIds: readonly number[];
}

/** Rule types in the order of the platform's lists; rules of one type are ordered by id. */
export const TYPE_ORDER: readonly ApprovalRuleType[] = ['any_approver', 'regular', 'code_owner', 'report_approver'];

const rulesOfProjects = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('approval_rules')
    .selectAll()
    .where('project_id', 'in', ids)
    .where('merge_request_id', 'is', null)
    .orderBy('id'),
);

const rulesOfRequests = prepared((db, { ids }: Ids) =>
  db.selectFrom('approval_rules').selectAll().where('merge_request_id', 'in', ids).orderBy('id'),
);

/** Rules of projects, ordered by id. */
export async function projectRules(db: Db, projectIds: readonly number[]): Promise<StoredRule[]> {
  if (projectIds.length === 0) return [];
  const rows = await rulesOfProjects(db, { ids: projectIds });
  return withDetails(db, rows);
}

/** Rules of merge requests, ordered by id. */
export async function mergeRequestRules(db: Db, mergeRequestIds: readonly number[]): Promise<StoredRule[]> {
  if (mergeRequestIds.length === 0) return [];
  const rows = await rulesOfRequests(db, { ids: mergeRequestIds });
  return withDetails(db, rows);
}

/** Adds approvers and protected branches to rules, in four queries. */
export async function withDetails(db: Db, rules: readonly ApprovalRule[]): Promise<StoredRule[]> {
  if (rules.length === 0) return [];
  const ids = rules.map(({ id }) => id);
  const [users, groups, roles, branches] = [
    await db.selectFrom('approval_rule_users').selectAll().where('rule_id', 'in', ids).orderBy('user_id').execute(),
    await db.selectFrom('approval_rule_groups').selectAll().where('rule_id', 'in', ids).orderBy('group_id').execute(),
    await db
      .selectFrom('approval_rule_roles')
      .selectAll()
      .where('rule_id', 'in', ids)
      .orderBy('access_level')
      .execute(),
    await db
      .selectFrom('approval_rule_branches')
      .selectAll()
      .where('rule_id', 'in', ids)
      .orderBy('protected_ref_id')
      .execute(),
  ];
  const userIds = listsBy(users, ({ user_id }) => user_id);
  const groupIds = listsBy(groups, ({ group_id }) => group_id);
  const levels = listsBy(roles, ({ access_level }) => access_level);
  const branchIds = listsBy(branches, ({ protected_ref_id }) => protected_ref_id);
  return rules.map((rule) => ({
    ...rule,
    userIds: userIds.get(rule.id) ?? [],
    groupIds: groupIds.get(rule.id) ?? [],
    roles: levels.get(rule.id) ?? [],
    branchIds: branchIds.get(rule.id) ?? [],
  }));
}

function listsBy<R extends { rule_id: number }>(rows: readonly R[], value: (row: R) => number): Map<number, number[]> {
  const lists = new Map<number, number[]>();
  for (const row of rows) {
    const list = lists.get(row.rule_id);
    if (list === undefined) lists.set(row.rule_id, [value(row)]);
    else list.push(value(row));
  }
  return lists;
}

/** New approvers of a rule; undefined lists stay as they are. */
export interface NewApprovers {
  userIds?: readonly number[] | undefined;
  groupIds?: readonly number[] | undefined;
  roles?: readonly number[] | undefined;
}

/** Maximum number of rows per statement. */
const BATCH = 1_000;

function* batches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH);
}

/** Replaces the approvers of a rule. @param db handle of a transaction */
export async function setApprovers(db: Db, rule_id: number, { userIds, groupIds, roles }: NewApprovers): Promise<void> {
  if (userIds !== undefined) {
    await db.deleteFrom('approval_rule_users').where('rule_id', '=', rule_id).execute();
    for (const some of batches(userIds.map((user_id) => ({ rule_id, user_id })))) {
      await db.insertInto('approval_rule_users').values(some).execute();
    }
  }
  if (groupIds !== undefined) {
    await db.deleteFrom('approval_rule_groups').where('rule_id', '=', rule_id).execute();
    for (const some of batches(groupIds.map((group_id) => ({ rule_id, group_id })))) {
      await db.insertInto('approval_rule_groups').values(some).execute();
    }
  }
  if (roles !== undefined) {
    await db.deleteFrom('approval_rule_roles').where('rule_id', '=', rule_id).execute();
    for (const some of batches(roles.map((access_level) => ({ rule_id, access_level })))) {
      await db.insertInto('approval_rule_roles').values(some).execute();
    }
  }
}
