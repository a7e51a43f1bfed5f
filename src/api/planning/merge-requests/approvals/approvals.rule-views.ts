import type { Caller } from '../../../../access/caller.ts';
import { namespacesOfIds } from '../../../../access/find-by-id.ts';
import { bit } from '../../../../db/columns.ts';
import type { Namespace } from '../../../../db/tables/namespaces.table.ts';
import type { ProtectedRef } from '../../../../db/tables/protected-refs.table.ts';
import type { User } from '../../../../db/tables/users.table.ts';
import type { Deps } from '../../../../deps.ts';
import { type Dialect, inDialect } from '../../../../http/dialect.ts';
import { withLevels } from '../../../../repositories/repository.protected-refs.ts';
import type { Protection } from '../../../../repositories/repository.protections.ts';
import { loadSubjectNames, presentLevels, type SubjectNames } from '../../../code/index.ts';
import { userBasic, usersById } from '../../../identity/index.ts';
import { presentGroups } from '../../../spaces/index.ts';
import type { EffectiveRule } from './approvals.effective-rules.ts';
import type { CommonRule, RuleBranch, RuleGroup } from './approvals.rule-responses.ts';
import { eligibleApprovers } from './eligible.ts';
import { visibleGroupsOf } from './rule-input.ts';
import type { StoredRule } from './rule-store.ts';

/** Objects that rules of one project refer to. */
export interface RuleContext {
  users: ReadonlyMap<number, User>;
  /** Groups that the caller may see. */
  groups: ReadonlyMap<number, RuleGroup>;
  /** Eligible approvers by rule id. */
  eligible: ReadonlyMap<number, readonly User[]>;
}

/** Loads the objects that rules of one project refer to, in a bounded number of queries. */
export async function ruleContext(
  deps: Deps,
  caller: Caller,
  projectId: number,
  rules: readonly StoredRule[],
): Promise<RuleContext> {
  const seen = await visibleGroupsOf(
    deps,
    deps.db,
    caller,
    rules.flatMap(({ groupIds }) => groupIds),
  );
  const rows = seen.length === 0 ? [] : await namespacesOfIds(deps.db, { ids: seen });
  const eligible = await eligibleApprovers(deps, deps.db, projectId, rules);
  return {
    users: await usersById(
      deps.db,
      rules.flatMap(({ userIds }) => userIds),
    ),
    groups: await ruleGroups(deps, caller, rows),
    eligible: new Map(rules.map(({ id }, index) => [id, eligible[index]!])),
  };
}

async function ruleGroups(deps: Deps, caller: Caller, rows: readonly Namespace[]): Promise<Map<number, RuleGroup>> {
  const groups = await presentGroups(deps, caller, rows);
  return new Map(
    groups.map((group) => [
      group.id,
      {
        id: group.id,
        name: group.name,
        path: group.path,
        description: group.description,
        visibility: group.visibility,
        lfs_enabled: group.lfs_enabled,
        avatar_url: group.avatar_url,
        web_url: group.web_url,
        request_access_enabled: group.request_access_enabled,
        full_name: group.full_name,
        full_path: group.full_path,
        parent_id: group.parent_id,
        ldap_cn: null,
        ldap_access: null,
      },
    ]),
  );
}

/** Attributes common to all kinds of rules. */
export function presentCommon(deps: Deps, rule: StoredRule, context: RuleContext): CommonRule {
  const groups = rule.groupIds.flatMap((id) => context.groups.get(id) ?? []);
  return {
    id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    report_type: rule.report_type,
    eligible_approvers: (context.eligible.get(rule.id) ?? []).map((user) => userBasic(deps, user)),
    approvals_required: rule.approvals_required,
    users: rule.userIds.flatMap((id) => context.users.get(id) ?? []).map((user) => userBasic(deps, user)),
    groups,
    contains_hidden_groups: groups.length < rule.groupIds.length,
  };
}

/** Presents rules of a project. */
export async function presentProjectRules(deps: Deps, caller: Caller, projectId: number, rules: readonly StoredRule[]) {
  const context = await ruleContext(deps, caller, projectId, rules);
  const branches = await branchesOf(deps, projectId, rules);
  const names = await loadSubjectNames(deps.db, branches);
  return rules.map((rule) => {
    const all = rule.applies_to_all_protected_branches === 1;
    return {
      ...presentCommon(deps, rule, context),
      protected_branches: branches
        .filter(({ id }) => all || rule.branchIds.includes(id))
        .map((branch) => presentBranch(deps.config.dialect, branch, names)),
      applies_to_all_protected_branches: all,
    };
  });
}

async function branchesOf(deps: Deps, projectId: number, rules: readonly StoredRule[]): Promise<Protection[]> {
  const all = rules.some((rule) => rule.applies_to_all_protected_branches === 1);
  const ids = new Set(rules.flatMap(({ branchIds }) => branchIds));
  if (!all && ids.size === 0) return [];
  const rows: ProtectedRef[] = await deps.db
    .selectFrom('protected_refs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', 'branch')
    .orderBy('id')
    .execute();
  return withLevels(deps.db, all ? rows : rows.filter(({ id }) => ids.has(id)));
}

function presentBranch(dialect: Dialect, branch: Protection, names: SubjectNames): RuleBranch {
  const levels = (action: 'push' | 'merge' | 'unprotect') =>
    presentLevels(branch, action, names, false).map(({ access_level, access_level_description }) => ({
      access_level,
      access_level_description,
    }));
  return {
    id: branch.id,
    name: branch.name,
    push_access_levels: levels('push'),
    merge_access_levels: levels('merge'),
    unprotect_access_levels: levels('unprotect'),
    code_owner_approval_required: inDialect(
      dialect,
      'code_owner_approval_required',
      branch.code_owner_approval_required === bit(true),
    ),
  };
}

/** Presents a rule in a merge request; inherited and overriding rules name their source. */
export function presentOwn(deps: Deps, { source, required }: EffectiveRule, rule: StoredRule, context: RuleContext) {
  const inherited = rule.merge_request_id === null ? rule : source;
  return {
    ...presentCommon(deps, rule, context),
    approvals_required: required,
    section: rule.section,
    source_rule: inherited === null ? null : { approvals_required: inherited.approvals_required },
    overridden: source !== null,
  };
}
