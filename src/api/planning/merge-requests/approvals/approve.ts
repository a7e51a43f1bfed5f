import type { UserCaller } from '../../../../access/caller.ts';
import { revalidateCaller } from '../../../../access/revalidate.ts';
import { transactionDeps } from '../../../../access/transaction-deps.ts';
import { timestamp } from '../../../../core/clock.ts';
import { conflict, notFound, recordNotFound, unauthorized } from '../../../../core/core.errors.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import { pluck } from '../../../../core/pluck.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { asciiLower } from '../../../../db/like.ts';
import { rowsById } from '../../../../db/rows-by-id.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import { inTransaction } from '../../../../db/transactions.ts';
import type { Deps } from '../../../../deps.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { markTodosDone } from '../../todos/todos.record.ts';
import { lockMergeRequest } from '../lifecycle/merge-requests.lock.ts';
import {
  type ApprovalFacts,
  type ApprovalState,
  approvalState,
  isApproved,
  isApprover,
  missingApprovals,
  readApprovalFacts,
} from './approvals.state.ts';
import { isApprovable } from './description.ts';
import { effectiveApprovalSettings } from './effective-settings.ts';
import { removeApprovals } from './reset.ts';

const MAX_TRIES = 5;
const MAX_PASSWORD = 1_024;

export interface ApproveInput {
  sha?: string;
  approval_password?: string;
}

/** A merge request with its approval state. */
export interface Approved {
  mergeRequest: MergeRequest;
  state: ApprovalState;
}

/** Result of an attempt; without a state, nothing was approved and the caller tries again. */
type Attempt = Pick<Approved, 'mergeRequest'> & Partial<Approved>;

/**
 * Approves a merge request.
 * @throws ApiError 401 if the caller may not approve or already approved, or for a wrong password; 409 if `sha` is not
 *   the head, or if the target branch changes in the meantime
 */
export async function approve(
  deps: Deps,
  caller: UserCaller,
  attributes: MergeRequest,
  input: ApproveInput,
): Promise<Approved> {
  const userIds = [caller.user.id];
  let identified = false;
  let mergeRequest = attributes;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const { heads, reauthenticate } = await lookAhead(deps, mergeRequest);
    if (reauthenticate && !identified) {
      requireApprover(mergeRequest, caller, await readApprovalFacts(deps, deps.db, [mergeRequest], { userIds, heads }));
      refuseOtherHead(mergeRequest, input.sha);
      await requirePassword(deps, caller, input.approval_password);
      identified = true;
    }
    const { mergeRequest: current, state } = await inTransaction(deps.db, async (db): Promise<Attempt> => {
      const now = await lockMergeRequest(db, mergeRequest.id);
      if (now === undefined) throw recordNotFound();
      if (now.target_branch !== attributes.target_branch)
        throw conflict('The target branch was changed in the meantime. Review the merge request and try again.');
      await revalidateCaller(transactionDeps(deps, db), caller);
      // The authors of a new head must be loaded before it can be approved.
      if (now.head_sha !== mergeRequest.head_sha) return { mergeRequest: now };
      const facts = await readApprovalFacts(deps, db, [now], { userIds, heads });
      const settings = requireApprover(now, caller, facts);
      refuseOtherHead(now, input.sha);
      if (settings.require_reauthentication_to_approve && !identified) return { mergeRequest: now };
      return { mergeRequest: now, state: await enterApproval(deps, db, now, facts, caller.user.id) };
    });
    if (state !== undefined) return { mergeRequest: current, state };
    mergeRequest = current;
  }
  throw conflict();
}

function refuseOtherHead({ head_sha }: MergeRequest, sha: string | undefined): void {
  if (sha === undefined || sha === head_sha) return;
  throw conflict(`SHA does not match HEAD of source branch: ${head_sha ?? ''}`);
}

/** Data loaded before the transaction, because git and password checks take long. */
interface Ahead {
  /** E-mail addresses of the authors of the head from git, by merge request: its version may not exist yet. */
  heads: ReadonlyMap<number, ReadonlySet<string>>;
  /** Whether approving requires the caller's password. */
  reauthenticate: boolean;
}

async function lookAhead(deps: Deps, mergeRequest: MergeRequest): Promise<Ahead> {
  const { id, head_sha, project_id, source_project_id } = mergeRequest;
  const projects = await rowsById(deps.db, 'projects', [project_id, source_project_id]);
  const target = projects.get(project_id);
  if (target === undefined) return { heads: new Map(), reauthenticate: false };
  const settings = effectiveApprovalSettings(deps, target);
  const reauthenticate = settings.require_reauthentication_to_approve;
  if (head_sha === null || !settings.merge_requests_disable_committers_approval) {
    return { heads: new Map(), reauthenticate };
  }
  for (const project of projects.values()) {
    const commit = await repositoryOf(deps, project).objects.commit(head_sha);
    if (commit === null) continue;
    const addresses = new Set([commit.author.email, commit.committer.email].map(asciiLower));
    return { heads: new Map([[id, addresses]]), reauthenticate };
  }
  return { heads: new Map(), reauthenticate };
}

