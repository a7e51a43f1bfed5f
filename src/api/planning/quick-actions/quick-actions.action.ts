import { allowsOn } from '../../../access/ability-target.ts';
import type { Plan } from '../../../access/access.plan.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/draft-notes.publish.ts';
import { issuableTarget } from '../issuables/issuables.access.ts';

export type TargetType = 'Issue' | 'MergeRequest' | 'Commit';

/** Update of an issue or merge request by the quick actions of a text, with the platform's names. */
export interface IssuableUpdate {
  title?: string;
  state_event?: 'close' | 'reopen';
  /** Ids of labels; their names are in `Context.labels`. */
  label_ids?: number[];
  add_label_ids?: number[];
  remove_label_ids?: number[];
  assignee_ids?: number[];
  reviewer_ids?: number[];
  milestone_id?: number | null;
  due_date?: string | null;
  confidential?: true;
  discussion_locked?: boolean;
  weight?: number | null;
  health_status?: string | null;
  severity?: Issue['severity'];
  issue_type?: 'issue' | 'incident' | 'task';
  wip_event?: 'draft' | 'ready';
  target_branch?: string;
}

/** Context for evaluating a quick action, before anything is changed. */
export interface Context {
  deps: Deps;
  scope: UserScope;
  type: TargetType;
  /** Null for commits, and before creation. */
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  /** SHA; for commits only. */
  sha: string | null;
  plan: Plan;
  /** Head of the merge request as the author of the text knows it. */
  diffHeadSha: string | undefined;
  /** Whether the text is published as part of a review. */
  inReview: boolean;
  /** Update by the preceding quick actions. */
  update: IssuableUpdate;
  /** Names of the labels in `update`, by id. */
  labels: Map<number, string>;
  /** Remaining number of look-ups of users, labels and issues for the text. */
  lookups: number;
  /** Whether the text requests a rebase, which excludes a merge. */
  rebaseRequested: boolean;
}

/** Context for executing a quick action, after its text was written. */
export interface ExecutionContext {
  /** Deps of the transaction for `inTransaction`, plain deps for `afterCommit`. */
  deps: Deps;
  scope: UserScope;
  /** The current row. */
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  /** Publishes the notes of a review. */
  write: WriteInReview;
}

/** Result of evaluating a quick action, before anything is written. */
export interface Outcome {
  /** Message for the summary. */
  message?: string;
  /** Its part of `commands_changes`, besides `update`. */
  changes?: Readonly<Record<string, unknown>>;
  /** Update that is merged with those of the others into one change. */
  update?: IssuableUpdate;
  /** Runs in the transaction of the text, after it. @returns the summary instead of `message` */
  inTransaction?: (at: ExecutionContext) => Promise<string | undefined>;
  /** Runs after the transaction, to write to a repository. @returns the summary instead of `message` */
  afterCommit?: (at: ExecutionContext) => Promise<string | undefined>;
}

export interface QuickAction {
  name: string;
  aliases?: readonly string[];
  on: readonly TargetType[];
  /** Whether it applies at creation. */
  atCreation?: true;
  /** Whether it is ignored without an argument. */
  requiresArgument?: true;
  /** Whether only the first of several in a text is applied, because it is expensive. */
  once?: true;
  /** Whether it can be applied by this caller. */
  may(c: Context): boolean | Promise<boolean>;
  /** Evaluates without changes. @returns undefined if it has no effect */
  evaluate(c: Context, argument: string): Outcome | undefined | Promise<Outcome | undefined>;
}

export const ISSUES = ['Issue'] as const;
export const MERGE_REQUESTS = ['MergeRequest'] as const;
export const BOTH = ['Issue', 'MergeRequest'] as const;

/** The existing issue or merge request; null before creation and for commits. */
export const rowOf = ({ issue, mergeRequest }: Pick<Context, 'issue' | 'mergeRequest'>): Issue | MergeRequest | null =>
  issue ?? mergeRequest;

/** Name of the target in messages. */
export const typeName = ({ type }: Context): string => (type === 'MergeRequest' ? 'merge request' : 'issue');

/** Whether the caller may change its title, description and state. */
export async function mayUpdate({ deps, scope, type, issue, mergeRequest }: Context): Promise<boolean> {
  const row = rowOf({ issue, mergeRequest });
  if (row === null || type === 'Commit') return true;
  const target = issuableTarget(deps.db, type, row, scope.caller.user.id);
  return allowsOn(scope.permissions, type === 'Issue' ? 'update_issue' : 'update_merge_request', target);
}

/** Whether the caller may change labels, assignees, dates and other metadata. */
export function mayManage({ scope: { permissions }, type, issue }: Context): boolean {
  if (type === 'MergeRequest') return permissions.can('admin_merge_request');
  return permissions.can(issue === null ? 'set_new_issue_metadata' : 'admin_issue');
}

/** `a`, `a and b`, `a, b, and c`. */
export function toSentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}

export const pluralize = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);
