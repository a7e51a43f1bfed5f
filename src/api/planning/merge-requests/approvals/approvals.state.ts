import { effectivePlan, includesPlan } from '../../../../access/access.plan.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../../db/prepared.ts';
import type { Approval } from '../../../../db/tables/approvals.table.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { groupRefsOf } from '../../../../repositories/group-protections.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import {
  type EffectiveBranch,
  type EffectiveRule,
  effectiveRules,
  needsCodeOwners,
} from './approvals.effective-rules.ts';
import { effectiveApprovalSettings } from './effective-settings.ts';
import { mergeRequestRules, projectRules, type StoredRule } from './rule-store.ts';
import { type OpenRule, unsatisfiableRules } from './unsatisfiable.ts';
import { loadVoters, type Voters } from './voters.ts';

export { syncRules } from './sync.ts';

/** State of a merge request with regard to one rule. */
export interface RuleState extends EffectiveRule {
  /** Approvals that count for the rule, oldest first. */
  approvals: readonly Approval[];
  /** Number of missing approvals; 0 if `unsatisfiable`. */
  left: number;
  /**
   * Whether there are too few eligible approvers. Such a rule counts as approved, as it would block the merge request
   * for ever.
   */
  unsatisfiable: boolean;
}

/** Approval state of a merge request. */
export interface ApprovalState {
  rules: readonly RuleState[];
  /** All approvals, whether or not they count for a rule; oldest first. */
  approvals: readonly Approval[];
  settings: ProjectSettings;
  /** Whether required code owner rules for the current head are not computed yet. */
  unsettled: boolean;
}

/** Rules in force for many merge requests, by id, in a bounded number of queries. */
export async function loadEffectiveRules(
  deps: Pick<Deps, 'settings'>,
  db: Db,
  mergeRequests: readonly MergeRequest[],
): Promise<Map<number, Pick<ApprovalState, 'settings' | 'unsettled'> & { rules: EffectiveRule[] }>> {
  if (mergeRequests.length === 0) return new Map();
  const projectIds = [...new Set(mergeRequests.map(({ project_id }) => project_id))];
  const projects = await db.selectFrom('projects').select(['id', 'settings']).where('id', 'in', projectIds).execute();
  const settings = new Map(projects.map((project) => [project.id, effectiveApprovalSettings(deps, project)]));
  const inherited = byKey(await projectRules(db, projectIds), ({ project_id }) => project_id);
  const ids = mergeRequests.map(({ id }) => id);
  const own = byKey(await mergeRequestRules(db, ids), ({ merge_request_id }) => merge_request_id!);
  const protections = byKey(await protectedBranches(db, projectIds), ({ project_id }) => project_id);
  return new Map(
    mergeRequests.flatMap((mergeRequest) => {
      const known = settings.get(mergeRequest.project_id);
      if (known === undefined) return [];
      const branches = protections.get(mergeRequest.project_id) ?? [];
      const rules = effectiveRules(mergeRequest, {
        settings: known,
        projectRules: inherited.get(mergeRequest.project_id) ?? [],
        ownRules: own.get(mergeRequest.id) ?? [],
        protections: branches,
      });
      const unsettled = mergeRequest.approvals_syncing === 1 && needsCodeOwners(mergeRequest.target_branch, branches);
      return [[mergeRequest.id, { rules, settings: known, unsettled }]];
    }),
  );
}

const ownBranches = prepared((db, { ids }: Ids) =>
  db.selectFrom('protected_refs').selectAll().where('project_id', 'in', ids).where('kind', '=', 'branch'),
);

const approvalsOf = prepared((db, { ids }: Ids) =>
  db.selectFrom('approvals').selectAll().where('merge_request_id', 'in', ids).orderBy('id'),
);

async function protectedBranches(db: Db, projectIds: readonly number[]): Promise<EffectiveBranch[]> {
  const own = await ownBranches(db, { ids: projectIds });
  return [...own, ...(await groupRefsOf(db, projectIds))];
}

function byKey<R>(rows: readonly R[], key: (row: R) => number): Map<number, R[]> {
  const lists = new Map<number, R[]>();
  for (const row of rows) {
    const list = lists.get(key(row));
    if (list === undefined) lists.set(key(row), [row]);
    else list.push(row);
  }
  return lists;
}

type InForce = Awaited<ReturnType<typeof loadEffectiveRules>>;

/** Data that determines approval states, read at one time. */
export interface ApprovalFacts {
  inForce: InForce;
  /** Approvals by merge request id, oldest first. */
  approvals: ReadonlyMap<number, readonly Approval[]>;
  /** Rights of the users who approved, and of those in `about`. */
  voters: Voters;
  /** Rules with too few eligible approvers. */
  unsatisfiable: ReadonlySet<EffectiveRule>;
}

/**
 * Loads the data that determines approval states. Uses only the database, in a bounded number of queries, so that it
 * can run in the transaction that depends on it. Deleted merge requests are left out.
 * @param about further users to load, and the authors of the heads
 */
