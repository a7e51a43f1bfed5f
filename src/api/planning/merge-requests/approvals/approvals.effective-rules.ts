import { matchesWildcard } from '../../../../core/wildcard.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { ProtectedRef } from '../../../../db/tables/protected-refs.table.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import { type StoredRule, TYPE_ORDER } from './rule-store.ts';

/** A rule that a merge request has to satisfy. */
export interface EffectiveRule {
  /** Whose approvers count: the merge request's own row where it has one. Null for a mere number of approvals. */
  rule: StoredRule | null;
  /** The project's rule that `rule` stands for; null where there is none, or `rule` is the project's own. */
  source: StoredRule | null;
  /** Approvals that are needed. */
  required: number;
}

/** What decides about the rules of one merge request. */
export interface RuleSources {
  settings: ProjectSettings;
  /** The project's own rules. */
  projectRules: readonly StoredRule[];
  /** Those of the merge request. */
  ownRules: readonly StoredRule[];
  /** Protected branches of the project, those of the groups above it included. */
  protections: readonly EffectiveBranch[];
}

/** A protected branch of a project, or one that a group above gives it. */
export type EffectiveBranch = ProtectedRef & { inherited?: true };

const isBranch = (protection: ProtectedRef, branch: string): boolean =>
  protection.kind === 'branch' && (protection.name === branch || matchesWildcard(protection.name, branch));

/** Whether a project's rule is for merge requests into the branch. */
function appliesTo(rule: StoredRule, branch: string, protections: readonly EffectiveBranch[]): boolean {
  const all = rule.applies_to_all_protected_branches === 1;
  if (!all && rule.branchIds.length === 0) return true;
  const named = ({ id, inherited }: EffectiveBranch) => inherited === undefined && rule.branchIds.includes(id);
  return protections.some((each) => (all || named(each)) && isBranch(each, branch));
}

/** Whether code owners have to approve what goes into the branch. */
export const needsCodeOwners = (branch: string, protections: readonly ProtectedRef[]): boolean =>
  protections.some((each) => each.code_owner_approval_required === 1 && isBranch(each, branch));

/**
 * The rules that count for a merge request. Its own rule takes the place of the project's that it stands for, but never
 * asks for fewer approvals; where rules may not be overridden, only the project's and those of code owners count. Pure.
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
    // What stands for a rule of another branch says nothing here.
    const foreign = projectRules.some(({ id }) => id === rule.source_rule_id);
    if (!used.has(rule.id) && !foreign) rules.push({ rule, source: null, required: rule.approvals_required });
  }
  const asked = Math.max(settings.approvals_before_merge, mayOverride ? (mergeRequest.approvals_before_merge ?? 0) : 0);
  const all = [...withNumber(rules, asked), ...codeOwners(ownRules, needsCodeOwners(branch, protections))];
  return all.sort((a, b) => placeOf(a) - placeOf(b) || (a.rule?.id ?? 0) - (b.rule?.id ?? 0));
}

/** Where a rule's type stands in a list; a mere number of approvals asks what a rule for everybody would. */
const placeOf = ({ rule }: EffectiveRule): number => TYPE_ORDER.indexOf(rule?.rule_type ?? 'any_approver');

const standsFor = (own: StoredRule, source: StoredRule): boolean =>
  own.source_rule_id === source.id || (own.rule_type === 'any_approver' && source.rule_type === 'any_approver');

/** The old way to ask for approvals: just a number of them, by whomever. */
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
