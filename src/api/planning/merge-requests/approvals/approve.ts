import { isTokenBot, type UserCaller } from '../../../../access/caller.ts';
import { callerNow } from '../../../../access/caller-now.ts';
import { within } from '../../../../access/within.ts';
import { timestamp } from '../../../../core/clock.ts';
import { conflict, notFound, recordNotFound, unauthorized } from '../../../../core/errors.ts';
import { asciiLower } from '../../../../db/like.ts';
import type { Db } from '../../../../db/schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { Deps } from '../../../../deps.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { settingsOf } from '../../../spaces/index.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { settleTodos } from '../../todos/record.ts';
import { lockMergeRequest } from '../requests/lock.ts';
import { isApprovable } from './description.ts';
import { removeApprovals } from './reset.ts';
import { approvalStates, isApprover, leftOf, loadRulesInForce } from './state.ts';
import { loadVoters } from './voters.ts';

const MAX_TRIES = 5;
const MAX_PASSWORD = 1_024;

export interface ApproveInput {
  sha?: string;
  approval_password?: string;
}

/**
 * Approves a merge request as it is now.
 * @throws ApiError 401 for those who may not approve or have done so, and for a wrong password; 409 when `sha` is not
 *   the head, and where the target branch is changed meanwhile
 */
export async function approve(
  deps: Deps,
  caller: UserCaller,
  given: MergeRequest,
  input: ApproveInput,
): Promise<MergeRequest> {
  let identified = false;
  let mergeRequest = given;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const heads = await headPeople(deps, mergeRequest);
    const { reauthenticate } = await requireApprover(deps, deps.db, mergeRequest, caller, heads);
    refuseOtherHead(mergeRequest, input.sha);
    if (reauthenticate && !identified) await requirePassword(deps, caller, input.approval_password);
    identified = identified || reauthenticate;
    const approved = await deps.db.transaction().execute(async (db) => {
      const now = await lockMergeRequest(db, mergeRequest.id);
      if (now === undefined) throw recordNotFound();
      refuseOtherHead(now, input.sha);
      if (now.target_branch !== given.target_branch) throw conflict('The target branch was changed meanwhile');
      await callerNow(within(deps, db), caller);
      // Who has made a new head is to be found out before it can be approved.
      if (now.head_sha !== mergeRequest.head_sha) return now;
      const required = await requireApprover(deps, db, now, caller, heads);
      if (required.reauthenticate && !identified) return now;
      await enterApproval(deps, db, now, caller.user.id);
      return null;
    });
    if (approved === null) {
      return mergeRequest;
    }
    mergeRequest = approved;
  }
  throw conflict();
}

function refuseOtherHead({ head_sha }: MergeRequest, sha: string | undefined): void {
  if (sha === undefined || sha === head_sha) return;
  throw conflict(`SHA does not match HEAD of source branch: ${head_sha ?? ''}`);
}

/** Addresses of whoever made the head, where git can tell: its version may not have been made yet. */
async function headPeople(deps: Deps, mergeRequest: MergeRequest): Promise<Map<number, ReadonlySet<string>>> {
  const { id, head_sha, project_id, source_project_id } = mergeRequest;
  if (head_sha === null) return new Map();
  const projects = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', 'in', [project_id, source_project_id ?? project_id])
    .execute();
  const target = projects.find((project) => project.id === project_id);
  if (target === undefined || !settingsOf(target).merge_requests_disable_committers_approval) return new Map();
  for (const project of projects) {
    const commit = await repositoryOf(deps, project).objects.commit(head_sha);
    if (commit === null) continue;
    return new Map([[id, new Set([commit.author.email, commit.committer.email].map(asciiLower))]]);
  }
  return new Map();
}