export async function readApprovalFacts(
  deps: Deps,
  db: Db,
  mergeRequests: readonly MergeRequest[],
  about: { userIds?: readonly number[]; heads?: ReadonlyMap<number, ReadonlySet<string>> } = {},
): Promise<ApprovalFacts> {
  const inForce = await loadEffectiveRules(deps, db, mergeRequests);
  const there = mergeRequests.filter(({ id }) => inForce.has(id));
  const rows = there.length === 0 ? [] : await approvalsOf(db, { ids: [...inForce.keys()] });
  const { userIds = [], heads } = about;
  const settings = new Map(there.map(({ id, project_id }) => [project_id, inForce.get(id)!.settings]));
  const voters = await loadVoters(deps, db, {
    mergeRequests: there,
    settings,
    rules: [...inForce.values()].flatMap(({ rules }) => rules.flatMap(({ rule }) => rule ?? [])),
    userIds: [...new Set([...rows.map(({ user_id }) => user_id), ...userIds])],
    ...(heads === undefined ? {} : { heads }),
  });
  const approvals = byKey(rows, ({ merge_request_id }) => merge_request_id);
  const facts = { inForce, approvals, voters, unsatisfiable: new Set<EffectiveRule>() };
  const open = there.flatMap((mergeRequest) => openRules(mergeRequest, facts));
  return { ...facts, unsatisfiable: await unsatisfiableRules(deps, db, open, settings) };
}

/** Rules of the merge request that still lack approvals. */
const openRules = (mergeRequest: MergeRequest, facts: ApprovalFacts): OpenRule[] =>
  facts.inForce.get(mergeRequest.id)!.rules.flatMap((inForce) => {
    const { left } = ruleState(mergeRequest, inForce, facts, facts.approvals.get(mergeRequest.id) ?? []);
    return left === 0 ? [] : { mergeRequest, inForce };
  });

/**
 * Computes the approval state of a merge request from loaded data.
 * @param input its approvals, if they differ from the loaded ones
 * @returns undefined if it no longer exists
 */
export function approvalState(
  mergeRequest: MergeRequest,
  facts: ApprovalFacts,
  input: readonly Approval[] = facts.approvals.get(mergeRequest.id) ?? [],
): ApprovalState | undefined {
  const known = facts.inForce.get(mergeRequest.id);
  if (known === undefined) return undefined;
  const { rules, ...rest } = known;
  const states = rules.map((rule) => ruleState(mergeRequest, rule, facts, input));
  return { ...rest, rules: states, approvals: input };
}

/** Approval states by merge request id; see `readApprovalFacts`. */
export async function approvalStates(
  deps: Deps,
  db: Db,
  mergeRequests: readonly MergeRequest[],
): Promise<Map<number, ApprovalState>> {
  const facts = await readApprovalFacts(deps, db, mergeRequests);
  return new Map(
    mergeRequests.flatMap((each) => {
      const state = approvalState(each, facts);
      return state === undefined ? [] : [[each.id, state]];
    }),
  );
}

function ruleState(
  mergeRequest: MergeRequest,
  rule: EffectiveRule,
  { inForce, voters, unsatisfiable: hopeless }: ApprovalFacts,
  input: readonly Approval[],
): RuleState {
  const all = inForce.get(mergeRequest.id)!.rules;
  const approvals = input.filter(
    ({ user_id }) =>
      !voters.isExcluded(mergeRequest, user_id) && countsFor(mergeRequest, rule.rule, all, user_id, voters),
  );
  const unsatisfiable = hopeless.has(rule);
  const left = unsatisfiable ? 0 : Math.max(0, rule.required - approvals.length);
  return { ...rule, approvals, left, unsatisfiable };
}

/** Whether an approval of the user counts for a rule. Rules that name nobody accept everybody who may approve. */
function countsFor(
  mergeRequest: MergeRequest,
  rule: StoredRule | null,
  all: readonly EffectiveRule[],
  userId: number,
  voters: Voters,
): boolean {
  if (rule !== null && rule.rule_type !== 'any_approver') return voters.isNamed(rule, userId);
  return isApprover(mergeRequest, all, userId, voters);
}

/** Whether the user may approve, by their role or by a rule. */
export const isApprover = (
  mergeRequest: MergeRequest,
  rules: readonly EffectiveRule[],
  userId: number,
  voters: Voters,
): boolean =>
  voters.mayApprove(mergeRequest.project_id, userId) ||
  rules.some(({ rule }) => rule !== null && voters.isNamed(rule, userId));

/** Total number of missing approvals. */
export const missingApprovals = ({ rules, unsettled }: ApprovalState): number =>
  rules.reduce((sum, { left }) => sum + left, unsettled ? 1 : 0);

/**
 * Number of missing approvals by merge request id; 0 for approved ones, and for all on a plan without approvals. Uses
 * only the database: a merge calls it in its transaction, after locking the row.
 */
export async function approvalsLeft(
  deps: Deps,
  db: Db,
  mergeRequests: readonly MergeRequest[],
): Promise<Map<number, number>> {
  const states = await approvalStates(deps, db, mergeRequests);
  const left = new Map(mergeRequests.map(({ id }) => [id, missingApprovals(states.get(id)!)]));
  const waiting = [...left.values()].some((count) => count > 0);
  if (!waiting || includesPlan(await effectivePlan(deps, db), 'premium')) return left;
  return new Map(mergeRequests.map(({ id }) => [id, 0]));
}

/** Whether a merge request has the required approvals; see `approvalsLeft`. */
export const isApproved = async (deps: Deps, db: Db, mergeRequest: MergeRequest): Promise<boolean> =>
  (await approvalsLeft(deps, db, [mergeRequest])).get(mergeRequest.id) === 0;
