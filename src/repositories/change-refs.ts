import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { within } from '../access/within.ts';
import { timestamp } from '../core/clock.ts';
import type { DomainEvents } from '../core/domain-events.ts';
import { notFound } from '../core/errors.ts';
import { faultOf } from '../core/surroundings.ts';
import { prepared } from '../db/prepared.ts';
import type { Db, Schema } from '../db/schema.ts';
import type { Project } from '../db/tables/projects.ts';
import type { RefChange } from '../db/tables/ref-intents.ts';
import type { Deps } from '../deps.ts';
import { HEADS } from '../git/ref-folders.ts';
import type { Repository } from '../git/repository.ts';
import { setHead } from '../git/repository-files.ts';
import { protectDefaultBranch } from './default-branch.ts';
import { HOLDER_TYPES, type Holder, holderColumns } from './holder.ts';
import type { ChangeContext, Intent } from './intent.ts';
import { pastStaleLocks } from './left-over.ts';
import { isShared, writableNow } from './own-writes.ts';
import { pushedRefs } from './push-facts.ts';
import { RepositoryReadOnly } from './read-only.ts';
import { observe } from './ref-observers.ts';
import { enqueueUpkeep } from './upkeep.ts';

export interface RefChangeRequest extends ChangeContext {
  holder: Holder;
  /** Who changes; null for a deploy token or the system. */
  userId: number | null;
  updates: readonly RefChange[];
  /**
   * Fulfils when the objects that the refs are to point to are durable, where they are still being written: with the commits that
   * were not there before.
   */
  stored?: Promise<ReadonlySet<string>>;
  guard: ChangeGuard;
}

/**
 * Looks once more whether refs may be moved, in the transaction that announces it: what was checked before the wait for
 * the repository's queue may be true no longer. Asks nothing but the database, and refs.
 * @param deps with the transaction's handle
 * @param project the project as it is now; null where something else holds the repository
 * @throws ApiError where it may not be
 */
export type ChangeGuard = (deps: Deps, project: Project | null) => Promise<void>;

const insertIntent = prepared((db, row: Insertable<Schema['ref_intents']>) =>
  db.insertInto('ref_intents').values(row).returning('id'),
);

const removeIntent = prepared((db, { id }: { id: number }) =>
  db.deleteFrom('ref_intents').where('id', '=', id).returning('id'),
);

const touchProject = prepared((db, { id, at }: { id: number; at: string }) =>
  db.updateTable('projects').set({ last_activity_at: at }).where('id', '=', id),
);

/** The open repository of a holder. */
export const repositoryOf = (deps: Deps, holder: Pick<Holder, 'repository_storage' | 'disk_path'>): Repository =>
  deps.storages.open({ storage: holder.repository_storage, diskPath: holder.disk_path });

/**
 * Runs `write` when its turn has come: all writes to one repository of this process go one after the other. Writes of
 * other processes are told apart by the old ids that every ref change names.
 * @param holder its row, or what of it is known
 * @throws RepositoryReadOnly where the row says so; what `write` throws
 */
export async function inRepositoryQueue<T>(
  deps: Deps,
  holder: Pick<Holder, 'repository_storage' | 'disk_path'> & { repository_read_only?: 0 | 1 },
  write: (repo: Repository) => Promise<T>,
): Promise<T> {
  // Before objects are written that nobody would need.
  if (holder.repository_read_only === 1) throw new RepositoryReadOnly();
  const repo = repositoryOf(deps, holder);
  return deps.writes.run(repo.id, () => write(repo));
}

/**
 * Moves refs and records what follows from it, so that neither is ever there without the other: the intent is stored
 * first, then the refs move, then intent and event (and what observers add) change places in one transaction. What a crash interrupts,
 * `settleIntent` (settle-intent.ts) finishes or drops. Call it inside `inRepositoryQueue`. Durable when it fulfils.
 * @throws GitError `conflict` when a ref is not where the update says; RepositoryReadOnly,
 *   and what the guard throws
 */
export async function changeRefs(deps: Deps, repo: Repository, request: RefChangeRequest): Promise<void> {
  const { holder, updates, via, pushOptions, cause, userId } = request;
  await deps.leftIntents.settle(repo.id);
  if (isShared(deps)) await deps.settleBefore(holder, updates);
  const createsBranch = updates.some(({ ref, old }) => old === null && ref.startsWith('refs/heads/'));
  const wasEmpty = createsBranch && (await repo.refs.list('refs/heads/')).length === 0;
  const key = randomUUID();
  let project: Project | null = null;
  const announce = deps.db.transaction().execute(async (db) => {
    const now = await writableNow(within(deps, db), holder, repo);
    if (now === undefined) throw notFound(HOLDER_TYPES[holder.type].called);
    project = now.project;
    await request.guard(within(deps, db), project);
    const [intent] = await insertIntent(db, {
      ...holderColumns(holder),
      user_id: userId,
      updates: JSON.stringify(updates),
      context: JSON.stringify({ via, pushOptions, cause, wasEmpty, key }),
      created_at: timestamp(deps.clock),
      process_id: deps.processes.id,
    });
    return intent!;
  });
  /** What cannot be written now is settled later; the caller is told that it failed. */
  const orLater = async <T>(work: Promise<T>, always: boolean): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (always || faultOf(error) !== null) {
        const inQueue = (work: () => Promise<void>) => deps.writes.run(repo.id, work);
        deps.leftIntents.add(repo.id, key, (key) => deps.settleIntent(holder, key), inQueue);
      }
      throw error;
    }
  };
  // A connection may be lost before or after the commit.
  const { id } = await orLater(announce, false);
  try {
    await pastStaleLocks(deps, repo, () => repo.refs.transaction(updates, request.stored));
  } catch (error) {
    // Git may have moved the refs and failed after it: only the refs themselves tell.
    if (!(await orLater(areApplied(repo, updates), true))) {
      await orLater(removeIntent(deps.db, { id }), true);
      throw error;
    }
  }
  const intent = { holder, userId, updates, via, pushOptions, cause, wasEmpty };
  await orLater(finishChange(deps, repo, id, intent, project), true);
}

