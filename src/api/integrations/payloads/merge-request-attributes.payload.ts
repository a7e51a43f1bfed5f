import type { LabelFacts, MergeRequestFacts } from '../../../core/event-facts.ts';
import { parseJson } from '../../../db/columns.ts';
import type { ApprovalRule } from '../../../db/tables/approval-rules.table.ts';
import type { MergeParams, MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Commit } from '../../../git/objects/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { usersById } from '../../identity/index.ts';
import { headPipelines, isFirstContribution, loadMergeRequestViews, mergeRequestUrl } from '../../planning/index.ts';
import { type AttributeChanges, stateId } from './changes.payload.ts';
import { commitAt, commitPayload, webUrlOf } from './commits.payload.ts';
import { type InitialAssociations, initialAssociationsOf, timesPayload } from './issuable.payload.ts';
import { labelPayload } from './labels.payload.ts';
import { orNull } from './payloads.times.ts';
import { fullProjectPayload, type ProjectForPayload, projectsOf } from './projects.payload.ts';

/** A merge request with all rows needed for payloads. */
export interface MergeRequestForPayload {
  row: MergeRequest;
  target: ProjectForPayload;
  /** Undefined if the fork was deleted. */
  source: ProjectForPayload | undefined;
  labels: readonly LabelFacts[];
  assignees: readonly User[];
  reviewers: readonly { user: User; state: string }[];
  lastCommit: Commit | null;
  detailedStatus: string;
  discussionsResolved: boolean;
  firstContribution: boolean;
  headPipelineId: number | null;
  rules: readonly ApprovalRule[];
}

interface About {
  merge_request_id: number;
  project_id: number;
  merge_request?: MergeRequestFacts;
}

/** Columns of a deleted merge request that events do not record. */
const GONE = {
  allow_collaboration: 0,
  squash: 0,
  approvals_before_merge: null,
  latest_diff_id: null,
  approvals_syncing: 0,
  merge_after: null,
  merged_at: null,
  locked_at: null,
  rebase_started_at: null,
  closed_at: null,
  closed_by_id: null,
  user_notes_count: 0,
  upvotes: 0,
  downvotes: 0,
} as const;

/** Returns the row as recorded with the event, else the current one; undefined if deleted. */
async function rowOf({ db }: Deps, { merge_request_id: id, project_id, merge_request: facts }: About) {
  const row = await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  if (row !== undefined) return { ...row, ...facts } as MergeRequest;
  // Events of earlier versions do not contain enough of a deleted merge request.
  if (facts?.merge_params === undefined) return undefined;
  // The mergeability of a deleted merge request is never checked.
  return { ...GONE, ...facts, id, project_id, merge_status: 'unchecked', merge_user_id: null } as MergeRequest;
}

/**
 * Returns a merge request as recorded with an event, else the current one.
 * @returns undefined if it or its project was deleted
 */
export async function mergeRequestOf(
  deps: Deps,
  about: About,
  known: InitialAssociations & { changes?: AttributeChanges },
): Promise<MergeRequestForPayload | undefined> {
  const row = await rowOf(deps, about);
  const [view] = row === undefined ? [] : await loadMergeRequestViews(deps, [row]);
  if (row === undefined || view === undefined) return undefined;
  const projects = await projectsOf(deps, deps.db, [row.project_id, row.source_project_id]);
  const target = projects.get(row.project_id);
  if (target === undefined) return undefined;
  const {
    labels = view.labels,
    assignee_ids,
    reviewer_ids,
  } = { ...known, ...initialAssociationsOf(known.changes ?? {}) };
  const people = await usersById(deps.db, [...(assignee_ids ?? []), ...(reviewer_ids ?? [])]);
  const those = (ids: readonly number[] | undefined) => ids?.flatMap((id) => people.get(id) ?? []);
  const source = projects.get(row.source_project_id ?? 0);
  return {
    row,
    target,
    source,
    labels,
    assignees: those(assignee_ids) ?? view.assignees,
    reviewers: await withStates(deps, row.id, those(reviewer_ids) ?? view.reviewers),
    lastCommit: await headCommit(deps, row.head_sha, [source, target]),
    detailedStatus: view.detailedStatus,
    discussionsResolved: view.discussionsResolved,
    firstContribution: await isFirstContribution(deps, { project: target.row, namespace: target.namespace }, row),
    headPipelineId: (await headPipelines(deps.db, [row])).get(row.id)?.id ?? null,
    rules: await deps.db
      .selectFrom('approval_rules')
      .selectAll()
      .where('merge_request_id', '=', row.id)
      .orderBy('id')
      .execute(),
  };
}

