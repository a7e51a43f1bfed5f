import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { GitError } from '../../../../git/common/index.ts';
import { changedPaths } from '../../../../git/diff/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import { settingsOf } from '../../../spaces/index.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { projectOf } from '../lifecycle/merge-requests.projects.ts';
import type { OpenMergeRequest } from '../lifecycle/open-branches.ts';
import { entriesForPaths, readCodeOwners, resolveOwners } from './approvals.code-owners.ts';
import { isApproved } from './approvals.state.ts';
import { eligibleApprovers } from './eligible.ts';
import { mergeRequestRules } from './rule-store.ts';

/** Users whose approvals a push removes, or everyone. */
export type ApprovalsToReset = ReadonlySet<number> | 'everyone';

/**
 * Users whose approvals a push to the source branch removes, for merge requests whose target project resets only
 * approvals of code owners: the owners of the changed files.
 * @param head new commit of the branch
 * @returns users by merge request id
 */
export async function ownersOfChanges(
  deps: Deps,
  repo: Repository,
  open: readonly OpenMergeRequest[],
  head: string,
): Promise<Map<number, ApprovalsToReset>> {
  const owners = new Map<number, ApprovalsToReset>();
  for (const row of open) {
    const { reset_approvals_on_push, selective_code_owner_removals } = settingsOf(row);
    if (reset_approvals_on_push || !selective_code_owner_removals || row.head_sha === null) continue;
    const target = await projectOf(deps.db, row.project_id);
    if (target !== undefined) owners.set(row.id, await ownersOf(deps, repo, target, row, head));
  }
  return owners;
}

async function ownersOf(
  deps: Deps,
  repo: Repository,
  target: Project,
  { head_sha, target_branch }: OpenMergeRequest,
  head: string,
): Promise<ApprovalsToReset> {
  try {
    const entries = await readCodeOwners(repositoryOf(deps, target), target_branch);
    if (entries.length === 0) return new Set();
    const changed = await entriesForPaths(entries, await changedPaths(repo, head_sha!, head));
    const users = await eligibleApprovers(deps, deps.db, target.id, await resolveOwners(deps.db, changed));
    return new Set(users.flat().map(({ id }) => id));
  } catch (error) {
    // The changes are unknown (the old head is gone, or the diff is too large): all approvals go.
    if (error instanceof GitError) return 'everyone';
    throw error;
  }
}

/** Data of a push that resets approvals. */
interface PushedHead {
  /** Settings of the target project, as stored in its row. */
  settings: string;
  head: string;
  /** Result of `ownersOfChanges`. */
  whose: ApprovalsToReset | undefined;
  /** Who pushed; null for a deploy token or the system. */
  userId: number | null;
}

/**
 * Removes approvals in the transaction that records a push: all of them, or those of the owners of changed files, as
 * the target project is configured. With resets enabled, an approval never outlives the head that it was given for.
 */
export async function resetForPush(
  deps: Deps,
  db: Db,
  row: MergeRequest,
  { settings, head, whose, userId }: PushedHead,
): Promise<void> {
  const { id, project_id } = row;
  const doomed = settingsOf({ settings }).reset_approvals_on_push ? 'everyone' : whose;
  if (doomed === undefined) return;
  const input = await db
    .selectFrom('approvals')
    .select('user_id')
    .where('merge_request_id', '=', id)
    .where('head_sha', '!=', head)
    .execute();
  const users = input.map(({ user_id }) => user_id);
  const gone = doomed === 'everyone' ? users : users.filter((user) => doomed.has(user));
  if (gone.length === 0) return;
  const complete = await isApproved(deps, db, row);
  await removeApprovals(db, id, gone);
  await recordReset(deps, db, row, { gone, userId, complete, all: doomed === 'everyone' });
  if (userId === null) return;
  const text = `reset approvals from ${await namesOf(db, gone)} by pushing to the branch`;
  await writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId: project_id }, userId, 'approvals_reset', text);
}

/** Records each approval that a push removed; with the last one, the merge request loses its approved state. */
async function recordReset(
  deps: Deps,
  db: Db,
  row: MergeRequest,
  { gone, userId, complete, all }: { gone: readonly number[]; userId: number | null; complete: boolean; all: boolean },
): Promise<void> {
  const { id, project_id } = row;
  const merge_request = mergeRequestFacts(row);
  const system_action = all ? 'approvals_reset_on_push' : 'code_owner_approvals_reset_on_push';
  const payloads = gone.map(
    (user_id, at) =>
      ({
        merge_request,
        merge_request_id: id,
        project_id,
        user_id,
        complete: complete && at === gone.length - 1,
        system_action,
      }) as const,
  );
  await deps.events.recordAll(db, 'merge_request.unapproved', payloads, { projectId: project_id, actorId: userId });
}

/**
 * Removes approvals in the transaction that changes the target branch, by the project's rules for pushes: the reviewed
 * changes differ from those to be merged. If only code owners matter, only their approvals are removed.
 * @param actorId id of the user who changes it
 */
export async function resetForTarget(
  deps: Deps,
  db: Db,
  { id, project_id }: MergeRequest,
  actorId: number,
): Promise<void> {
  const target = await projectOf(db, project_id);
  if (target === undefined) return;
  const settings = settingsOf(target);
  if (!settings.reset_approvals_on_push && !settings.selective_code_owner_removals) return;
  const input = await db.selectFrom('approvals').select('user_id').where('merge_request_id', '=', id).execute();
  const users = input.map(({ user_id }) => user_id);
  const owners = settings.reset_approvals_on_push ? users : await codeOwnersOf(db, id);
  const gone = users.filter((user) => owners.includes(user));
  if (gone.length === 0) return;
  await removeApprovals(db, id, gone);
  const text = `reset approvals from ${await namesOf(db, gone)} by changing the target branch`;
  await writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId: target.id }, actorId, 'approvals_reset', text);
}

/** Users named by the code owner rules of the merge request, directly or by a group. */
async function codeOwnersOf(db: Db, id: number): Promise<number[]> {
  const rules = (await mergeRequestRules(db, [id])).filter(({ rule_type }) => rule_type === 'code_owner');
  const groups = [...new Set(rules.flatMap(({ groupIds }) => groupIds))];
  const members =
    groups.length === 0
      ? []
      : await db
          .selectFrom('members')
          .select('user_id')
          .where('source_type', '=', 'group')
          .where('source_id', 'in', groups)
          .execute();
  return [...rules.flatMap(({ userIds }) => userIds), ...members.map(({ user_id }) => user_id)];
}

/** Removes the approvals of the users and resets their reviewer state. */
export async function removeApprovals(db: Db, mergeRequestId: number, userIds: readonly number[]): Promise<void> {
  await db
    .deleteFrom('approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', 'in', userIds)
    .execute();
  await db
    .updateTable('merge_request_reviewers')
    .set({ state: 'unapproved' })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', 'in', userIds)
    .where('state', '=', 'approved')
    .execute();
}

/** `@a, @b and @c` */
async function namesOf(db: Db, userIds: readonly number[]): Promise<string> {
  const users = await db.selectFrom('users').select('username').where('id', 'in', userIds).orderBy('id').execute();
  const names = users.map(({ username }) => `@${username}`);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
