import { allowsOn } from '../../../access/ability-target.ts';
import type { Caller, UserCaller } from '../../../access/caller.ts';
import { closingReferences } from '../../../core/core.references.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { RepositoryReadOnly } from '../../../repositories/read-only.ts';
import { settingsOf } from '../../spaces/index.ts';
import { issuableTarget } from '../issuables/issuables.access.ts';
import { type ClosedBy, closeIssue } from '../issues/issues.state.ts';
import { refreshMergeRequest } from '../merge-requests/mergeability/refresh.ts';
import { messagesOf } from './references.messages.ts';
import { type ResolvedIssue, Resolver } from './references.resolve.ts';
import type { ReferenceScope } from './references.source.ts';
import { actorOf } from './viewer.ts';

/** Maximum number of commits of a merge request whose messages are read. */
const MAX_COMMITS = 100;
/** Maximum number of issues that a merge request or commit closes. */
const MAX_CLOSED = 100;

/** Updates the issues that an open merge request will close, from its title, description and commits. */
export async function syncClosingIssues(
  deps: Deps,
  viewer: UserCaller,
  scope: ReferenceScope,
  mergeRequest: MergeRequest,
): Promise<void> {
  if (mergeRequest.state !== 'opened' && mergeRequest.state !== 'locked') return;
  const current = await inLine(deps, mergeRequest);
  const issues = await issuesToClose(deps, viewer, scope, current);
  await deps.db.transaction().execute(async (db) => {
    const locked = await db
      .updateTable('merge_requests')
      .set((eb) => ({ iid: eb.ref('iid') }))
      .where('id', '=', current.id)
      .executeTakeFirst();
    if (locked.numUpdatedRows === 0n) return;
    await db.deleteFrom('merge_requests_closing_issues').where('merge_request_id', '=', current.id).execute();
    for (const { issue } of issues) {
      // The subquery leaves out issues that were deleted in the meantime.
      await db
        .insertInto('merge_requests_closing_issues')
        .columns(['merge_request_id', 'issue_id'])
        .expression((eb) =>
          eb
            .selectFrom('issues')
            .select((inner) => [inner.val(current.id).as('merge_request_id'), 'issues.id as issue_id'])
            .where('issues.id', '=', issue.id),
        )
        .execute();
    }
  });
}

/**
 * Ids of the issues that merging an open merge request would close, by its current text and commits.
 * @param caller whose view of the issues counts; the author's for anonymous callers
 * @returns null if it is not open, or if its commits are unreadable now: then the stored result counts
 */
export async function currentClosingIssues(
  deps: Deps,
  caller: Caller,
  scope: ReferenceScope,
  mergeRequest: MergeRequest,
): Promise<number[] | null> {
  if (mergeRequest.state !== 'opened') return null;
  const viewer = caller.user === null ? await actorOf(deps, mergeRequest.author_id) : (caller as UserCaller);
  if (viewer === undefined) return null;
  try {
    const issues = await issuesToClose(deps, viewer, scope, await inLine(deps, mergeRequest));
    return issues.map(({ issue }) => issue.id);
  } catch (error) {
    if (error instanceof GitError || error instanceof RepositoryReadOnly) return null;
    throw error;
  }
}

/** Refreshes the merge request if its newest version is not of its head. */
async function inLine(deps: Deps, mergeRequest: MergeRequest): Promise<MergeRequest> {
  const version = await deps.db
    .selectFrom('merge_request_diffs')
    .select('head_commit_sha')
    .where('id', '=', mergeRequest.latest_diff_id)
    .executeTakeFirst();
  if (version?.head_commit_sha === mergeRequest.head_sha) return mergeRequest;
  return refreshMergeRequest(deps, mergeRequest.id);
}

/** Issues that merging would close; none unless the target is the default branch. */
async function issuesToClose(
  deps: Deps,
  viewer: UserCaller,
  scope: ReferenceScope,
  mergeRequest: MergeRequest,
): Promise<ResolvedIssue[]> {
  const repo = repositoryOf(deps, scope.project);
  if (mergeRequest.target_branch !== (await repo.refs.head())) return [];
  const commits = await deps.db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('diff_id', '=', mergeRequest.latest_diff_id)
    .orderBy('position')
    .limit(MAX_COMMITS)
    .execute();
  const messages = await messagesOf(repo, pluck(commits, 'sha'));
  const text = [mergeRequest.title, mergeRequest.description ?? '', ...messages.map(({ message }) => message)];
  const options = { externalUrl: deps.externalUrl() };
  const references = text.flatMap((each) => closingReferences(each, options));
  const issues = await new Resolver(deps, viewer, scope).issues(references.slice(0, MAX_CLOSED));
  return [...new Map(issues.map((each) => [each.issue.id, each])).values()];
}

/** Closes the issues that a merged merge request closes. @param since time of the merge */
export async function closeByMergeRequest(
  deps: Deps,
  merger: UserCaller,
  scope: ReferenceScope,
  mergeRequest: MergeRequest,
  since: string,
): Promise<void> {
  const issues = await issuesToClose(deps, merger, scope, mergeRequest);
  const how = {
    mergeRequestIid: mergeRequest.iid,
    source: { projectId: scope.project.id, mergeRequestId: mergeRequest.id },
  };
  await closeAll(deps, merger, scope, issues, how, since);
}

/**
 * Closes issues that the user may change, if their project enables it. Issues reopened since then stay open, because
 * this may run twice for an event.
 * @param scope project of the merge request or commit
 */
export async function closeAll(
  deps: Deps,
  { user }: UserCaller,
  scope: ReferenceScope,
  issues: readonly ResolvedIssue[],
  how: ClosedBy,
  since: string,
): Promise<void> {
  for (const { issue, project, permissions } of issues.slice(0, MAX_CLOSED)) {
    if (issue.state !== 'opened' || !settingsOf(project).autoclose_referenced_issues) continue;
    await deps.db.transaction().execute(async (db) => {
      if (!(await allowsOn(permissions, 'update_issue', issuableTarget(db, 'Issue', issue, user.id)))) return;
      if (await wasReopened(db, issue.id, since)) return;
      await closeIssue(deps, db, issue, user.id, causeFor(scope, project, how));
    });
  }
}

const causeFor = (scope: ReferenceScope, project: ReferenceScope['project'], how: ClosedBy): ClosedBy =>
  scope.project.id === project.id ? how : { ...how, projectPath: scope.project.full_path };

async function wasReopened(db: Db, issueId: number, since: string): Promise<boolean> {
  const row = await db
    .selectFrom('notes')
    .select('id')
    .where('noteable_type', '=', 'Issue')
    .where('noteable_id', '=', issueId)
    .where('created_at', '>=', since)
    .where('system_action', '=', 'reopened')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
