import { timestamp } from '../../../core/clock.ts';
import type { WikiPageFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import type { Intent } from '../../../repositories/intent.ts';
import type { RefObserver } from '../../../repositories/ref-observers.ts';
import { type PageIndex, pagesOf, type WikiPage } from './wikis.pages.ts';

/** Maximum number of pages with events per change, as on the platform. */
const MAX_EVENTS = 100;
/** Maximum number of pages that get an id in the transaction of the change. */
const MAX_NUMBERED = 2_000;
const BATCH = 200;
const MAX_MESSAGE = 10_000;

type Action = 'created' | 'updated' | 'destroyed';

interface PageChange {
  action: Action;
  page: WikiPage;
  /** Its previous slug, if it was renamed. */
  from?: string;
}

/**
 * Assigns ids to the pages that a change of a wiki creates, updates and deletes, and records events for them. Runs in
 * the transaction of the change, whether by the API or by a push.
 */
export const recordWikiPages =
  (deps: Deps): RefObserver =>
  async (repo, change) => {
    const ref = `refs/heads/${(await repo.refs.head()) ?? 'main'}`;
    const update = change.updates.find((update) => update.ref === ref);
    if (update === undefined) return null;
    const changes = await changesOf(repo, update, change);
    if (changes.length === 0) return null;
    const commit = update.new === null ? null : await repo.objects.commit(update.new);
    const facts = { message: commit?.message.slice(0, MAX_MESSAGE) ?? '', sha: update.new, previous_sha: update.old };
    return (db) => record(deps, db, change, changes, facts);
  };

async function changesOf(
  repo: Repository,
  update: { old: string | null; new: string | null },
  { cause }: Intent,
): Promise<PageChange[]> {
  try {
    const [before, after] = [await pagesOf(repo, update.old), await pagesOf(repo, update.new)];
    return pageChanges(before, after, cause?.type === 'wiki_pages_moved' ? cause.moved : []).slice(0, MAX_NUMBERED);
  } catch (error) {
    // The refs have already moved: pages that cannot be read get no event.
    if (error instanceof GitError) return [];
    throw error;
  }
}

/**
 * Compares the pages of two commits. A deleted page and a created one with the same content count as one renamed page.
 * @param moved previous and new slugs of pages that are known to be renamed
 */
function pageChanges(before: PageIndex, after: PageIndex, moved: readonly [string, string][]): PageChange[] {
  const bySlug = ({ pages }: PageIndex) => new Map(pages.map((page) => [page.slug, page]));
  const [old, now] = [bySlug(before), bySlug(after)];
  const deleted = [...old.values()].filter(({ slug }) => !now.has(slug));
  const come = [...now.values()].filter(({ slug }) => !old.has(slug));
  const from = new Map(moved.map(([before, after]) => [after, before]));
  const sameText = new Map(deleted.map(({ blob, slug }) => [blob, slug]));
  const changes: PageChange[] = [];
  const renamed = new Set<string>();
  for (const page of come) {
    const slug = from.get(page.slug) ?? sameText.get(page.blob);
    const known = slug !== undefined && old.has(slug) && !now.has(slug) && !renamed.has(slug);
    if (known) renamed.add(slug);
    changes.push(known ? { action: 'updated', page, from: slug } : { action: 'created', page });
  }
  for (const page of now.values()) {
    const then = old.get(page.slug);
    if (then !== undefined && (then.blob !== page.blob || then.path !== page.path)) {
      changes.push({ action: 'updated', page });
    }
  }
  for (const page of deleted) if (!renamed.has(page.slug)) changes.push({ action: 'destroyed', page });
  return changes;
}

async function record(
  deps: Deps,
  db: Db,
  { holder, userId }: Intent,
  changes: readonly PageChange[],
  facts: Pick<WikiPageFacts, 'message' | 'sha' | 'previous_sha'>,
): Promise<void> {
  const wiki = await db
    .selectFrom('wikis')
    .select(['project_id', 'namespace_id'])
    .where('id', '=', holder.id)
    .executeTakeFirst();
  if (wiki === undefined) return;
  const ids = await numberPages(deps, db, holder.id, changes);
  const { project_id, namespace_id: group_id } = wiki;
  const about = { projectId: project_id, groupId: group_id, actorId: userId };
  for (const action of ['created', 'updated', 'destroyed'] as const) {
    const payloads = changes
      .slice(0, MAX_EVENTS)
      .filter((change) => change.action === action)
      .map(({ page: { slug, title, path, format } }) => ({
        wiki_page_id: ids.get(slug)!,
        project_id,
        group_id,
        page: { title, slug, path, format, ...facts },
      }));
    if (payloads.length > 0) await deps.events.recordAll(db, `wiki_page.${action}`, payloads, about);
  }
}

/** @returns ids by slug */
async function numberPages(
  deps: Deps,
  db: Db,
  wikiId: number,
  changes: readonly PageChange[],
): Promise<Map<string, number>> {
  const now = timestamp(deps.clock);
  for (const { page, from } of changes) if (from !== undefined) await rename(db, wikiId, from, page, now);
  const ids = new Map<string, number>();
  for (let at = 0; at < changes.length; at += BATCH) {
    const rows = await db
      .insertInto('wiki_pages')
      .values(
        changes.slice(at, at + BATCH).map(({ page: { slug, title, format } }) => ({
          wiki_id: wikiId,
          slug,
          title,
          format,
          created_at: now,
          updated_at: now,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['wiki_id', 'slug']).doUpdateSet((eb) => ({
          title: eb.ref('excluded.title'),
          format: eb.ref('excluded.format'),
          updated_at: now,
        })),
      )
      .returning(['id', 'slug'])
      .execute();
    for (const { id, slug } of rows) ids.set(slug, id);
  }
  return ids;
}

/** Keeps the id of a renamed page, unless another page already had the new name. */
async function rename(db: Db, wikiId: number, from: string, { slug, title }: WikiPage, now: string): Promise<void> {
  await db
    .updateTable('wiki_pages')
    .set({ slug, title, updated_at: now })
    .where('wiki_id', '=', wikiId)
    .where('slug', '=', from)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('wiki_pages as other')
            .select('other.id')
            .where('other.wiki_id', '=', wikiId)
            .where('other.slug', '=', slug),
        ),
      ),
    )
    .execute();
}
