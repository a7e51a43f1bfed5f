import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { commitsBetween } from '../../../git/history/index.ts';
import type { Commit, Tag } from '../../../git/objects/index.ts';
import { HEADS, TAGS } from '../../../git/refs/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { loadProtections, type Protection, protectionsOf } from '../../../repositories/repository.protections.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { userAvatarUrl } from '../../identity/index.ts';
import { commitAt, commitPayloadWithFiles, orElse, webUrlOf } from './commits.payload.ts';
import { fullProjectPayload, fullRepositoryPayload, type ProjectForPayload, projectOf } from './projects.payload.ts';
import { pushOptionsPayload } from './push-options.payload.ts';
import type { BuiltPayload, Payload } from './types.ts';
import { userOf } from './users.payload.ts';

type Push = DomainEvents['push'];
type Update = Push['updates'][number];

const moves = (folder: string) => (event: RecordedEvent<'push'>) =>
  event.payload.updates.some(({ ref }) => ref.startsWith(folder));
export const movesBranch = moves(HEADS);
export const movesTag = moves(TAGS);

/** Maximum number of commits in a payload. */
const MAX_COMMITS = 20;
/** Number of commits in the payload of a test. */
const SAMPLE_COMMITS = 3;
const NOTHING = '0'.repeat(40);

/** Values shared by the payloads of a push. */
interface Pushed {
  deps: Deps;
  payload: Pick<Push, 'push_options' | 'default_branch'>;
  project: ProjectForPayload;
  user: User | undefined;
  repo: Repository;
  protections: readonly Protection[];
}

interface Brought {
  commits: readonly Commit[];
  total: number;
  /** Id of the checked-out commit, also for tags. */
  checkout: string | null;
  message: string | null;
}

const NOTHING_NEW: Brought = { commits: [], total: 0, checkout: null, message: null };

/** Returns the commits that a push adds to a branch; for a new branch those missing in the default branch. */
async function onBranch({ repo, payload }: Pushed, { ref, old, new: oid }: Update): Promise<Brought> {
  if (oid === null) return NOTHING_NEW;
  const base = payload.default_branch ?? null;
  const not = old ?? (base === null || ref === `${HEADS}${base.name}` ? null : base.sha);
  const range = await orElse(() => commitsBetween(repo, oid, not, MAX_COMMITS), { commits: [], total: 0 });
  return { ...range, checkout: oid, message: null };
}

async function onTag({ repo }: Pushed, { new: oid }: Update): Promise<Brought> {
  if (oid === null) return NOTHING_NEW;
  const tag = await orElse<Tag | null>(() => repo.objects.tag(oid), null);
  const commit = await commitAt(repo, oid);
  const commits = commit === null ? [] : [commit];
  return {
    commits,
    total: commits.length,
    checkout: commit?.oid ?? oid,
    message: tag?.message.replace(/\n+$/, '') ?? null,
  };
}

const pusher = (deps: Deps, user: User | undefined) => ({
  user_id: user?.id ?? null,
  user_name: user?.name ?? null,
  user_username: user?.username ?? null,
  user_email: user?.public_email || null,
  user_avatar: user === undefined ? null : userAvatarUrl(deps, user),
});

async function buildPayload(pushed: Pushed, kind: 'push' | 'tag_push', update: Update): Promise<Payload> {
  const { deps, project, user, payload, protections, repo } = pushed;
  const [folder, type] = kind === 'push' ? ([HEADS, 'branch'] as const) : ([TAGS, 'tag'] as const);
  const brought = await (kind === 'push' ? onBranch : onTag)(pushed, update);
  const webUrl = webUrlOf(deps, project.row.full_path);
  const commits = [];
  for (const commit of brought.commits) commits.push(await commitPayloadWithFiles(repo, commit, webUrl));
  return {
    object_kind: kind,
    event_name: kind,
    before: update.old ?? NOTHING,
    after: update.new ?? NOTHING,
    ref: update.ref,
    ref_protected: protectionsOf(protections, type, update.ref.slice(folder.length)).length > 0,
    checkout_sha: brought.checkout,
    message: brought.message,
    ...pusher(deps, user),
    project_id: project.row.id,
    project: fullProjectPayload(deps, project),
    commits,
    total_commits_count: brought.total,
    push_options: pushOptionsPayload(payload.push_options),
    repository: fullRepositoryPayload(deps, project),
  };
}

async function pushedOf(deps: Deps, projectId: number, userId: number | null, payload: Pushed['payload']) {
  const project = await projectOf(deps, projectId);
  if (project === undefined) return undefined;
  const user = await userOf(deps.db, userId);
  const protections = await loadProtections(deps, projectId);
  return { deps, payload, project, user, repo: repositoryOf(deps, project.row), protections };
}

