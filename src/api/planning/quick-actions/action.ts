import type { Plan } from '../../../access/plan.ts';
import { allowsOn } from '../../../access/targets.ts';
import type { Issue } from '../../../db/tables/issues.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.ts';
import type { Deps } from '../../../deps.ts';
import type { UserScope } from '../../object-access.ts';
import type { WriteInReview } from '../draft-notes/publish.ts';
import { issuableTarget } from '../issuables/access.ts';

export type TargetType = 'Issue' | 'MergeRequest' | 'Commit';

/** What the quick actions of one text want an issue or merge request to be, in the platform's names. */
export interface Wanted {
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

/** What a quick action knows as it is read: nothing has been changed by then. */
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
  /** Head of the merge request that the writer has seen. */
  seenHead: string | undefined;
  /** Whether the text is published with others, as a review. */
  inReview: boolean;
  /** What the quick actions before it want. */
  wanted: Wanted;
  /** Names of the labels that are wanted, by id. */
  labels: Map<number, string>;
  /** Names of users, labels and issues that the text may still look up. */
  lookups: number;
  /** Whether the text has the branch rebased, so that nothing is merged before. */
  rebases: boolean;
}

/** Where a quick action works once its text has been written. */
export interface Doing {
  /** Within the transaction for `within`, outside of it for `after`. */
  deps: Deps;
  scope: UserScope;
  /** The row as it is by then. */
  issue: Issue | null;
  mergeRequest: MergeRequest | null;
  /** Publishes the notes of a review. */
  write: WriteInReview;
}

/** What a quick action comes to. */
export interface Outcome {
  /** What is told of it. */
  message?: string;
  /** What is shown of it as `commands_changes`, beside `wanted`. */
  changes?: Readonly<Record<string, unknown>>;
  /** Joins what the others want: one change for all. */
  wanted?: Wanted;
  /** Done in the transaction of the text, after it. @returns what is told instead of `message` */
  within?: (at: Doing) => Promise<string | undefined>;
  /** Done after the transaction: it writes to a repository. @returns what is told instead of `message` */
  after?: (at: Doing) => Promise<string | undefined>;
}

export interface QuickAction {
  name: string;
  aliases?: readonly string[];
  on: readonly TargetType[];
  /** Whether it does something to what is only about to be made. */
  atCreation?: true;
  /** Whether nothing follows from it without an argument. */
  takes?: 'argument';
  /** Whether of several in a text the first acts alone: it makes or moves much. */
  once?: true;
  /** Whether it can be applied, by this caller. */
  may(c: Context): boolean | Promise<boolean>;
  /** @returns undefined where nothing follows from it */
  run(c: Context, argument: string): Outcome | undefined | Promise<Outcome | undefined>;
}

export const ISSUES = ['Issue'] as const;
export const MERGE_REQUESTS = ['MergeRequest'] as const;
export const BOTH = ['Issue', 'MergeRequest'] as const;

/** The issue or merge request that there is already. */
export const rowOf = ({ issue, mergeRequest }: Pick<Context, 'issue' | 'mergeRequest'>): Issue | MergeRequest | null =>
  issue ?? mergeRequest;

/** How texts call it. */
export const nounOf = ({ type }: Context): string => (type === 'MergeRequest' ? 'merge request' : 'issue');

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
export function sentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}

export const plural = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);
