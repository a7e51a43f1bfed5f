import { timestamp } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import { parseJson } from '../db/columns.ts';
import type { Db } from '../db/schema.ts';
import type { Project } from '../db/tables/projects.ts';
import type { RefChange } from '../db/tables/repositories.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/errors.ts';
import type { Repository } from '../git/repository.ts';
import { setHead } from '../git/repository-files.ts';
import { removeStaleLocks } from '../git/stale-locks.ts';
import { protectDefaultBranch } from './default-branch.ts';

/** What is kept beside the changes, for the events that follow from them. */
export interface ChangeContext {
  via: 'api' | 'git';
  pushOptions: readonly string[];
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
 * `recoverIntents` finishes or drops. Call it inside `inRepositoryQueue`. Durable when it fulfils.
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
  const createsBranch = updates.some(({ ref, old }) => old === null && ref.startsWith('refs/heads/'));
  const wasEmpty = createsBranch && (await repo.refs.list('refs/heads/')).length === 0;
  const { id } = await db
    .insertInto('ref_intents')
    .values({
      project_id: project.id,
      user_id: request.userId,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via: request.via, pushOptions: request.pushOptions } satisfies ChangeContext),
      created_at: timestamp(clock),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  try {
    await repo.refs.transaction(updates);
  } catch (error) {
    // Git may have moved the refs and failed after it: only the refs themselves tell.
    if (!(await areApplied(repo, updates))) {
      await db.deleteFrom('ref_intents').where('id', '=', id).execute();
      throw error;
    }
  }
  await finish(deps, repo, id, request, wasEmpty);
}

async function areApplied(repo: Repository, updates: readonly RefChange[]): Promise<boolean> {
  for (const { ref, new: wanted } of updates) if ((await repo.refs.resolve(ref)) !== wanted) return false;
  return updates.length > 0;
}

async function finish(
  deps: Deps,
  repo: Repository,
  intentId: number,
  { project, userId, updates, via, pushOptions }: RefChangeRequest,
  wasEmpty: boolean,
): Promise<void> {
  const newDefault = wasEmpty ? await pickDefaultBranch(repo, updates) : null;
  await deps.db.transaction().execute(async (db) => {
    await recordPush(deps, db, intentId, { project_id: project.id, user_id: userId, updates, via, pushOptions });
    if (newDefault !== null) await protectDefaultBranch(db, deps.clock, project.id, newDefault);
  });
  deps.jobs.notify();
}

/** The first branches of an empty repository decide its default branch, unless HEAD names one of them already. */
async function pickDefaultBranch(repo: Repository, updates: readonly RefChange[]): Promise<string | null> {
  const created = updates.flatMap(({ ref, new: oid }) =>
    oid !== null && ref.startsWith('refs/heads/') ? [ref.slice('refs/heads/'.length)] : [],
  );
  if (created.length === 0) return null;
  const head = await repo.refs.head();
  if (head !== null && created.includes(head)) return head;
  const chosen = ['main', 'master'].find((name) => created.includes(name)) ?? created[0]!;
  await setHead(repo.dir, chosen);
  return chosen;
}

interface PushRecord extends ChangeContext {
  project_id: number;
  user_id: number | null;
  updates: readonly RefChange[];
}

/** Turns an intent into the event of what has happened. */
async function recordPush(deps: Deps, db: Db, intentId: number, push: PushRecord): Promise<void> {
  const removed = await db.deleteFrom('ref_intents').where('id', '=', intentId).executeTakeFirst();
  if (removed.numDeletedRows === 0n) return;
  await db
    .updateTable('projects')
    .set({ last_activity_at: timestamp(deps.clock) })
    .where('id', '=', push.project_id)
    .execute();
  await deps.events.record(
    db,
    'push',
    { project_id: push.project_id, updates: [...push.updates], push_options: [...push.pushOptions], via: push.via },
    { projectId: push.project_id, actorId: push.user_id },
  );
}

/**
 * Finishes or drops what a crash left behind: an intent whose refs have moved gets its event, another is removed.
 * Called at the start, before requests are served.
 */
export async function recoverIntents(deps: Deps): Promise<void> {
  const intents = await deps.db.selectFrom('ref_intents').selectAll().orderBy('id').execute();
  for (const intent of intents) {
    const project = await deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', intent.project_id)
      .executeTakeFirst();
    const updates = parseJson<RefChange[]>(intent.updates);
    const applied = project === undefined ? [] : await settle(repositoryOf(deps, project), updates);
    await deps.db.transaction().execute(async (db) => {
      if (applied.length === 0) {
        await db.deleteFrom('ref_intents').where('id', '=', intent.id).execute();
        return;
      }
      const context = parseJson<ChangeContext>(intent.context);
      await recordPush(deps, db, intent.id, {
        ...context,
        project_id: intent.project_id,
        user_id: intent.user_id,
        updates: applied,
      });
    });
    deps.log.log('warn', 'an interrupted write was settled', {
      project_id: intent.project_id,
      refs: updates.length,
      applied: applied.length,
    });
  }
}

/** Finishes changes of which some were made; gives all that are made now. None were made: none are. */
async function settle(repo: Repository, updates: readonly RefChange[]): Promise<RefChange[]> {
  await removeStaleLocks(repo.dir, new Date());
  const now = await Promise.all(
    updates.map((update) =>
      repo.refs.resolve(update.ref).catch((error: unknown) => {
        if (error instanceof GitError) return undefined;
        throw error;
      }),
    ),
  );
  const applied = updates.filter((update, index) => now[index] === update.new);
  const rest = updates.filter((update, index) => now[index] === update.old && update.old !== update.new);
  if (applied.length === 0 || rest.length === 0) return applied;
  await repo.refs.transaction(rest);
  return [...applied, ...rest];
}
