import { type AbilityTarget, allowsOn } from '../../../../access/ability-target.ts';
import type { UserCaller } from '../../../../access/caller.ts';
import { revalidateProjectAbility } from '../../../../access/caller-in-project.ts';
import type { ProjectPermissions } from '../../../../access/permissions.ts';
import { invalidModel, recordNotFound, refused } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { addApprovalTodos } from '../../todos/todos.background.ts';
import { onMergeRequest } from '../lifecycle/merge-requests.access.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import { recheckAutoMerges } from '../lifecycle/recheck-auto-merges.ts';
import type { EffectiveRule } from './approvals.effective-rules.ts';
import { insertOwn, type OwnRuleChanges, updateOwn } from './approvals.own-rules.ts';
import type { CreateMergeRequestRule, UpdateMergeRequestRule } from './approvals.rule-inputs.ts';
import { loadEffectiveRules } from './approvals.state.ts';
import { effectiveApprovalSettings } from './effective-settings.ts';
import { recordRule } from './rule-audit.ts';
import { hasNoApprovers, namedGroups, namedUsers, refuseInvalid } from './rule-input.ts';
import { mergeRequestRules, projectRules, type StoredRule } from './rule-store.ts';

/** Refusal for callers who may not change the rules of a merge request. */
export const prohibited = () => refused('Prohibited', 403);

export interface EditorScope {
  project: Project;
  permissions: ProjectPermissions;
  caller: UserCaller;
}

/** Whether a merge request may override the rules of the project. */
const isOverridable = (
  deps: Deps,
  project: Pick<Project, 'settings'>,
  { state }: Pick<MergeRequest, 'state'>,
): boolean =>
  state !== 'merged' && !effectiveApprovalSettings(deps, project).disable_overriding_approvers_per_merge_request;

/** @throws ApiError 403 if the caller, or anybody, may not change the rules of the merge request */
export async function requireEditor(
  deps: Deps,
  { project, permissions, caller }: EditorScope,
  { author_id, state }: Pick<MergeRequest, 'author_id' | 'state'>,
): Promise<void> {
  const target: AbilityTarget = { is: (relation) => relation === 'author' && author_id === caller.user.id };
  const may = await allowsOn(permissions, 'admin_merge_request_rules', target);
  if (!may || !isOverridable(deps, project, { state })) throw prohibited();
}

/** Access for users who may change the rules of a merge request; the handler gets it as `row`. */
export const ruleEditor = onMergeRequest('admin_merge_request_rules', {
  refusal: prohibited,
  further: async (deps, { project, row }) => isOverridable(deps, project, row),
});

/** A rule in force for a merge request: its own, or one inherited from the project. */
interface Standing {
  /** Its own rule; null if the project rule applies unchanged. */
  own: StoredRule | null;
  source: StoredRule | null;
}

/** @throws ApiError 404 */
async function standingOf(deps: Deps, db: Db, mergeRequest: MergeRequest, ruleId: number): Promise<Standing> {
  const own = await mergeRequestRules(db, [mergeRequest.id]);
  const inForce = (await loadEffectiveRules(deps, db, [mergeRequest])).get(mergeRequest.id)?.rules ?? [];
  const ownRule = own.find(({ id }) => id === ruleId);
  if (ownRule !== undefined) {
    const source = inForce.find(({ rule }) => rule?.id === ownRule.id)?.source ?? null;
    return { own: ownRule, source };
  }
  const inherited = inForce.find(({ rule, source }) => isInherited({ rule, source }, ruleId));
  if (inherited === undefined) throw recordNotFound();
  const { rule, source } = inherited;
  return source === null ? { own: null, source: rule } : { own: rule, source };
}

const isInherited = ({ rule, source }: Pick<EffectiveRule, 'rule' | 'source'>, ruleId: number): boolean =>
  source?.id === ruleId || (rule?.merge_request_id === null && rule.id === ruleId);

