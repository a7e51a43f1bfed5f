import type { UserCaller } from '../../../access/caller.ts';
import type { DomainEvents } from '../../../core/domain-events.ts';
import { closingReferences, findReferences } from '../../../core/references.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Db } from '../../../db/schema.ts';
import type { Deps } from '../../../deps.ts';
import { listCommits } from '../../../git/log.ts';
import { HEADS } from '../../../git/ref-folders.ts';
import type { Repository } from '../../../git/repository.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { closeAll } from './closing.ts';
import { type CommitMessage, messagesOf } from './messages.ts';
import { Resolver } from './resolve.ts';
import type { Home } from './source.ts';
import { tellTargets } from './tell.ts';

/** Branches of one push whose commits are read, the default branch first. */
const MAX_BRANCHES = 10;
/** The newest commits of a branch that are read. */
const MAX_COMMITS = 100;
/** Merge requests that one push is looked for in. */
const MAX_MERGED = 100;

/**
 * Reads the messages of commits that were pushed: what they name is told, and what they close on the default branch is
 * closed. Commits that come with a merge request leave the closing to it.
 * @param at when it was pushed
 */
export async function readPush(
  deps: Deps,
  pusher: UserCaller,
  home: Home,
  { updates }: DomainEvents['push'],
  at: string,
): Promise<void> {
  const repo = repositoryOf(deps, home.project);
  const branch = await repo.refs.head();
  const ref = branch === null ? null : `${HEADS}${branch}`;
  const pushed = updates.filter((update) => update.new !== null && update.ref.startsWith(HEADS));
  const ordered = [...pushed.filter((each) => each.ref === ref), ...pushed.filter((each) => each.ref !== ref)];
  const resolver = new Resolver(deps, pusher, home);
  for (const update of ordered.slice(0, MAX_BRANCHES)) {
    const known = update.old ?? (update.ref === ref || ref === null ? null : await repo.refs.resolve(ref));
    const commits = await newCommits(deps, home, repo, update.new!, known);
    for (const commit of commits) await tellOf(deps, pusher, resolver, home, commit);
    if (update.ref !== ref) continue;
    const merged = await mergedShas(deps.db, home, at, commits);
    for (const commit of commits) {
      if (!merged.has(commit.sha)) await closeBy(deps, pusher, resolver, home, commit, at);
    }
  }
}

/** Messages of what came, oldest first; of a fork without what the project it came from has already. */
async function newCommits(
  deps: Deps,
  { project }: Home,
  repo: Repository,
  to: string,
  from: string | null,
): Promise<CommitMessage[]> {
  // Upkeep may have taken what a later push made useless.
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
  home: Home,
  { sha, message }: CommitMessage,
): Promise<void> {
  const references = findReferences(message, { externalUrl: deps.externalUrl() });
  if (references.every(({ type }) => type === 'user')) return;
  await tellTargets(deps, pusher, resolver, { type: 'Commit', id: null, iid: null, sha, home }, references);
}

async function closeBy(
  deps: Deps,
  pusher: UserCaller,
  resolver: Resolver,
  home: Home,
  { sha, message }: CommitMessage,
  at: string,
): Promise<void> {
  const references = closingReferences(message, { externalUrl: deps.externalUrl() });
  if (references.length === 0) return;
  const how = { commitSha: sha, source: { projectId: home.project.id, commitSha: sha } };
  await closeAll(deps, pusher, home, await resolver.issues(references), how, at);
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

/** Those of the commits that were merged by merge requests with this push: their own, and those made by the merge. */
async function mergedShas(
  db: Db,
  { project }: Home,
  at: string,
  commits: readonly CommitMessage[],
): Promise<Set<string>> {
  const merged = await mergedSince(db, { project: project.id, at });
  if (merged.length === 0 || commits.length === 0) return new Set();
  const rows = await db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where(
      'sha',
      'in',
      commits.map(({ sha }) => sha),
    )
    .where(
      'merge_request_id',
      'in',
      merged.map(({ id }) => id),
    )
    .execute();
  return new Set([
    ...rows.map(({ sha }) => sha),
    ...merged.flatMap((row) => [row.merge_commit_sha ?? [], row.squash_commit_sha ?? []].flat()),
  ]);
}
