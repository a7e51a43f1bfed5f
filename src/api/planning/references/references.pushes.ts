import type { UserCaller } from '../../../access/caller.ts';
import type { DomainEvents } from '../../../core/core.domain-events.ts';
import { closingReferences, findReferences } from '../../../core/core.references.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Deps } from '../../../deps.ts';
import { listCommits } from '../../../git/history/index.ts';
import { HEADS } from '../../../git/refs/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { notifyTargets } from './notify-targets.ts';
import { closeAll } from './references.closing.ts';
import { type CommitMessage, messagesOf } from './references.messages.ts';
import { Resolver } from './references.resolve.ts';
import type { ReferenceScope } from './references.source.ts';

/** Maximum number of branches of a push whose commits are read, default branch first. */
const MAX_BRANCHES = 10;
/** Maximum number of commits of a branch to read: the newest. */
const MAX_COMMITS = 100;
/** Maximum number of merge requests to match with a push. */
const MAX_MERGED = 100;

/**
 * Processes the messages of pushed commits: writes cross references, and closes issues for commits on the default
 * branch. For commits of a merge request, the merge request closes the issues.
 * @param at time of the push
 */
export async function readPush(
  deps: Deps,
  pusher: UserCaller,
  scope: ReferenceScope,
  { updates }: DomainEvents['push'],
  at: string,
): Promise<void> {
  const repo = repositoryOf(deps, scope.project);
  const branch = await repo.refs.head();
  const ref = branch === null ? null : `${HEADS}${branch}`;
  const pushed = updates.filter((update) => update.new !== null && update.ref.startsWith(HEADS));
  const ordered = [...pushed.filter((each) => each.ref === ref), ...pushed.filter((each) => each.ref !== ref)];
  const resolver = new Resolver(deps, pusher, scope);
  for (const update of ordered.slice(0, MAX_BRANCHES)) {
    const known = update.old ?? (update.ref === ref || ref === null ? null : await repo.refs.resolve(ref));
    const commits = await newCommits(deps, scope, repo, update.new!, known);
    for (const commit of commits) await tellOf(deps, pusher, resolver, scope, commit);
    if (update.ref !== ref) continue;
    const merged = await mergedShas(deps.db, scope, at, commits);
    for (const commit of commits) {
      if (!merged.has(commit.sha)) await closeBy(deps, pusher, resolver, scope, commit, at);
    }
  }
}

/** Messages of the new commits, oldest first; for a fork without those of its source project. */
async function newCommits(
  deps: Deps,
  { project }: ReferenceScope,
  repo: Repository,
  to: string,
  from: string | null,
): Promise<CommitMessage[]> {
  // Housekeeping may have removed commits that a later push made unreachable.
  if ((await repo.objects.commit(to)) === null) return [];
  const not = from !== null && (await repo.objects.commit(from)) !== null ? [from] : [];
  const shas = (await listCommits(repo, { from: [to], not, limit: MAX_COMMITS })).toReversed();
  const messages = await messagesOf(repo, shas);
  if (project.forked_from_id === null) return messages;
  const parent = await deps.db
    .selectFrom('projects')
    .select(['repository_storage', 'disk_path'])
    .where('id', '=', project.forked_from_id)
    .executeTakeFirst();
  if (parent === undefined) return messages;
  const upstream = repositoryOf(deps, parent);
  const own: CommitMessage[] = [];
  for (const message of messages) if ((await upstream.objects.info(message.sha)) === null) own.push(message);
  return own;
}

async function tellOf(
  deps: Deps,
  pusher: UserCaller,
  resolver: Resolver,
  scope: ReferenceScope,
  { sha, message }: CommitMessage,
): Promise<void> {
  const references = findReferences(message, { externalUrl: deps.externalUrl() });
  if (references.every(({ type }) => type === 'user')) return;
  await notifyTargets(deps, pusher, resolver, { type: 'Commit', id: null, iid: null, sha, home: scope }, references);
}

async function closeBy(
  deps: Deps,
  pusher: UserCaller,
  resolver: Resolver,
  scope: ReferenceScope,
  { sha, message }: CommitMessage,
  at: string,
): Promise<void> {
  const references = closingReferences(message, { externalUrl: deps.externalUrl() });
  if (references.length === 0) return;
  const how = { commitSha: sha, source: { projectId: scope.project.id, commitSha: sha } };
  await closeAll(deps, pusher, scope, await resolver.issues(references), how, at);
}

const mergedSince = prepared((db, { project, at }: { project: number; at: string }) =>
  db
    .selectFrom('merge_requests')
    .select(['id', 'merge_commit_sha', 'squash_commit_sha'])
    .where('project_id', '=', project)
    .where('state', '=', 'merged')
    .where('updated_at', '>=', at)
    .limit(MAX_MERGED),
);

/** The commits that merge requests introduced with this push: their own, and merge or squash commits. */
async function mergedShas(
  db: Db,
  { project }: ReferenceScope,
  at: string,
  commits: readonly CommitMessage[],
): Promise<Set<string>> {
  const merged = await mergedSince(db, { project: project.id, at });
  if (merged.length === 0 || commits.length === 0) return new Set();
  const rows = await db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('sha', 'in', pluck(commits, 'sha'))
    .where('merge_request_id', 'in', pluck(merged, 'id'))
    .execute();
  return new Set([
    ...pluck(rows, 'sha'),
    ...merged.flatMap((row) => [row.merge_commit_sha ?? [], row.squash_commit_sha ?? []].flat()),
  ]);
}
