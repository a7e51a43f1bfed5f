import { matchesWildcard } from '../../../../core/wildcard.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { ProtectedRef } from '../../../../db/tables/protected-refs.table.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import { type StoredRule, TYPE_ORDER } from './rule-store.ts';

/** A rule in force for a merge request. */
export interface EffectiveRule {
  /** The rule whose approvers count: the merge request's own if there is one. Null for a mere number of approvals. */
  rule: StoredRule | null;
  /** The project rule that `rule` overrides; null if there is none, or if `rule` is the project rule itself. */
  source: StoredRule | null;
  /** Number of required approvals. */
  required: number;
}

/** Sources of the effective rules of a merge request. */
export interface RuleSources {
  settings: ProjectSettings;
  /** Rules of the project. */
  projectRules: readonly StoredRule[];
  /** Rules of the merge request. */
  ownRules: readonly StoredRule[];
  /** Protected branches of the project, including those of its ancestor groups. */
  protections: readonly EffectiveBranch[];
}

/** A protected branch of a project, or one inherited from an ancestor group. */
export type EffectiveBranch = ProtectedRef & { inherited?: true };

const isBranch = (protection: ProtectedRef, branch: string): boolean =>
  protection.kind === 'branch' && (protection.name === branch || matchesWildcard(protection.name, branch));

/** Whether a project rule applies to merge requests into the branch. */
function appliesTo(rule: StoredRule, branch: string, protections: readonly EffectiveBranch[]): boolean {
  const all = rule.applies_to_all_protected_branches === 1;
  if (!all && rule.branchIds.length === 0) return true;
  const named = ({ id, inherited }: EffectiveBranch) => inherited === undefined && rule.branchIds.includes(id);
  return protections.some((each) => (all || named(each)) && isBranch(each, branch));
}

/** Whether the branch requires approval of code owners. */
export const needsCodeOwners = (branch: string, protections: readonly ProtectedRef[]): boolean =>
  protections.some((each) => each.code_owner_approval_required === 1 && isBranch(each, branch));

/**
 * Computes the rules in force for a merge request. Its own rule replaces the project rule that it overrides, but never
 * requires fewer approvals; if overrides are disabled, only project rules and code owner rules count. Pure.
 */
export function effectiveRules(
  mergeRequest: Pick<MergeRequest, 'target_branch' | 'approvals_before_merge'>,
  { settings, projectRules, ownRules, protections }: RuleSources,
): EffectiveRule[] {
  const branch = mergeRequest.target_branch;
  const mayOverride = !settings.disable_overriding_approvers_per_merge_request;
  const own = mayOverride ? ownRules.filter(({ rule_type }) => rule_type !== 'code_owner') : [];
  const inherited = projectRules.filter((rule) => appliesTo(rule, branch, protections));
  const used = new Set<number>();
  const rules = inherited.map((source): EffectiveRule => {
    const rule = own.find((each) => standsFor(each, source));
    if (rule === undefined) return { rule: source, source: null, required: source.approvals_required };
    used.add(rule.id);
    return { rule, source, required: Math.max(rule.approvals_required, source.approvals_required) };
  });
  for (const rule of own) {
    // An override of a rule of another branch does not apply here.
    const foreign = projectRules.some(({ id }) => id === rule.source_rule_id);
    if (!used.has(rule.id) && !foreign) rules.push({ rule, source: null, required: rule.approvals_required });
  }
  const asked = Math.max(settings.approvals_before_merge, mayOverride ? (mergeRequest.approvals_before_merge ?? 0) : 0);
  const all = [...withNumber(rules, asked), ...codeOwners(ownRules, needsCodeOwners(branch, protections))];
  return all.sort((a, b) => placeOf(a) - placeOf(b) || (a.rule?.id ?? 0) - (b.rule?.id ?? 0));
}

/** Position of a rule in lists, by type; a mere number of approvals counts as `any_approver`. */
const placeOf = ({ rule }: EffectiveRule): number => TYPE_ORDER.indexOf(rule?.rule_type ?? 'any_approver');

const standsFor = (own: StoredRule, source: StoredRule): boolean =>
  own.source_rule_id === source.id || (own.rule_type === 'any_approver' && source.rule_type === 'any_approver');

/** Adds the legacy requirement: a number of approvals by anybody. */
function withNumber(rules: readonly EffectiveRule[], asked: number): EffectiveRule[] {
  const any = rules.find(({ rule }) => rule?.rule_type === 'any_approver');
  if (any === undefined) return asked === 0 ? [...rules] : [...rules, { rule: null, source: null, required: asked }];
  return rules.map((each) => (each === any ? { ...each, required: Math.max(each.required, asked) } : each));
}

const codeOwners = (ownRules: readonly StoredRule[], needed: boolean): EffectiveRule[] =>
  ownRules
    .filter(({ rule_type }) => rule_type === 'code_owner')
    .map((rule) => ({
      rule,
      source: null,
      required: needed && rule.optional === 0 ? rule.approvals_required : 0,
    }));