async function withStates({ db }: Deps, id: number, users: readonly User[]) {
  if (users.length === 0) return [];
  const rows = await db
    .selectFrom('merge_request_reviewers')
    .select(['user_id', 'state'])
    .where('merge_request_id', '=', id)
    .execute();
  const states = new Map(rows.map(({ user_id, state }) => [user_id, state]));
  return users.map((user) => ({ user, state: states.get(user.id) ?? 'unreviewed' }));
}

/** Returns the head commit, which is fetched to the target project with some delay. */
async function headCommit(deps: Deps, sha: string | null, places: readonly (ProjectForPayload | undefined)[]) {
  if (sha === null) return null;
  for (const project of places) {
    const commit = project === undefined ? null : await commitAt(repositoryOf(deps, project.row), sha);
    if (commit !== null) return commit;
  }
  return null;
}

/** All states of a running check have one name in payloads. */
const shownStatus = (status: string): string =>
  status === 'preparing' || status === 'cannot_be_merged_rechecking' ? 'checking' : status;

function mergeParamsPayload({ merge_params, remove_source_branch }: MergeRequest) {
  const { approvals: _, automatic: __, ...params } = parseJson<MergeParams>(merge_params);
  return { force_remove_source_branch: remove_source_branch === 1 ? '1' : '0', ...params };
}

const presentRule = (rule: ApprovalRule, write: (instant: string) => string) => ({
  id: rule.id,
  name: rule.name,
  rule_type: rule.rule_type,
  report_type: rule.report_type,
  approvals_required: rule.approvals_required,
  section: rule.section,
  merge_request_id: rule.merge_request_id,
  modified_from_project_rule: rule.overridden === 1,
  created_at: write(rule.created_at),
  updated_at: write(rule.updated_at),
});

/** Attributes of a merge request in all payloads about it or its notes. */
export function mergeRequestAttributes(
  deps: Deps,
  mergeRequest: MergeRequestForPayload,
  write: (instant: string) => string,
  changes: AttributeChanges = {},
) {
  const { row, target, source, lastCommit, assignees, reviewers } = mergeRequest;
  const ids = assignees.map((user) => user.id);
  const home = source ?? target;
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    description: row.description,
    author_id: row.author_id,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_branch: row.target_branch,
    target_project_id: row.project_id,
    milestone_id: row.milestone_id,
    assignee_ids: ids,
    assignee_id: ids[0] ?? null,
    reviewer_ids: reviewers.map(({ user }) => user.id),
    created_at: write(row.created_at),
    updated_at: write(row.updated_at),
    prepared_at: orNull(write, row.prepared_at),
    updated_by_id: row.updated_by_id,
    last_edited_at: null,
    last_edited_by_id: null,
    state_id: stateId(row.state),
    state: row.state,
    draft: row.draft === 1,
    work_in_progress: row.draft === 1,
    discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
    blocking_discussions_resolved: mergeRequest.discussionsResolved,
    first_contribution: mergeRequest.firstContribution,
    head_pipeline_id: mergeRequest.headPipelineId,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    merge_error: row.merge_error,
    merge_params: mergeParamsPayload(row),
    merge_status: shownStatus(row.merge_status),
    detailed_merge_status: mergeRequest.detailedStatus,
    merge_user_id: row.merge_user_id,
    merge_when_pipeline_succeeds: row.auto_merge === 1,
    ...timesPayload(row, changes),
    url: mergeRequestUrl(deps, target.row.full_path, row.iid),
    source: source === undefined ? null : fullProjectPayload(deps, source),
    target: fullProjectPayload(deps, target),
    last_commit: lastCommit === null ? null : commitPayload(lastCommit, webUrlOf(deps, home.row.full_path)),
    labels: mergeRequest.labels.map(labelPayload),
    approval_rules: mergeRequest.rules.map((rule) => presentRule(rule, write)),
  };
}
