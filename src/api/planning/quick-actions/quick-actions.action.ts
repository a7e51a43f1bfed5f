import { allowsOn } from '../../../access/ability-target.ts';
import type { Plan } from '../../../access/access.plan.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/draft-notes.publish.ts';
import { issuableTarget } from '../issuables/issuables.access.ts';

export type TargetType = 'Issue' | 'MergeRequest' | 'Commit';

/** What the quick actions of one text change of an issue or merge request, in the platform's names. */
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

/** What a quick action is evaluated with: nothing has been changed by then. */
export interface Context {
  deps: Deps;
  scope: UserScope;
  type: TargetType;
  /** Null for commits, and for what is only about to be made. */
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  /** Of commits. */
  sha: string | null;
  plan: Plan;
  /** Head of the merge request that the author of the text has seen. */
  diffHeadSha: string | undefined;
  /** Whether the text is published with others, as a review. */
  inReview: boolean;
  /** What the quick actions before it change. */
  update: IssuableUpdate;
  /** Names of the labels in `update`, by id. */
  labels: Map<number, string>;
  /** Names of users, labels and issues that the text may still look up. */
  lookups: number;
  /** Whether the text has the branch rebased, so that nothing is merged before. */
  rebaseRequested: boolean;
}

/** What a quick action is executed with, once its text has been written. */
export interface ExecutionContext {
  /** Those of the transaction for `inTransaction`, but not for `afterCommit`. */
  deps: Deps;
  scope: UserScope;
  /** The row as it is by then. */
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  /** Publishes the notes of a review. */
  write: WriteInReview;
}

/** What a quick action does, as evaluated before anything is written. */
export interface Outcome {
  /** Its part of the summary. */
  message?: string;
  /** Its part of `commands_changes`, beside `update`. */
  changes?: Readonly<Record<string, unknown>>;
  /** Merged with that of the others into one change. */
  update?: IssuableUpdate;
  /** Runs in the transaction of the text, after it. @returns the summary instead of `message` */
  inTransaction?: (at: ExecutionContext) => Promise<string | undefined>;
  /** Runs after the transaction: it writes to a repository. @returns the summary instead of `message` */
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
  /** Whether only the first of several in a text is applied: it makes or moves much. */
  once?: true;
  /** Whether it can be applied, by this caller. */
  may(c: Context): boolean | Promise<boolean>;
  /** Changes nothing. @returns undefined where it has no effect */
  evaluate(c: Context, argument: string): Outcome | undefined | Promise<Outcome | undefined>;
}

export const ISSUES = ['Issue'] as const;
export const MERGE_REQUESTS = ['MergeRequest'] as const;
export const BOTH = ['Issue', 'MergeRequest'] as const;

/** The issue or merge request that there is already. */
export const rowOf = ({ issue, mergeRequest }: Pick<Context, 'issue' | 'mergeRequest'>): Issue | MergeRequest | null =>
  issue ?? mergeRequest;

/** How texts call it. */
export const typeName = ({ type }: Context): string => (type === 'MergeRequest' ? 'merge request' : 'issue');

/** Whether the caller may change its title, description and state. */
export async function mayUpdate({ deps, scope, type, issue, mergeRequest }: Context): Promise<boolean> {
  const row = rowOf({ issue, mergeRequest });
  if (row === null || type === 'Commit') return true;
  const target = issuableTarget(deps.db, type, row, scope.caller.user.id);
  return allowsOn(scope.permissions, type === 'Issue' ? 'update_issue' : 'update_merge_request', target);
}

/** Whether the caller may decide about all else of it: labels, people, dates. */
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