/** A prepared change of rules; runs with the merge request locked and returns the id of the rule. */
export type RuleChange = (db: Db, mergeRequest: MergeRequest) => Promise<number>;

/** Runs a change of rules with the merge request locked. @throws ApiError 403 if it is merged or the right was lost */
function change(deps: Deps, caller: UserCaller, id: number, work: RuleChange): Promise<number> {
  return deps.db.transaction().execute(async (db) => {
    const mergeRequest = await lockMergeRequest(db, id);
    if (mergeRequest === undefined) throw recordNotFound();
    await requireEditor(
      deps,
      await revalidateProjectAbility(deps, db, caller, mergeRequest.project_id, 'read_merge_request'),
      mergeRequest,
    );
    return work(db, mergeRequest);
  });
}

/** @throws ApiError 403 if the merge request is merged, or if its project disables overrides */
export async function requireOverridable(deps: Deps, db: Db, { project_id, state }: MergeRequest): Promise<void> {
  const project = await db
    .selectFrom('projects')
    .select('settings')
    .where('id', '=', project_id)
    .executeTakeFirstOrThrow();
  if (!isOverridable(deps, project, { state })) throw prohibited();
}

/**
 * Creates a rule of a merge request.
 * @returns its id
 * @throws ApiError 400 with the errors by field, 403, 404 for a source rule that does not apply
 */
export async function createOwnRule(
  deps: Deps,
  caller: UserCaller,
  { id, project_id }: MergeRequest,
  input: CreateMergeRequestRule,
): Promise<number> {
  return change(deps, caller, id, await creationOfRule(deps, caller, project_id, input));
}

/** Prepares the creation of a rule of an existing or new merge request. @throws ApiError as `createOwnRule` */
export async function creationOfRule(
  deps: Deps,
  caller: UserCaller,
  projectId: number,
  input: CreateMergeRequestRule,
): Promise<RuleChange> {
  refuseInvalid(input);
  const userIds = (await namedUsers(deps, projectId, input)) ?? [];
  const groupIds = (await namedGroups(deps, caller, input)) ?? [];
  return async (db, now) => {
    const { approval_project_rule_id: sourceId, approvals_required } = input;
    if (sourceId !== undefined) {
      const { own, source } = await standingOf(deps, db, now, sourceId);
      if (source === null || source.id !== sourceId) throw recordNotFound();
      if (own !== null) throw invalidModel({ name: ['has already been taken'] });
      return override(deps, db, now, source, { approvals_required });
    }
    const name = input.name.trim();
    if (hasNoApprovers(input)) return createForEverybody(deps, db, now, { name, approvals_required });
    await refuseTaken(db, now, { name });
    const id = await insertOwn(deps, db, now, { name, approvals_required, rule_type: 'regular', userIds, groupIds });
    if (approvals_required > 0) await addApprovalTodos(deps, db, now, [{ userIds, groupIds, roles: [] }]);
    return id;
  };
}

/** Creates the `any_approver` rule: there is at most one, and it overrides that of the project. */
async function createForEverybody(
  deps: Deps,
  db: Db,
  mergeRequest: MergeRequest,
  input: Pick<StoredRule, 'name' | 'approvals_required'>,
): Promise<number> {
  const own = await mergeRequestRules(db, [mergeRequest.id]);
  if (own.some(({ rule_type }) => rule_type === 'any_approver')) {
    throw invalidModel({ rule_type: ['any-approver for the merge request already exists'] });
  }
  const inherited = await projectRules(db, [mergeRequest.project_id]);
  const source = inherited.find(({ rule_type }) => rule_type === 'any_approver');
  if (source !== undefined) return override(deps, db, mergeRequest, source, input);
  return insertOwn(deps, db, mergeRequest, { ...input, rule_type: 'any_approver', userIds: [], groupIds: [] });
}

async function refuseTaken(db: Db, { id }: MergeRequest, { name, except }: { name: string; except?: number }) {
  const own = await mergeRequestRules(db, [id]);
  const taken = own.some((rule) => rule.rule_type === 'regular' && rule.name === name && rule.id !== except);
  if (taken) throw invalidModel({ name: ['has already been taken'] });
}

