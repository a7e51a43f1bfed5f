import { today } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import type { EffectiveRule } from './approvals.effective-rules.ts';
import { MAX_APPROVALS } from './approvals.rule-inputs.ts';
import { namedByRules } from './eligible.ts';
import type { StoredRule } from './rule-store.ts';
import { loadVoters } from './voters.ts';

/** Maximum number of users per statement. */
const BATCH = 500;

/** A rule of a merge request with missing approvals. */
export interface OpenRule {
  mergeRequest: MergeRequest;
  inForce: EffectiveRule;
}

/**
 * The rules with too few eligible approvers: none is named, or the named ones lack access, are blocked or deleted, or
 * are the author. Excluded are `any_approver` rules; overrides whose project rule could be satisfied, since they
 * would bypass it; and rules whose approvers have made commits, since authorship of commits is not verified. A
 * bounded number of queries per 500 users.
 * @param settings settings of the projects
 */
export async function unsatisfiableRules(
  deps: Deps,
  db: Db,
  open: readonly OpenRule[],
  settings: ReadonlyMap<number, ProjectSettings>,
): Promise<Set<EffectiveRule>> {
  const asked = open.filter(({ inForce: { rule } }) => rule !== null && rule.rule_type !== 'any_approver');
  if (asked.length === 0) return new Set();
  const rules = asked.flatMap(({ inForce: { rule, source } }) => [rule!, ...(source === null ? [] : [source])]);
  const eligible = await someEligible(deps, db, [...new Set(rules)], settings);
  const hopeless = asked.filter(({ mergeRequest: { author_id, project_id }, inForce }) => {
    const own = settings.get(project_id)!.merge_requests_author_approval;
    const lacks = (rule: StoredRule, required: number): boolean =>
      eligible.get(rule)!.filter((id) => own || id !== author_id).length < required;
    const { rule, source, required } = inForce;
    return lacks(rule!, required) && (source === null || lacks(source, source.approvals_required));
  });
  return new Set(hopeless.map(({ inForce }) => inForce));
}

/** Eligible approvers of each rule: all of them, or more than a rule can require. */
async function someEligible(
  deps: Deps,
  db: Db,
  rules: readonly StoredRule[],
  settings: ReadonlyMap<number, ProjectSettings>,
): Promise<Map<StoredRule, number[]>> {
  const named = await namedByRules(db, rules, today(deps.clock));
  const eligible = new Map(rules.map((rule) => [rule, [] as number[]]));
  const ids = [...new Set(named.flatMap((list) => [...list]))].sort((a, b) => a - b);
  for (let at = 0; at < ids.length; at += BATCH) {
    const userIds = ids.slice(at, at + BATCH);
    const voters = await loadVoters(deps, db, { mergeRequests: [], settings, rules, userIds });
    for (const [index, rule] of rules.entries()) {
      eligible.get(rule)!.push(...userIds.filter((id) => named[index]!.has(id) && voters.isNamed(rule, id)));
    }
    if ([...eligible.values()].every((list) => list.length > MAX_APPROVALS)) break;
  }
  return eligible;
}
