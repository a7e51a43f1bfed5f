import { timestamp } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import type { Db } from '../db/schema.ts';
import type { Project } from '../db/tables/projects.ts';
import type { RefChange } from '../db/tables/repositories.ts';
import type { Deps } from '../deps.ts';
import type { Repository } from '../git/repository.ts';
import { setHead } from '../git/repository-files.ts';
import { protectDefaultBranch } from './default-branch.ts';
import { pastStaleLocks } from './left-over.ts';

/** What is kept beside the changes, for the events that follow from them. */
interface ChangeContext {
  via: 'api' | 'git';
  pushOptions: readonly string[];
}

/** What is stored before refs move, so that it can be finished after a crash. */
export interface Intent extends ChangeContext {
  projectId: number;
  userId: number | null;
  updates: readonly RefChange[];
  /** Whether the repository had no branch before. */
  wasEmpty: boolean;
}

export interface RefChangeRequest extends ChangeContext {
  project: Project;
  /** Who changes; null for a deploy token or the system. */
  userId: number | null;
  updates: readonly RefChange[];
}

/** The open repository of a project. */
export const repositoryOf = (deps: Deps, project: Pick<Project, 'repository_storage' | 'disk_path'>): Repository =>
  deps.storages.open({ storage: project.repository_storage, diskPath: project.disk_path });

/**
 * Runs `write` when its turn has come: all writes to one repository of this process go one after the other. Writes of
 * other processes are told apart by the old ids that every ref change names.
 */
export function inRepositoryQueue<T>(
  deps: Deps,
  project: Project,
  write: (repo: Repository) => Promise<T>,
): Promise<T> {
  const repo = repositoryOf(deps, project);
  return deps.writes.run(repo.id, () => write(repo));
}

/**
 * Moves refs and records what follows from it, so that neither is ever there without the other: the intent is stored
 * first, then the refs move, then intent and event change places in one transaction. What a crash interrupts,
 * `recoverIntents` (recover-intents.ts) finishes or drops. Call it inside `inRepositoryQueue`. Durable when it fulfils.
 * @throws GitError `conflict` when a ref is not where the update says; ApiError 400 while the repository is read-only
 */
export async function changeRefs(deps: Deps, repo: Repository, request: RefChangeRequest): Promise<void> {
  const { db, clock } = deps;
  const { project, updates } = request;
  const state = await db
    .selectFrom('projects')
    .select(['repository_read_only', 'pending_delete'])
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (state === undefined || state.pending_delete === 1) throw new ApiError(404, '404 Project Not Found');
  if (state.repository_read_only === 1) {
    throw new ApiError(400, 'The repository is temporarily read-only. Please try again later.');
  }
  const { via, pushOptions, userId } = request;
  const createsBranch = updates.some(({ ref, old }) => old === null && ref.startsWith('refs/heads/'));
  const wasEmpty = createsBranch && (await repo.refs.list('refs/heads/')).length === 0;
  const { id } = await db
    .insertInto('ref_intents')
    .values({
      project_id: project.id,
      user_id: userId,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via, pushOptions, wasEmpty }),
      created_at: timestamp(clock),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  try {
    await pastStaleLocks(deps, repo, () => repo.refs.transaction(updates));
  } catch (error) {
    // Git may have moved the refs and failed after it: only the refs themselves tell.
    if (!(await areApplied(repo, updates))) {
      await db.deleteFrom('ref_intents').where('id', '=', id).execute();
      throw error;
    }
  }
  await finishChange(deps, repo, id, { projectId: project.id, userId, updates, via, pushOptions, wasEmpty });
}

async function areApplied(repo: Repository, updates: readonly RefChange[]): Promise<boolean> {
  for (const { ref, new: wanted } of updates) if ((await repo.refs.resolve(ref)) !== wanted) return false;
  return updates.length > 0;
}

/** Records what follows from refs that have moved, and drops the intent, in one transaction. */
export async function finishChange(deps: Deps, repo: Repository, intentId: number, intent: Intent): Promise<void> {
  const { projectId, updates } = intent;
  const newDefault = intent.wasEmpty ? await pickDefaultBranch(deps, repo, updates) : null;
  await deps.db.transaction().execute(async (db) => {
    await recordPush(deps, db, intentId, intent);
    if (newDefault !== null) await protectDefaultBranch(db, deps.clock, projectId, newDefault);
  });
  deps.jobs.notify();
}

/** The first branches of an empty repository decide its default branch, unless HEAD names one of them already. */
async function pickDefaultBranch(deps: Deps, repo: Repository, updates: readonly RefChange[]): Promise<string | null> {
  const created = updates.flatMap(({ ref, new: oid }) =>
    oid !== null && ref.startsWith('refs/heads/') ? [ref.slice('refs/heads/'.length)] : [],
  );
  if (created.length === 0) return null;
  const head = await repo.refs.head();
  if (head !== null && created.includes(head)) return head;
  const chosen = ['main', 'master'].find((name) => created.includes(name)) ?? created[0]!;
  await pastStaleLocks(deps, repo, () => setHead(repo.dir, chosen));
  return chosen;
}

/** Turns an intent into the event of what has happened. */
async function recordPush(deps: Deps, db: Db, intentId: number, intent: Intent): Promise<void> {
  const { projectId, userId, updates, via, pushOptions } = intent;
  const removed = await db.deleteFrom('ref_intents').where('id', '=', intentId).executeTakeFirst();
  if (removed.numDeletedRows === 0n) return;
  await db
    .updateTable('projects')
    .set({ last_activity_at: timestamp(deps.clock) })
    .where('id', '=', projectId)
    .execute();
  await deps.events.record(
    db,
    'push',
    { project_id: projectId, updates: [...updates], push_options: [...pushOptions], via },
    { projectId, actorId: userId },
  );
}
