import { createHash } from 'node:crypto';
import { requirePlan } from '../../access/access.plan.ts';
import { callerInProject } from '../../access/caller-in-project.ts';
import { jobCaller } from '../../access/job-caller.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { RefChange } from '../../db/tables/ref-intents.table.ts';
import type { Deps } from '../../deps.ts';
import { fetchObjects, listRemote, type RemoteListing, type RemoteSource } from '../../git/remote/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import { inRepositoryQueue, repositoryOf } from '../../repositories/change-refs.ts';
import { ofProject } from '../../repositories/holder.ts';
import { type Actor, loadProtections, type Protection } from '../../repositories/repository.protections.ts';
import { updateHead, updateServerRefs } from '../../repositories/server-writes.ts';
import type { FetchedLfs } from '../lfs/lfs-mirror.fetch.ts';
import { callRemote } from '../mirror-call.ts';
import { remoteSource, withoutCredentials } from '../mirroring.address.ts';
import { branchFilter } from '../mirroring.branch-filter.ts';
import { MirrorFailure } from '../mirroring.failure.ts';
import { importUrlOf } from '../stored-address.ts';
import { applyChanges, type ChangeSet } from './apply.ts';
import { fetchMirrorLfs, fetchMissingLfs } from './fetch-mirror-lfs.ts';
import { type MirrorState, parseMirrorState, serializeMirrorState } from './mirror-state.ts';
import { mirroredRefs, planRefChanges, type Refs } from './pull-mirror.plan.ts';
import { type MirrorSettings, mirrorSettings } from './pull-mirror.settings.ts';

/** Folder of the refs fetched last, separate for each address: only later changes are fetched. */
const takenFolder = (address: string): string =>
  `refs/stithy/mirror/${createHash('sha256').update(withoutCredentials(address)).digest('hex').slice(0, 16)}/`;

/** Result of an update. */
export interface UpdateResult {
  /** Value for `pull_mirrors.settled`; the next run ends after its `ls-remote` if it finds the same state. */
  settled: string | null;
  /** Reasons why some refs could not be updated, for a person to resolve; all others were updated. */
  failure: string | null;
  /** Remark on a successful update: LFS objects that the other side lacks. */
  note: string | null;
}

/**
 * Updates branches and tags of a project from another server; refs deleted there are kept. After a crash the next run
 * continues: every step is independent, and each run starts by comparing both sides.
 * @throws MirrorFailure, MirrorChanged, ApiError, BlockedAddress, GitError
 */
export async function updateFromRemote(deps: Deps, project: Project, signal: AbortSignal): Promise<UpdateResult> {
  await requirePlan(deps, 'premium');
  const address = importUrlOf(deps, project) ?? '';
  return callRemote(deps, address, signal, () => update(deps, project, address, signal));
}

async function update(deps: Deps, project: Project, address: string, signal: AbortSignal): Promise<UpdateResult> {
  const settings = mirrorSettings(project);
  const actor = await actorOf(deps, project, settings);
  const row = await deps.db
    .selectFrom('pull_mirrors')
    .select(['settled', 'host_keys'])
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  const source: RemoteSource = {
    ...(await remoteSource(deps, address)),
    ...(row?.host_keys == null ? {} : { hostKeys: row.host_keys }),
  };
  const repo = repositoryOf(deps, project);
  const local = await localRefs(repo);
  const listing = await listRemote(source, { signal, head: local.size === 0 });
  if (listing.hostKeys !== undefined) await keepHostKeys(deps, project, listing.hostKeys);
  const protections = await loadProtections(deps, project.id);
  const digest = (refs: Refs) => digestOf(address, settings, protections, listing, refs);
  const before = parseMirrorState(row?.settled ?? null);
  const set: ChangeSet = { deps, project, settings, actor, protections };
  const remote = listing.hostKeys === undefined ? source : { ...source, hostKeys: listing.hostKeys };
  if (before !== null && before.digest === digest(local)) {
    const { missing: lacking, problem } = await fetchMissingLfs(set, remote, before.lacking, signal);
    return { settled: serializeMirrorState({ ...before, lacking }), failure: null, note: problem };
  }
  const { problems, complete, lfs } = await bringOver(set, repo, remote, listing, before, signal);
  const state = complete && problems.length === 0 ? digest(await localRefs(repo)) : null;
  const failure = problems.length > 0 ? sentence(problems) : null;
  return { settled: serializeMirrorState({ digest: state, lacking: lfs.missing }), failure, note: lfs.problem };
}