/** Overrides a project rule by a rule of the merge request; copies attributes that are not changed. */
async function override(
  deps: Deps,
  db: Db,
  mergeRequest: MergeRequest,
  source: StoredRule,
  changes: OwnRuleChanges,
): Promise<number> {
  if (source.rule_type === 'report_approver') throw prohibited();
  refuseInvalid(changes, source.approvals_required);
  const { name, rule_type, approvals_required, userIds, groupIds } = source;
  const copied = { name, approvals_required, userIds, groupIds };
  return insertOwn(deps, db, mergeRequest, { ...copied, ...changes, rule_type, source });
}

/**
 * Changes a rule of a merge request; a rule inherited from the project is overridden.
 * @returns the id of the merge request's rule
 * @throws ApiError 400; 403 for rules of code owners and reports; 404
 */
export async function updateOwnRule(
  deps: Deps,
  caller: UserCaller,
  mergeRequest: MergeRequest,
  ruleId: number,
  input: UpdateMergeRequestRule,
): Promise<number> {
  return change(deps, caller, mergeRequest.id, await changeOfRule(deps, caller, mergeRequest, ruleId, input));
}

/** Prepares a change of a rule of a merge request. @throws ApiError as `updateOwnRule` */
export async function changeOfRule(
  deps: Deps,
  caller: UserCaller,
  mergeRequest: MergeRequest,
  ruleId: number,
  input: UpdateMergeRequestRule,
): Promise<RuleChange> {
  refuseInvalid(input);
  const { own, source } = await standingOf(deps, deps.db, mergeRequest, ruleId);
  const known = (own ?? source)!;
  const everybody = known.rule_type === 'any_approver';
  const userIds = everybody ? undefined : await namedUsers(deps, mergeRequest.project_id, input);
  const groupIds = everybody ? undefined : await namedGroups(deps, caller, input, known);
  const changes: OwnRuleChanges = {
    ...(input.name === undefined ? {} : { name: input.name.trim() }),
    ...(input.approvals_required === undefined ? {} : { approvals_required: input.approvals_required }),
    ...(userIds === undefined ? {} : { userIds }),
    ...(groupIds === undefined ? {} : { groupIds }),
  };
  return async (db, now) => {
    const scope = await standingOf(deps, db, now, ruleId);
    const current = (scope.own ?? scope.source)!;
    if (current.rule_type === 'code_owner' || current.rule_type === 'report_approver') throw prohibited();
    if (changes.name !== undefined) {
      await refuseTaken(db, now, { name: changes.name, ...(scope.own === null ? {} : { except: scope.own.id }) });
    }
    if (scope.own === null) return override(deps, db, now, scope.source!, changes);
    refuseInvalid(changes, scope.source?.approvals_required ?? 0);
    await updateOwn(deps, db, scope.own, changes);
    return scope.own.id;
  };
}

/**
 * Deletes a rule of a merge request; the project rule that it overrode applies again.
 * @throws ApiError 403 if it is not a rule of the merge request itself, 404
 */
export async function deleteOwnRule(
  deps: Deps,
  caller: UserCaller,
  mergeRequest: MergeRequest,
  ruleId: number,
): Promise<void> {
  await change(deps, caller, mergeRequest.id, removalOfRule(deps, ruleId));
}

/** Prepares the deletion of a rule of a merge request. The change throws like `deleteOwnRule`. */
export const removalOfRule =
  (deps: Deps, ruleId: number): RuleChange =>
  async (db, now) => {
    const { own } = await standingOf(deps, db, now, ruleId);
    if (own === null || own.rule_type === 'code_owner' || own.rule_type === 'report_approver') throw prohibited();
    await db.deleteFrom('approval_rules').where('id', '=', own.id).execute();
    await recordRule(deps, db, 'deleted', own);
    await recheckAutoMerges(deps, db, own.project_id);
    return own.id;
  };
