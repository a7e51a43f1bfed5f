import { requireSnippetUpdate } from '../../../access/access.snippets.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { snippetFacts } from '../../../core/event-facts.ts';
import { removeBelongings } from '../../../db/db.removal.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Snippet } from '../../../db/tables/snippets.table.ts';
import type { Deps } from '../../../deps.ts';
import { locationOf } from '../../../repositories/holder.ts';
import { enqueueRemoval } from '../../../repositories/repository.removal.ts';

/** Number of rows deleted per query. */
const BATCH = 500;
const COLUMNS = [
  'id',
  'project_id',
  'title',
  'description',
  'visibility',
  'author_id',
  'created_at',
  'updated_at',
] as const;
type Doomed = Pick<Snippet, (typeof COLUMNS)[number]>;

/**
 * Deletes a snippet: its rows and notes immediately, its repository in the background.
 * @throws ApiError 401, 403, 404 if the caller has lost the right
 */
export async function destroySnippet(deps: Deps, snippet: Doomed, caller: UserCaller): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await requireSnippetUpdate(transactionDeps(deps, db), caller, snippet.id);
    await destroySnippetsWithin(deps, db, [snippet], caller.user.id);
  });
}

/** Deletes snippets with the handle of a transaction, and enqueues the jobs that delete their repositories. */
async function destroySnippetsWithin(
  deps: Deps,
  db: Db,
  snippets: readonly Doomed[],
  actorId: number | null,
): Promise<void> {
  for (let from = 0; from < snippets.length; from += BATCH) {
    const batch = snippets.slice(from, from + BATCH);
    const ids = batch.map(({ id }) => id);
    await removeBelongings(db, 'Snippet', ids);
    await db.deleteFrom('ref_intents').where('snippet_id', 'in', ids).execute();
    // The repository may have moved since the row was read.
    const deleted = await db
      .deleteFrom('snippets')
      .where('id', 'in', ids)
      .returning(['repository_storage', 'disk_path'])
      .execute();
    for (const row of deleted) await enqueueRemoval(deps, db, locationOf(row));
    for (const snippet of batch) {
      const { id, project_id, title } = snippet;
      const about = { projectId: project_id, actorId };
      await deps.events.record(
        db,
        'snippet.destroyed',
        { snippet_id: id, project_id, title, snippet: snippetFacts(snippet) },
        about,
      );
    }
  }
}

/** Deletes the snippets of projects before the projects are deleted, as `destroySnippetsWithin` does. */
export async function destroySnippetsOfProjects(
  deps: Deps,
  db: Db,
  projectIds: readonly number[],
  actorId: number | null,
): Promise<void> {
  const snippets = await db.selectFrom('snippets').select(COLUMNS).where('project_id', 'in', projectIds).execute();
  await destroySnippetsWithin(deps, db, snippets, actorId);
}

/**
 * Deletes the personal snippets of a user before the user is deleted.
 * @param all whether to include their project snippets
 */
export async function destroySnippetsOfUser(
  deps: Deps,
  db: Db,
  userId: number,
  all: boolean,
  actorId: number,
): Promise<void> {
  let query = db.selectFrom('snippets').select(COLUMNS).where('author_id', '=', userId);
  if (!all) query = query.where('project_id', 'is', null);
  await destroySnippetsWithin(deps, db, await query.execute(), actorId);
}