async function bringOver(
  set: ChangeSet,
  repo: Repository,
  source: RemoteSource,
  listing: RemoteListing,
  before: MirrorState | null,
  signal: AbortSignal,
): Promise<{ problems: string[]; complete: boolean; lfs: FetchedLfs }> {
  const { deps, project, settings, protections } = set;
  const folder = takenFolder(importUrlOf(deps, project) ?? '');
  const taken = await takenRefs(repo, folder);
  // Refs deleted there are kept here; only their recorded state is removed.
  const gone = [...taken.keys()].filter((ref) => !listing.refs.has(ref));
  await forget(deps, project, repo, folder, new Map(gone.map((ref) => [ref, taken.get(ref)!])));
  const rules = {
    onlyProtected: settings.only_mirror_protected_branches,
    regex: settings.mirror_branch_regex,
  };
  const objects = mirroredRefs(listing.refs, branchFilter(rules, protections));
  const changed = objects.filter((ref) => taken.get(ref) !== listing.refs.get(ref));
  if (changed.length > 0) {
    const { format } = listing;
    await fetchObjects(source, repo, { refs: changed, format, signal, maxBytes: deps.config.limits.push });
  }
  const tips = (before === null ? objects : changed).map((ref) => listing.refs.get(ref)!);
  const lfs = await fetchMirrorLfs(set, repo, source, before, { tips, known: [...taken.values()] }, signal);
  const fetched = await remember(set, repo, folder, changed, listing.refs);
  const local = await localRefs(repo);
  if (![...local.keys()].some((ref) => ref.startsWith('refs/heads/')))
    await useHead(deps, project, listing.head, objects);
  const problems = await applyChanges(set, repo, planRefChanges(objects, fetched, local), local, signal);
  const complete = objects.every((ref) => fetched.get(ref) === listing.refs.get(ref));
  return { problems, complete, lfs };
}

/**
 * Records the fetched refs, from which refs are then moved.
 * @returns fetched ids by name on the other side, without refs that were overwritten there meanwhile
 */
async function remember(
  { deps, project }: ChangeSet,
  repo: Repository,
  folder: string,
  changed: readonly string[],
  remote: Refs,
): Promise<Refs> {
  const taken = await takenRefs(repo, folder);
  const updates: RefChange[] = [];
  for (const ref of changed) {
    const oid = remote.get(ref)!;
    if ((await repo.objects.info(oid)) === null) continue;
    updates.push({ ref: `${folder}${ref.slice('refs/'.length)}`, old: taken.get(ref) ?? null, new: oid });
  }
  await moveOwn(deps, project, repo, updates);
  return updates.length === 0 ? taken : takenRefs(repo, folder);
}

/** The user who configured the mirror, with their current rights. @throws MirrorFailure */
async function actorOf(deps: Deps, project: Project, { mirror_user_id }: MirrorSettings): Promise<Actor> {
  const caller = mirror_user_id === null ? undefined : await jobCaller(deps, mirror_user_id);
  const standing = caller === undefined ? undefined : await callerInProject(deps, caller, project.id);
  if (standing === undefined) {
    throw new MirrorFailure(
      'The mirror user is blocked or no longer exists. Save the mirror again as a different user.',
    );
  }
  if (!standing.permissions.can('push_code')) {
    throw new MirrorFailure('The mirror user is not allowed to push to this project.');
  }
  return standing;
}

async function localRefs(repo: Repository): Promise<Refs> {
  const all = [...(await repo.refs.list('refs/heads/')), ...(await repo.refs.list('refs/tags/'))];
  return new Map(all.map(({ name, oid }) => [name, oid]));
}

async function takenRefs(repo: Repository, folder: string): Promise<Refs> {
  const all = await repo.refs.list(folder);
  return new Map(all.map(({ name, oid }) => [`refs/${name.slice(folder.length)}`, oid]));
}

/** Moves refs that belong to the mirror. */
const moveOwn = (deps: Deps, project: Project, repo: Repository, updates: readonly RefChange[]): Promise<void> =>
  inRepositoryQueue(deps, project, () => updateServerRefs(deps, ofProject(project), repo, updates));

/** Removes recorded refs that no longer exist on the other side. */
async function forget(deps: Deps, project: Project, repo: Repository, folder: string, gone: Refs): Promise<void> {
  if (gone.size === 0) return;
  const updates = [...gone].map(([ref, oid]) => ({
    ref: `${folder}${ref.slice('refs/'.length)}`,
    old: oid,
    new: null,
  }));
  await moveOwn(deps, project, repo, updates);
}

/** An empty repository takes the default branch of the other side. */
async function useHead(deps: Deps, project: Project, head: string | null, objects: readonly string[]): Promise<void> {
  if (head === null || !objects.includes(`refs/heads/${head}`)) return;
  await inRepositoryQueue(deps, project, async (repo) => {
    if ((await repo.refs.list('refs/heads/')).length > 0) return;
    await updateHead(deps, ofProject(project), repo, head);
  });
}

/** Stores host keys, unless the address has changed meanwhile. */
const keepHostKeys = (deps: Deps, { id, import_url }: Project, host_keys: string): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    // An update locks the row, as every change of the address does.
    const same = await db
      .updateTable('projects')
      .set({ import_url })
      .where('id', '=', id)
      .where('import_url', '=', import_url)
      .returning('id')
      .executeTakeFirst();
    if (same === undefined) return;
    await db.updateTable('pull_mirrors').set({ host_keys }).where('project_id', '=', id).execute();
  });

function digestOf(
  address: string,
  settings: MirrorSettings,
  protections: readonly Protection[],
  { refs }: RemoteListing,
  local: Refs,
): string {
  const hash = createHash('sha256').update(JSON.stringify([address, settings, protections]));
  for (const side of [refs, local]) {
    hash.update('\n\n');
    for (const name of [...side.keys()].sort()) hash.update(`${side.get(name)} ${name}\n`);
  }
  return hash.digest('hex');
}

const MAX_REPORTED = 5;

function sentence(problems: readonly string[]): string {
  const more = problems.length - MAX_REPORTED;
  return [...problems.slice(0, MAX_REPORTED), ...(more > 0 ? [`And ${more} more branches and tags.`] : [])].join(' ');
}