/** Returns updates of refs below a prefix; empty if there are more than the limit. */
const under = (folder: string, updates: readonly Update[], limit: number): readonly Update[] => {
  const own = updates.filter(({ ref, old, new: oid }) => ref.startsWith(folder) && old !== oid);
  return own.length > limit ? [] : own;
};

async function pushEvents(pushed: Pushed, updates: readonly Update[]): Promise<BuiltPayload[]> {
  const { push_event_hooks_limit: limit } = await applicationSettings(pushed.deps);
  const projectId = pushed.project.row.id;
  const events: BuiltPayload[] = [];
  for (const update of under(HEADS, updates, limit)) {
    const payload = await buildPayload(pushed, 'push', update);
    const branch = update.ref.slice(HEADS.length);
    events.push({ trigger: 'push', projectId, branch, payload });
  }
  for (const update of under(TAGS, updates, limit)) {
    events.push({ trigger: 'tag_push', projectId, payload: await buildPayload(pushed, 'tag_push', update) });
  }
  return events;
}

/**
 * Hook payloads for a push, one per branch and tag; none if more branches or tags changed than
 * `push_event_hooks_limit`.
 */
export async function pushHookEvents(
  deps: Deps,
  { payload, actor_id }: RecordedEvent<'push'>,
): Promise<BuiltPayload[]> {
  const pushed = await pushedOf(deps, payload.project_id, actor_id, payload);
  return pushed === undefined ? [] : pushEvents(pushed, payload.updates);
}

/** System hook payloads for a push: those of `pushHookEvents`, followed by one for all refs. */
export async function pushSystemEvents(
  deps: Deps,
  { payload, actor_id }: RecordedEvent<'push'>,
): Promise<BuiltPayload[]> {
  const pushed = await pushedOf(deps, payload.project_id, actor_id, payload);
  if (pushed === undefined) return [];
  const events = await pushEvents(pushed, payload.updates);
  const changes = payload.updates.map(({ ref, old, new: oid }) => ({
    before: old ?? NOTHING,
    after: oid ?? NOTHING,
    ref,
  }));
  const { user_username: _, ...user } = pusher(deps, pushed.user);
  const update = {
    event_name: 'repository_update',
    ...user,
    project_id: payload.project_id,
    project: fullProjectPayload(deps, pushed.project),
    changes,
    refs: [...new Set(changes.map(({ ref }) => ref))],
  };
  return [...events, { trigger: 'repository_update', payload: update }];
}

/** Loads what the payload of a test needs; undefined if the project has no commits. */
async function sampled(deps: Deps, projectId: number, userId: number | null) {
  const pushed = await pushedOf(deps, projectId, userId, { push_options: [] });
  if (pushed === undefined) return undefined;
  const { repo, project } = pushed;
  const head = project.defaultBranch === null ? null : await repo.refs.resolve(`${HEADS}${project.defaultBranch}`);
  const commit = head === null ? null : await repo.objects.commit(head);
  return commit === null ? undefined : { pushed, commit, branch: project.defaultBranch! };
}

/** Returns the payload of a push of the last commits of the default branch, for tests of hooks. */
export async function samplePush(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const { pushed, commit, branch } = (await sampled(deps, projectId, userId)) ?? {};
  if (pushed === undefined) return undefined;
  const before = await ancestorOf(pushed.repo, commit!, SAMPLE_COMMITS);
  const update = { ref: `${HEADS}${branch}`, old: before, new: commit!.oid };
  return { projectId, branch: branch!, payload: await buildPayload(pushed, 'push', update) };
}

/** Returns the payload of a push of the last tag, for tests of hooks. */
export async function sampleTagPush(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const { pushed, commit } = (await sampled(deps, projectId, userId)) ?? {};
  if (pushed === undefined) return undefined;
  const tag = (await pushed.repo.refs.list(TAGS)).at(-1);
  const update = { ref: tag?.name ?? `${TAGS}v1.0.0`, old: null, new: tag?.oid ?? commit!.oid };
  return { projectId, payload: await buildPayload(pushed, 'tag_push', update) };
}

/** Returns the ancestor a number of first parents before a commit, or the root. */
async function ancestorOf(repo: Repository, commit: Commit, steps: number): Promise<string | null> {
  let at: Commit | null = commit;
  for (let step = 0; step < steps && at !== null; step += 1) {
    const parent: string | undefined = at.parents[0];
    if (parent === undefined) return null;
    at = await repo.objects.commit(parent);
  }
  return at?.oid ?? null;
}