async function areApplied(repo: Repository, updates: readonly RefChange[]): Promise<boolean> {
  for (const { ref, new: wanted } of updates) if ((await repo.refs.resolve(ref)) !== wanted) return false;
  return updates.length > 0;
}

/**
 * Records what follows from refs that have moved, and drops the intent, in one transaction.
 * @param project as it was when the change was announced, where it is one and somebody knows
 */
export async function finishChange(
  deps: Deps,
  repo: Repository,
  intentId: number,
  intent: Intent,
  project: Project | null = null,
): Promise<void> {
  const { holder, updates } = intent;
  const newDefault = intent.wasEmpty ? await pickDefaultBranch(deps, repo, updates) : null;
  const works = await observe(deps.refObservers, repo, intent);
  const told = { ...intent, updates: await pushedRefs(deps.pushFacts, repo, intent, project) };
  const seen = await defaultBranchFor(repo, updates);
  await deps.db.transaction().execute(async (db) => {
    const isLeft = (await removeIntent(db, { id: intentId })).length > 0;
    if (!isLeft && !(await wasDropped(deps, db, intentId))) return;
    // Meanwhile the repository may have been taken elsewhere.
    if (!isLeft && (await writableNow(within(deps, db), holder, repo)) === undefined) return;
    await RECORD[holder.type](deps, db, holder.id, told, seen);
    for (const work of works) await work(db);
    if (newDefault !== null && holder.type === 'project') {
      await protectDefaultBranch(deps, db, holder.id, newDefault);
    }
  });
}

/** Whether another process took this one for dead when no ref had moved, and dropped the intent. */
async function wasDropped(deps: Deps, db: Db, id: number): Promise<boolean> {
  if (!isShared(deps)) return false;
  const { numDeletedRows } = await db.deleteFrom('dropped_ref_intents').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
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

type DefaultBranch = DomainEvents['push']['default_branch'];

/** What events tell of the default branch, where branches were made. */
async function defaultBranchFor(repo: Repository, updates: readonly RefChange[]): Promise<DefaultBranch> {
  if (!updates.some((each) => each.old === null && each.ref.startsWith(HEADS))) return undefined;
  const name = await repo.refs.head();
  return name === null ? null : { name, sha: await repo.refs.resolve(`${HEADS}${name}`) };
}

/** Turns an intent into the event of what has happened. */
async function recordPush(deps: Deps, db: Db, projectId: number, intent: Intent, seen: DefaultBranch): Promise<void> {
  const { userId, updates, via, pushOptions } = intent;
  await touchProject(db, { id: projectId, at: timestamp(deps.clock) });
  await deps.events.record(
    db,
    'push',
    {
      project_id: projectId,
      updates: [...updates],
      push_options: [...pushOptions],
      via,
      ...(seen === undefined ? {} : { default_branch: seen }),
    },
    { projectId, actorId: userId },
  );
}

async function recordSnippetPush(deps: Deps, db: Db, snippetId: number, intent: Intent): Promise<void> {
  const { userId, updates, via } = intent;
  await db
    .updateTable('snippets')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', snippetId)
    .execute();
  const payload = { snippet_id: snippetId, updates: [...updates], via };
  await deps.events.record(db, 'snippet.pushed', payload, { actorId: userId });
  await enqueueUpkeep(deps, db, { type: 'snippet', id: snippetId });
}

async function recordWikiPush(deps: Deps, db: Db, wikiId: number, intent: Intent): Promise<void> {
  const { userId, updates, via } = intent;
  const wiki = await db
    .updateTable('wikis')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', wikiId)
    .returning(['project_id', 'namespace_id'])
    .executeTakeFirst();
  if (wiki === undefined) return;
  const { project_id, namespace_id } = wiki;
  const payload = { wiki_id: wikiId, project_id, group_id: namespace_id, updates: [...updates], via };
  await deps.events.record(db, 'wiki.pushed', payload, {
    projectId: project_id,
    groupId: namespace_id,
    actorId: userId,
  });
  await enqueueUpkeep(deps, db, { type: 'wiki', id: wikiId });
}

/** By type of holder. */
const RECORD = { project: recordPush, snippet: recordSnippetPush, wiki: recordWikiPush };
