import { effectiveMemberships } from '../../../../access/effective-memberships.ts';
import { type EffectiveMembership, grantsInProject } from '../../../../access/role-permissions.ts';
import { AccessLevel } from '../../../../core/access-levels.ts';
import { today } from '../../../../core/clock.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { asciiLower } from '../../../../db/like.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import type { ProjectSettings } from '../../../spaces/index.ts';
import type { StoredRule } from './rule-store.ts';

/** Approval rights of a set of users. */
export interface Voters {
  /** Whether the user may approve by access level or role permission; deleted and blocked users may not. */
  mayApprove(projectId: number, userId: number): boolean;
  /**
   * Whether the rule names the user directly, by a group or by a role, and the user still has access to the project.
   */
  isNamed(rule: StoredRule, userId: number): boolean;
  /**
   * Whether approvals of the user do not count, because they are or may be an author: the commits may not be known yet.
   */
  isExcluded(mergeRequest: MergeRequest, userId: number): boolean;
  /** As `isExcluded`, but judged by `heads`. For new approvals; `isExcluded` decides later whether they count. */
  seemsExcluded(mergeRequest: MergeRequest, userId: number): boolean;
}

interface Question {
  mergeRequests: readonly MergeRequest[];
  settings: ReadonlyMap<number, ProjectSettings>;
  rules: readonly StoredRule[];
  userIds: readonly number[];
  /**
   * Lowercase e-mail addresses of the authors of the head, by merge request. If given, `seemsExcluded` uses the newest
   * version even if it is of an earlier head.
   */
  heads?: ReadonlyMap<number, ReadonlySet<string>>;
}

/** Loads the approval rights of users, in a bounded number of queries. */
export async function loadVoters(deps: Deps, db: Db, question: Question): Promise<Voters> {
  const { mergeRequests, settings, rules, userIds } = question;
  const day = today(deps.clock);
  const projectIds = [...settings.keys()];
  const users = await activeUsers(db, userIds);
  const ids = [...users.keys()];
  const standings = await effectiveMemberships(db, projectIds, ids, day);
  const groups = await directMembers(db, 'group', [...new Set(rules.flatMap(({ groupIds }) => groupIds))], ids, day);
  const withRoles = rules.filter(({ roles }) => roles.length > 0).map(({ project_id }) => project_id);
  const direct = await directMembers(db, 'project', [...new Set(withRoles)], ids, day);
  const { committers, settled } = await committersOf(
    db,
    mergeRequests.filter(({ project_id }) => settings.get(project_id)!.merge_requests_disable_committers_approval),
    users,
    question.heads ?? new Map(),
  );
  const has = (level: number, projectId: number, userId: number): boolean =>
    users.get(userId)?.admin === true || approvesFrom(level, standings.get(projectId)?.get(userId));
  return {
    mayApprove: (projectId, userId) => has(AccessLevel.developer, projectId, userId),
    isNamed(rule, userId) {
      // Membership in a group of a rule gives no access to a project that is not shared with the group.
      if (!has(AccessLevel.reporter, rule.project_id, userId)) return false;
      if (rule.userIds.includes(userId)) return true;
      if (rule.groupIds.some((id) => groups.get(id)?.has(userId))) return true;
      const own = direct.get(rule.project_id)?.get(userId);
      return own !== undefined && rule.roles.includes(own);
    },
    isExcluded: (mergeRequest, userId) => isOwn(mergeRequest, userId, settled.has(mergeRequest.id)),
    seemsExcluded: (mergeRequest, userId) => isOwn(mergeRequest, userId, committers.has(mergeRequest.id)),
  };

  function isOwn(mergeRequest: MergeRequest, userId: number, isKnown: boolean): boolean {
    const rights = settings.get(mergeRequest.project_id)!;
    if (mergeRequest.author_id === userId && !rights.merge_requests_author_approval) return true;
    if (!rights.merge_requests_disable_committers_approval) return false;
    // While the commits of the head are unknown, anybody may be their author.
    return !isKnown || committers.get(mergeRequest.id)!.has(userId);
  }
}

/** Whether a membership allows approving: from an access level on, or by a custom role. */
export const approvesFrom = (level: number, scope: EffectiveMembership | undefined): boolean =>
  scope !== undefined && (scope.level >= level || grantsInProject(scope.permissions, 'approve_merge_request'));

