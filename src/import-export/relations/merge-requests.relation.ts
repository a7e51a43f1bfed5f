import type { MergeRequest } from '../../db/tables/merge-requests.table.ts';
import { approvalRuleObjects } from './approval-rules.relation.ts';
import { ISSUABLES_AT_ONCE, issuablesRelation } from './issuables.relation.ts';
import type { Exporting } from './relation.ts';
import { nameUsers } from './relations.children.ts';

const USERS = [
  'author_id',
  'closed_by_id',
  'updated_by_id',
  'merge_user_id',
] as const satisfies readonly (keyof MergeRequest)[];

async function read(exporting: Exporting, after: number) {
  const { db, portable } = exporting;
  const rows = await db
    .selectFrom('merge_requests')
    .leftJoin('merge_request_diffs as diff', 'diff.id', 'latest_diff_id')
    .selectAll('merge_requests')
    .select(['diff.base_commit_sha', 'diff.start_commit_sha', 'diff.head_commit_sha'])
    .where('project_id', '=', portable.id)
    .where('iid', '>', after)
    .orderBy('iid')
    .limit(ISSUABLES_AT_ONCE)
    .execute();
  const ids = rows.map(({ id }) => id);
  const reviewers = await db
    .selectFrom('merge_request_reviewers')
    .selectAll()
    .where('merge_request_id', 'in', ids)
    .execute();
  const approvals = await db.selectFrom('approvals').selectAll().where('merge_request_id', 'in', ids).execute();
  for (const { user_id } of [...reviewers, ...approvals]) exporting.names(user_id);
  const rules = await db
    .selectFrom('approval_rules')
    .leftJoin('approval_rules as source', 'source.id', 'approval_rules.source_rule_id')
    .selectAll('approval_rules')
    .select('source.name as source_name')
    .where('approval_rules.merge_request_id', 'in', ids)
    // Code owner rules are computed again after the import.
    .where('approval_rules.rule_type', '!=', 'code_owner')
    .orderBy('approval_rules.id')
    .execute();
  const ruleObjects = await approvalRuleObjects(exporting, rules);
  return rows.map((row) => ({
    ...row,
    reviewers: reviewers.filter(({ merge_request_id }) => merge_request_id === row.id),
    approvals: approvals.filter(({ merge_request_id }) => merge_request_id === row.id),
    rules: rules
      .filter(({ merge_request_id }) => merge_request_id === row.id)
      .map(({ id, source_name }) => ({ ...ruleObjects.get(id)!, source_rule_name: source_name })),
  }));
}

const attributesOf = (row: Awaited<ReturnType<typeof read>>[number]) => ({
  id: row.id,
  iid: row.iid,
  title: row.title,
  description: row.description,
  author_id: row.author_id,
  // A merge in progress is not exported as merged.
  state: row.state === 'locked' ? 'opened' : row.state,
  source_branch: row.source_branch,
  target_branch: row.target_branch,
  source_project_id: row.source_project_id,
  target_project_id: row.project_id,
  draft: row.draft === 1,
  discussion_locked: row.discussion_locked === null ? null : row.discussion_locked === 1,
  allow_collaboration: row.allow_collaboration === 1,
  squash: row.squash === 1,
  approvals_before_merge: row.approvals_before_merge,
  merge_params: { force_remove_source_branch: row.remove_source_branch === 1 },
  diff_head_sha: row.head_sha,
  source_branch_sha: row.head_sha,
  target_branch_sha: row.start_commit_sha,
  merge_user_id: row.merge_user_id,
  merged_at: row.merged_at,
  merge_commit_sha: row.merge_commit_sha,
  squash_commit_sha: row.squash_commit_sha,
  merge_request_diff: {
    base_commit_sha: row.base_commit_sha,
    start_commit_sha: row.start_commit_sha,
    head_commit_sha: row.head_commit_sha,
  },
  time_estimate: row.time_estimate,
  closed_at: row.closed_at,
  closed_by_id: row.closed_by_id,
  updated_by_id: row.updated_by_id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  merge_request_reviewers: row.reviewers.map(({ user_id, state, created_at }) => ({ user_id, state, created_at })),
  approvals: row.approvals.map(({ user_id, created_at, head_sha }) => ({ user_id, created_at, head_sha })),
  approval_rules: row.rules,
});

/** Merge requests of a project with notes, events and other associations, in the order of iids. */
export const mergeRequests = issuablesRelation('merge_requests', 'MergeRequest', read, (exporting, row, attached) => {
  nameUsers(exporting, row, USERS);
  const { assignees, ...rest } = attached;
  return { ...attributesOf(row), merge_request_assignees: assignees, ...rest };
});
