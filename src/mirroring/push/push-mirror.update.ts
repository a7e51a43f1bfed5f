import { timestamp } from '../../core/clock.ts';
import { openStored } from '../../core/stored-secret.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { RemoteMirror } from '../../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../../deps.ts';
import { isAncestor, mergedInto } from '../../git/history/index.ts';
import { knownCommits, listRemote, pushRefs, type RemoteSource } from '../../git/remote/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import type { HistoryRange } from '../../git/transport/index.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { loadProtections } from '../../repositories/repository.protections.ts';
import { isSilentMode } from '../../settings/silent-mode.ts';
import { sendLfsObjects } from '../lfs/lfs-mirror.send.ts';
import { callRemote } from '../mirror-call.ts';
import { remoteSource } from '../mirroring.address.ts';
import { branchFilter } from '../mirroring.branch-filter.ts';
import { type JobRun, MirrorFailure, mirrorFailureText } from '../mirroring.failure.ts';
import { mirrorUrlOf } from '../stored-address.ts';
import { type History, type PushPlan, planPush } from './push-mirror.plan.ts';
import { intervalOf, isRetried, requestPush } from './push-mirror.schedule.ts';

/**
 * Updates another repository from a project and records the result. Errors unrelated to the mirror are thrown, so that
 * the job is retried.
 */
export async function updateRemoteMirror(deps: Deps, mirrorId: number, run: JobRun): Promise<void> {
  // The first push after silent mode includes all earlier changes.
  if (isSilentMode(deps)) return;
  const started = await begin(deps, mirrorId);
  if (started === null) return;
  let text: string | null = null;
  try {
    const { project, mirror } = started;
    const address = mirrorUrlOf(deps, mirror) ?? '';
    await callRemote(deps, address, run.signal, () => push(deps, project, mirror, address, run.signal));
  } catch (error) {
    text = mirrorFailureText(deps, error, run);
    if (text === null) throw error;
  }
  await end(deps, mirrorId, text);
  if (text === null) return;
  const { id: project_id } = started.project;
  deps.log.log('info', 'a push mirror could not be updated', { project_id, mirror_id: mirrorId, reason: text });
}

/** Records the start of an update. @returns null if there is nothing to do */
function begin(deps: Deps, mirrorId: number): Promise<{ mirror: RemoteMirror; project: Project } | null> {
  return deps.db.transaction().execute(async (db) => {
    const project = await db
      .selectFrom('projects')
      .innerJoin('remote_mirrors', 'remote_mirrors.project_id', 'projects.id')
      .selectAll('projects')
      .where('remote_mirrors.id', '=', mirrorId)
      .where('pending_delete', '=', 0)
      .executeTakeFirst();
    if (project === undefined) return null;
    const mirror = await db
      .updateTable('remote_mirrors')
      .set({ update_status: 'started', last_update_started_at: timestamp(deps.clock) })
      .where('id', '=', mirrorId)
      .where('enabled', '=', 1)
      .returningAll()
      .executeTakeFirst();
    return mirror === undefined ? null : { mirror, project };
  });
}

/** Records the end of an update and schedules a retry, unless it has failed too often. */
async function end(deps: Deps, mirrorId: number, text: string | null): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const mirror = await db.selectFrom('remote_mirrors').selectAll().where('id', '=', mirrorId).executeTakeFirst();
    if (mirror === undefined) return;
    const now = timestamp(deps.clock);
    const failures = text === null ? 0 : mirror.failures + 1;
    const again = text !== null && isRetried(failures) && mirror.enabled === 1;
    await db
      .updateTable('remote_mirrors')
      .set({
        failures: text === null || again ? failures : 0,
        update_status: text === null ? 'finished' : again ? 'to_retry' : 'failed',
        last_error: text,
        last_update_at: now,
        ...(text === null ? { last_successful_update_at: now } : {}),
      })
      .where('id', '=', mirrorId)
      .execute();
    if (again) await requestPush(deps, db, mirror, intervalOf(mirror));
    if (text === null || again) return;
    const { project_id } = mirror;
    const payload = { remote_mirror_id: mirrorId, project_id, error: text };
    await deps.events.record(db, 'remote_mirror.failed', payload, { projectId: project_id });
  });
}

async function push(
  deps: Deps,
  project: Project,
  mirror: RemoteMirror,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const privateKey = openStored(deps.secrets, mirror.private_key, 'remote_mirrors.private_key');
  let source: RemoteSource = {
    ...(await remoteSource(deps, address)),
    ...(mirror.host_keys === null ? {} : { hostKeys: mirror.host_keys }),
    ...(mirror.auth_method === 'ssh_public_key' && privateKey !== null ? { privateKey } : {}),
  };
  const { refs: remote, hostKeys } = await listRemote(source, { signal });
  if (hostKeys !== undefined) {
    source = { ...source, hostKeys };
    // Not stored if the address has changed: the keys of the new host are learned there.
    await deps.db
      .updateTable('remote_mirrors')
      .set({ host_keys: hostKeys })
      .where('id', '=', mirror.id)
      .where('url', '=', mirror.url)
      .execute();
  }
  const repo = repositoryOf(deps, project);
  const refs = [...(await repo.refs.list('refs/heads/')), ...(await repo.refs.list('refs/tags/'))];
  const local = new Map(refs.map(({ name, oid }) => [name, oid]));
  const rules = { onlyProtected: mirror.only_protected_branches === 1, regex: mirror.mirror_branch_regex };
  const takes = branchFilter(rules, await loadProtections(deps, project.id));
  const plan = await planPush(local, remote, takes, mirror.keep_divergent_refs === 1, historyOf(repo));
  const lfs = await sendLfsObjects(deps, project, repo, source, rangeOf(mirror, plan, local, remote, takes), signal);
  const refused = await pushRefs(source, repo, plan.changes, { signal });
  const problems = [
    ...(lfs === null ? [] : ['Error synchronizing LFS files:', lfs]),
    ...listed('Some refs have diverged and have not been updated on the remote:', plan.diverged),
    ...listed('Some refs were refused by the remote:', refused),
  ];
  if (problems.length > 0) throw new MirrorFailure(problems.join('\n\n'));
}

/** Commits whose LFS objects are sent: all after a failed update, since its refs may have moved without them. */
function rangeOf(
  { last_error, last_successful_update_at }: RemoteMirror,
  { changes }: PushPlan,
  local: ReadonlyMap<string, string>,
  remote: ReadonlyMap<string, string>,
  takes: (branch: string) => boolean,
): HistoryRange {
  if (last_error === null && last_successful_update_at !== null) {
    return { tips: changes.flatMap((change) => change.new ?? []), known: [...remote.values()] };
  }
  const tips = [...local].filter(([ref]) => !ref.startsWith('refs/heads/') || takes(ref.slice('refs/heads/'.length)));
  return { tips: tips.map(([, oid]) => oid), known: [] };
}

const MAX_REPORTED = 20;

const listed = (words: string, refs: readonly string[]): string[] =>
  refs.length === 0 ? [] : [words, refs.slice(0, MAX_REPORTED).join('\n')];

function historyOf(repo: Repository): History {
  return {
    isAncestor: async (ancestor, descendant) =>
      (await knownCommits(repo, [ancestor])).has(ancestor) && isAncestor(repo, ancestor, descendant),
    merged: async (oids) => {
      const main = await repo.refs.tip();
      const known = await knownCommits(repo, oids);
      if (main === null || known.size === 0) return new Set();
      const merged = await mergedInto(repo, [...new Set(known.values())], main);
      return new Set(oids.filter((oid) => merged.has(known.get(oid) ?? '')));
    },
  };
}
