import type { Variable } from '../../ci/variables/variable.ts';
import type { Db } from '../../db/db.schema.ts';
import { prepared } from '../../db/prepared.ts';
import { rowsById } from '../../db/rows-by-id.ts';
import type { MergeRequest } from '../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../deps.ts';
import { isProtectedRef } from '../pipelines.run-rights.ts';
import type { MergeRequestFacts, PipelineFacts } from './pipeline-variables.facts.ts';
import { flag, publicVariable, publicVariables } from './values.ts';

/** Maximum length of the description in variables. */
const MAX_DESCRIPTION = 2_700;
const MAX_OPEN = 4;

/** Variables about the merge request of a pipeline. */
export async function mergeRequestVariables(deps: Deps, db: Db, facts: PipelineFacts): Promise<Variable[]> {
  if (!facts.mergeRequest) return [];
  const { row, eventType, sourceSha, targetSha } = facts.mergeRequest;
  const projects = await rowsById(db, 'projects', [row.project_id, row.source_project_id], ['full_path']);
  const source = projects.get(row.source_project_id ?? 0)?.full_path;
  const target = projects.get(row.project_id)?.full_path;
  const web = (path: string | undefined) => (path === undefined ? null : `${deps.externalUrl()}/${path}`);
  const description = row.description ?? '';
  const diff = await diffOf(db, facts, facts.mergeRequest);
  return [
    ...publicVariables({
      CI_MERGE_REQUEST_ID: row.id,
      CI_MERGE_REQUEST_IID: row.iid,
      CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${row.iid}/head`,
      CI_MERGE_REQUEST_PROJECT_ID: row.project_id,
      CI_MERGE_REQUEST_PROJECT_PATH: target,
      CI_MERGE_REQUEST_PROJECT_URL: web(target),
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: row.target_branch,
      CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: flag(
        await isProtectedRef(deps, row.project_id, 'branch', row.target_branch),
      ),
      CI_MERGE_REQUEST_TITLE: row.title,
      CI_MERGE_REQUEST_DRAFT: flag(row.draft === 1),
      CI_MERGE_REQUEST_DESCRIPTION: description.slice(0, MAX_DESCRIPTION),
      CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: flag(description.length > MAX_DESCRIPTION),
      CI_MERGE_REQUEST_SQUASH_ON_MERGE: flag(row.squash === 1),
    }),
    ...(await peopleAndLabels(db, row)),
    ...publicVariables({
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: row.source_project_id,
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: source,
      CI_MERGE_REQUEST_SOURCE_PROJECT_URL: web(source),
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: row.source_branch,
      CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED: flag(
        source !== undefined && (await isProtectedRef(deps, row.source_project_id!, 'branch', row.source_branch)),
      ),
      CI_MERGE_REQUEST_EVENT_TYPE: eventType,
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sourceSha ?? '',
      CI_MERGE_REQUEST_TARGET_BRANCH_SHA: targetSha ?? '',
      CI_MERGE_REQUEST_DIFF_ID: diff?.id,
      CI_MERGE_REQUEST_DIFF_BASE_SHA: diff?.base_commit_sha,
      CI_MERGE_REQUEST_APPROVED: (await deps.isApproved.call(db, row)) ? 'true' : null,
    }),
  ];
}

const openFrom = prepared((db, { project, branch }: { project: number; branch: string }) =>
  db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select(['projects.full_path', 'merge_requests.iid'])
    .where('merge_requests.source_project_id', '=', project)
    .where('merge_requests.source_branch', '=', branch)
    .where('merge_requests.state', '=', 'opened')
    .orderBy('merge_requests.id')
    .limit(MAX_OPEN),
);

/** Open merge requests from the pipeline's branch, in any project. */
export async function openMergeRequests(db: Db, facts: PipelineFacts): Promise<Variable[]> {
  if (facts.refType === 'tag') return [];
  const project = facts.mergeRequest?.row.source_project_id ?? facts.project.id;
  const rows = await openFrom(db, { project, branch: facts.ref });
  if (rows.length === 0) return [];
  return publicVariable('CI_OPEN_MERGE_REQUESTS', rows.map(({ full_path, iid }) => `${full_path}!${iid}`).join(','));
}

/** Assignees, milestone and labels, if set. */
async function peopleAndLabels(db: Db, row: MergeRequest): Promise<Variable[]> {
  const assignees = await db
    .selectFrom('issuable_assignees')
    .innerJoin('users', 'users.id', 'issuable_assignees.user_id')
    .select('users.username')
    .where('issuable_type', '=', 'MergeRequest')
    .where('issuable_id', '=', row.id)
    .orderBy('users.id')
    .execute();
  const labels = await db
    .selectFrom('issuable_labels')
    .innerJoin('labels', 'labels.id', 'issuable_labels.label_id')
    .select('labels.name')
    .where('issuable_type', '=', 'MergeRequest')
    .where('issuable_id', '=', row.id)
    .orderBy('labels.name')
    .execute();
  const milestone =
    row.milestone_id === null
      ? undefined
      : await db.selectFrom('milestones').select('title').where('id', '=', row.milestone_id).executeTakeFirst();
  const list = (names: string[]) => (names.length === 0 ? null : names.join(','));
  return publicVariables({
    CI_MERGE_REQUEST_ASSIGNEES: list(assignees.map(({ username }) => username)),
    CI_MERGE_REQUEST_MILESTONE: milestone?.title,
    CI_MERGE_REQUEST_LABELS: list(labels.map(({ name }) => name)),
  });
}

/** The version of the merge request for the pipeline: that of its head, else the latest. */
async function diffOf(db: Db, { sha }: PipelineFacts, { row, sourceSha }: MergeRequestFacts) {
  const columns = ['id', 'base_commit_sha'] as const;
  const own = await db
    .selectFrom('merge_request_diffs')
    .select(columns)
    .where('merge_request_id', '=', row.id)
    .where('head_commit_sha', '=', sourceSha ?? sha)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (own !== undefined || row.latest_diff_id === null) return own;
  return db.selectFrom('merge_request_diffs').select(columns).where('id', '=', row.latest_diff_id).executeTakeFirst();
}