interface KnownUser {
  admin: boolean;
  /** Lowercase e-mail addresses that the user may commit with. */
  emails: string[];
}

async function activeUsers(db: Db, ids: readonly number[]): Promise<Map<number, KnownUser>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'admin', 'email', 'commit_email'])
    .where('id', 'in', ids)
    .where('state', '=', 'active')
    .where('kind', '!=', 'ghost')
    .execute();
  const further = await db
    .selectFrom('emails')
    .select(['user_id', 'email'])
    .where('user_id', 'in', ids)
    .where('confirmed_at', 'is not', null)
    .execute();
  const users = new Map(
    rows.map(({ id, admin, email, commit_email }) => [
      id,
      { admin: admin === 1, emails: [email, ...(commit_email === null ? [] : [commit_email])].map(asciiLower) },
    ]),
  );
  for (const { user_id, email } of further) users.get(user_id)?.emails.push(asciiLower(email));
  return users;
}

/** Direct members of the sources among the users, with access level, by source. */
export async function directMembers(
  db: Db,
  type: 'group' | 'project',
  sourceIds: readonly number[],
  userIds: readonly number[],
  day: string,
): Promise<Map<number, Map<number, number>>> {
  if (sourceIds.length === 0 || userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('members')
    .select(['source_id', 'user_id', 'access_level'])
    .where('source_type', '=', type)
    .where('source_id', 'in', sourceIds)
    .where('user_id', 'in', userIds)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    .execute();
  const members = new Map<number, Map<number, number>>(sourceIds.map((id) => [id, new Map()]));
  for (const { source_id, user_id, access_level } of rows) members.get(source_id)!.set(user_id, access_level);
  return members;
}

interface Committers {
  /** Authors and committers among the users, by merge request; absent for unknown merge requests. */
  committers: ReadonlyMap<number, ReadonlySet<number>>;
  /** Merge requests whose current head is known. */
  settled: ReadonlySet<number>;
}

async function committersOf(
  db: Db,
  mergeRequests: readonly MergeRequest[],
  users: ReadonlyMap<number, KnownUser>,
  heads: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<Committers> {
  const owners = new Map<string, number[]>();
  for (const [id, { emails }] of users) {
    for (const email of emails) owners.set(email, [...(owners.get(email) ?? []), id]);
  }
  const { versions, settled } = await knownVersions(db, mergeRequests, heads);
  const committers = new Map([...versions.values(), ...heads.keys()].map((id) => [id, new Set<number>()]));
  const add = (mergeRequestId: number, email: string) => {
    for (const id of owners.get(email) ?? []) committers.get(mergeRequestId)!.add(id);
  };
  for (const [id, emails] of heads) for (const email of emails) add(id, email);
  if (versions.size === 0 || owners.size === 0) return { committers, settled };
  const emails = [...owners.keys()];
  const rows = await db
    .selectFrom('merge_request_commits')
    .select(['merge_request_id', 'author_email', 'committer_email'])
    .distinct()
    .where('diff_id', 'in', [...versions.keys()])
    .where((eb) => eb.or([eb('author_email', 'in', emails), eb('committer_email', 'in', emails)]))
    .execute();
  for (const { merge_request_id, author_email, committer_email } of rows) {
    add(merge_request_id, author_email);
    add(merge_request_id, committer_email);
  }
  return { committers, settled };
}

/** Newest reliable versions by merge request, and which of them are of the current head. */
async function knownVersions(
  db: Db,
  mergeRequests: readonly MergeRequest[],
  heads: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<{ versions: Map<number, number>; settled: Set<number> }> {
  const ids = mergeRequests.map(({ latest_diff_id }) => latest_diff_id).filter((id) => id !== null);
  if (ids.length === 0) return { versions: new Map(), settled: new Set() };
  const rows = await db
    .selectFrom('merge_request_diffs')
    .select(['id', 'merge_request_id', 'head_commit_sha'])
    .where('id', 'in', ids)
    .execute();
  const current = new Map(mergeRequests.map(({ id, head_sha }) => [id, head_sha]));
  const settled = new Set(
    rows.flatMap(({ merge_request_id: id, head_commit_sha }) => (current.get(id) === head_commit_sha ? id : [])),
  );
  const reliable = rows.filter(({ merge_request_id: id }) => heads.has(id) || settled.has(id));
  return { versions: new Map(reliable.map(({ id, merge_request_id }) => [id, merge_request_id])), settled };
}
