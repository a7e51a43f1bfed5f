import type { Db } from '../../../../db/schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.ts';
import type { Project } from '../../../../db/tables/projects.ts';
import type { RefChange } from '../../../../db/tables/repositories.ts';
import type { Deps } from '../../../../deps.ts';
import { changedPaths } from '../../../../git/changed-paths.ts';
import { GitError } from '../../../../git/errors.ts';
import type { Repository } from '../../../../git/repository.ts';
import { repositoryOf } from '../../../../repositories/change-refs.ts';
import type { RefObserver } from '../../../../repositories/ref-observers.ts';
import { settingsOf } from '../../../spaces/index.ts';
import { writeSystemNote } from '../../notes/system-note.ts';
import { openAmong } from '../requests/open-branches.ts';
import { entriesForPaths, readCodeOwners, resolveOwners } from './code-owners.ts';
import { eligibleApprovers } from './eligible.ts';
import { lockMergeRequest } from './lock.ts';
import { mergeRequestRules } from './rule-store.ts';

const HEADS = 'refs/heads/';

/** Whose approvals a push takes away from merge requests of a project that only minds code owners: ids, by merge request. */
type OwnersOfChanges = ReadonlyMap<number, ReadonlySet<number> | 'everyone'>;

/**
 * Takes approvals away in the transaction that records a push: all of them, or those of the owners of what was changed,
 * as the target project says. None is ever there for a head that it was not given for, where approvals are reset.
 */
export const resetApprovals =
  (deps: Deps): RefObserver =>
  async (repo, { holder, updates, userId }) => {
    const moved = updates.filter(({ ref, new: head }) => ref.startsWith(HEADS) && head !== null);
    if (holder.type !== 'project' || moved.length === 0) return null;
    const branches = moved.map(nameOf);
    const owners = new Map<number, ReadonlySet<number> | 'everyone'>();
    const before = await openAmong(deps.db, 'source', holder.id, branches);
    for (const update of moved.filter((each) => before.has(nameOf(each)))) {
      await findOwners(deps, repo, holder.id, update, owners);
    }
    return async (db) => {
      const sources = await openAmong(db, 'source', holder.id, branches);
      for (const { ref, new: head } of moved.filter((each) => sources.has(nameOf(each)))) {
        for (const { id } of await openFrom(db, holder.id, ref)) await reset(deps, db, id, head!, owners, userId);
      }
    };
  };

const nameOf = ({ ref }: RefChange): string => ref.slice(HEADS.length);

const openFrom = (db: Db, projectId: number, ref: string): Promise<MergeRequest[]> =>
  db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', ref.slice(HEADS.length))
    .where('state', 'in', ['opened', 'locked'])
    .orderBy('id')
    .execute();

const projectOf = (db: Db, id: number): Promise<Project | undefined> =>
  db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();

async function findOwners(
  deps: Deps,
  repo: Repository,
  projectId: number,
  { ref, new: head }: RefChange,
  owners: Map<number, ReadonlySet<number> | 'everyone'>,
): Promise<void> {
  for (const mergeRequest of await openFrom(deps.db, projectId, ref)) {
    const target = await projectOf(deps.db, mergeRequest.project_id);
    if (target === undefined || mergeRequest.head_sha === null) continue;
    const settings = settingsOf(target);
    if (settings.reset_approvals_on_push || !settings.selective_code_owner_removals) continue;
    owners.set(mergeRequest.id, await ownersOf(deps, repo, target, mergeRequest, head!));
  }
}

async function ownersOf(
  deps: Deps,
  repo: Repository,
  target: Project,
  { head_sha, target_branch }: MergeRequest,
  head: string,
): Promise<ReadonlySet<number> | 'everyone'> {
  try {
    const entries = await readCodeOwners(repositoryOf(deps, target), target_branch);
    if (entries.length === 0) return new Set();
    const changed = await entriesForPaths(entries, await changedPaths(repo, head_sha!, head));
    const users = await eligibleApprovers(deps, deps.db, target.id, await resolveOwners(deps.db, changed));
    return new Set(users.flat().map(({ id }) => id));
  } catch (error) {
    // What has changed cannot be told (the old head is gone, or the change is too large): nobody has seen it.
    if (error instanceof GitError) return 'everyone';
    throw error;
  }
}

async function reset(
  deps: Deps,
  db: Db,
  id: number,
  head: string,
  owners: OwnersOfChanges,
  pusherId: number | null,
): Promise<void> {
  const mergeRequest = await lockMergeRequest(db, id);
  const target = mergeRequest && (await projectOf(db, mergeRequest.project_id));
  if (target === undefined) return;
  const whose = settingsOf(target).reset_approvals_on_push ? 'everyone' : owners.get(id);
  if (whose === undefined) return;
  const given = await db
    .selectFrom('approvals')
    .select(['id', 'user_id'])
    .where('merge_request_id', '=', id)
    .where('head_sha', '!=', head)
    .execute();
  const gone = whose === 'everyone' ? given : given.filter(({ user_id }) => whose.has(user_id));
  if (gone.length === 0) return;
  await removeApprovals(
    db,
    id,
    gone.map(({ user_id }) => user_id),
  );
  if (pusherId === null) return;
  const names = await namesOf(
    db,
    gone.map(({ user_id }) => user_id),
  );
  const text = `reset approvals from ${names} by pushing to the branch`;
  await writeSystemNote(
    deps,
    db,
    { type: 'MergeRequest', id, projectId: target.id },
    pusherId,
    'approvals_reset',
    text,
  );
}

/**
 * Takes approvals away in the transaction that changes the target branch, as the project says of pushes: what was
 * reviewed is not what would be merged. Where only code owners are minded, these are asked again.
 * @param actorId who changes it
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
  const given = await db.selectFrom('approvals').select('user_id').where('merge_request_id', '=', id).execute();
  const users = given.map(({ user_id }) => user_id);
  const owners = settings.reset_approvals_on_push ? users : await codeOwnersOf(db, id);
  const gone = users.filter((user) => owners.includes(user));
  if (gone.length === 0) return;
  await removeApprovals(db, id, gone);
  const text = `reset approvals from ${await namesOf(db, gone)} by changing the target branch`;
  await writeSystemNote(deps, db, { type: 'MergeRequest', id, projectId: target.id }, actorId, 'approvals_reset', text);
}

/** Users whom the merge request's rules of code owners name, themselves or by a group. */
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

/** Takes the approvals of these users away, and lets them be reviewers who have not approved. */
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