/** Returns the settings of the project. @throws ApiError 401 if the caller may not approve */
function requireApprover(
  mergeRequest: MergeRequest,
  { user }: UserCaller,
  { inForce, approvals, voters }: ApprovalFacts,
): ProjectSettings {
  const known = inForce.get(mergeRequest.id);
  if (known === undefined) throw recordNotFound();
  const input = approvals.get(mergeRequest.id) ?? [];
  const may =
    isApprovable(mergeRequest) &&
    !input.some(({ user_id }) => user_id === user.id) &&
    !voters.seemsExcluded(mergeRequest, user.id) &&
    isApprover(mergeRequest, known.rules, user.id, voters);
  if (!may) throw unauthorized();
  return known.settings;
}

/** @throws ApiError 401; 429 after too many wrong passwords */
async function requirePassword(deps: Deps, { user }: UserCaller, password: string | undefined): Promise<void> {
  if (password === undefined || password === '' || password.length > MAX_PASSWORD) throw unauthorized();
  const stored = user.kind === 'human' ? user.password_hash : null;
  if (!(await deps.passwords.check(user.username, password, stored))) throw unauthorized();
}

/** @returns the approval state with the new approval */
async function enterApproval(
  deps: Deps,
  db: Db,
  mergeRequest: MergeRequest,
  facts: ApprovalFacts,
  userId: number,
): Promise<ApprovalState> {
  const { id, project_id, head_sha } = mergeRequest;
  const approval = await db
    .insertInto('approvals')
    .values({ merge_request_id: id, user_id: userId, head_sha: head_sha ?? '', created_at: timestamp(deps.clock) })
    .returningAll()
    .executeTakeFirstOrThrow();
  await setReviewer(db, id, userId, 'approved');
  const target = { type: 'MergeRequest', id, projectId: project_id } as const;
  await markTodosDone(deps, db, target, userId);
  await writeSystemNote(deps, db, target, userId, 'approved', 'approved this merge request');
  const state = approvalState(mergeRequest, facts, [...(facts.approvals.get(id) ?? []), approval])!;
  await deps.events.record(
    db,
    'merge_request.approved',
    {
      merge_request: mergeRequestFacts(mergeRequest),
      merge_request_id: id,
      project_id,
      user_id: userId,
      complete: missingApprovals(state) === 0,
    },
    { projectId: project_id, actorId: userId },
  );
  return state;
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
 * Removes the caller's approval.
 * @throws ApiError 404 if there is none, 401 if the merge request is merged
 */
export async function unapprove(
  deps: Deps,
  caller: UserCaller,
  { id, project_id }: MergeRequest,
): Promise<MergeRequest> {
  const userId = caller.user.id;
  return inTransaction(deps.db, async (db) => {
    const now = await lockMergeRequest(db, id);
    if (now === undefined) throw recordNotFound();
    if (now.state === 'merged') throw unauthorized();
    await revalidateCaller(transactionDeps(deps, db), caller);
    const complete = await isApproved(deps, db, now);
    const { numDeletedRows } = await db
      .deleteFrom('approvals')
      .where('merge_request_id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound();
    await setReviewer(db, id, userId, 'unapproved');
    const target = { type: 'MergeRequest', id, projectId: project_id } as const;
    await writeSystemNote(deps, db, target, userId, 'unapproved', 'unapproved this merge request');
    const payload = { merge_request: mergeRequestFacts(now), merge_request_id: id, project_id, user_id: userId };
    const about = { projectId: project_id, actorId: userId };
    await deps.events.record(db, 'merge_request.unapproved', { ...payload, complete }, about);
    return now;
  });
}

/** Removes all approvals at the request of a bot. @throws ApiError 401 if the merge request is merged */
export async function resetByBot(deps: Deps, { id }: MergeRequest): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const now = await lockMergeRequest(db, id);
    if (now === undefined) throw recordNotFound();
    if (now.state === 'merged') throw unauthorized();
    const input = await db.selectFrom('approvals').select('user_id').where('merge_request_id', '=', id).execute();
    if (input.length > 0) {
      await removeApprovals(db, id, pluck(input, 'user_id'));
    }
  });
}