/** @throws ApiError 401 for callers whose approval is not wanted */
async function requireApprover(
  deps: Deps,
  db: Db,
  mergeRequest: MergeRequest,
  caller: UserCaller,
  heads: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<{ reauthenticate: boolean }> {
  const { id, project_id } = mergeRequest;
  const userId = caller.user.id;
  const inForce = (await loadRulesInForce(db, [mergeRequest])).get(id);
  if (inForce === undefined) throw recordNotFound();
  const { rules, settings } = inForce;
  const voters = await loadVoters(deps, db, {
    mergeRequests: [mergeRequest],
    settings: new Map([[project_id, settings]]),
    rules: rules.flatMap(({ rule }) => rule ?? []),
    userIds: [userId],
    heads,
  });
  const given = await db
    .selectFrom('approvals')
    .select('id')
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const may =
    isApprovable(mergeRequest) &&
    given === undefined &&
    !voters.isExcluded(mergeRequest, userId) &&
    isApprover(mergeRequest, rules, userId, voters);
  if (!may) throw unauthorized();
  return { reauthenticate: settings.require_reauthentication_to_approve };
}

/** @throws ApiError 401; 429 after too many wrong passwords */
async function requirePassword(deps: Deps, { user }: UserCaller, password: string | undefined): Promise<void> {
  if (password === undefined || password === '' || password.length > MAX_PASSWORD) throw unauthorized();
  const stored = user.kind === 'human' ? user.password_hash : null;
  if (!(await deps.passwords.check(user.username, password, stored))) throw unauthorized();
}

async function enterApproval(deps: Deps, db: Db, mergeRequest: MergeRequest, userId: number): Promise<void> {
  const { id, project_id, head_sha } = mergeRequest;
  await db
    .insertInto('approvals')
    .values({ merge_request_id: id, user_id: userId, head_sha: head_sha ?? '', created_at: timestamp(deps.clock) })
    .execute();
  await setReviewer(db, id, userId, 'approved');
  const target = { type: 'MergeRequest', id, projectId: project_id } as const;
  await settleTodos(deps, db, target, userId);
  await writeSystemNote(deps, db, target, userId, 'approved', 'approved this merge request');
  const state = (await approvalStates(deps, db, [mergeRequest])).get(id)!;
  await deps.events.record(
    db,
    'merge_request.approved',
    { merge_request_id: id, project_id, user_id: userId, complete: leftOf(state) === 0 },
    { projectId: project_id, actorId: userId },
  );
}

async function setReviewer(
  db: Db,
  mergeRequestId: number,
  userId: number,
  state: 'approved' | 'unapproved',
): Promise<void> {
  await db
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .execute();
}

/**
 * Takes the caller's approval back.
 * @throws ApiError 404 where there is none, 401 once it is merged
 */
export async function unapprove(
  deps: Deps,
  caller: UserCaller,
  { id, project_id }: MergeRequest,
): Promise<MergeRequest> {
  const userId = caller.user.id;
  return deps.db.transaction().execute(async (db) => {
    const now = await lockMergeRequest(db, id);
    if (now === undefined) throw recordNotFound();
    if (now.state === 'merged') throw unauthorized();
    await callerNow(within(deps, db), caller);
    const { numDeletedRows } = await db
      .deleteFrom('approvals')
      .where('merge_request_id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound();
    await setReviewer(db, id, userId, 'unapproved');
    const target = { type: 'MergeRequest', id, projectId: project_id } as const;
    await writeSystemNote(deps, db, target, userId, 'unapproved', 'unapproved this merge request');
    const payload = { merge_request_id: id, project_id, user_id: userId };
    await deps.events.record(db, 'merge_request.unapproved', payload, { projectId: project_id, actorId: userId });
    return now;
  });
}

/**
 * Takes all approvals away, at the request of a bot.
 * @throws ApiError 401 for people, and once it is merged
 */
export async function resetByBot(
  deps: Deps,
  caller: UserCaller,
  mayUpdate: boolean,
  { id }: MergeRequest,
): Promise<void> {
  if (!isTokenBot(caller.user) || !mayUpdate) throw unauthorized();
  await deps.db.transaction().execute(async (db) => {
    const now = await lockMergeRequest(db, id);
    if (now === undefined) throw recordNotFound();
    if (now.state === 'merged') throw unauthorized();
    const given = await db.selectFrom('approvals').select('user_id').where('merge_request_id', '=', id).execute();
    if (given.length > 0) {
      await removeApprovals(
        db,
        id,
        given.map(({ user_id }) => user_id),
      );
    }
  });
}
