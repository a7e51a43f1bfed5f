import type { Static } from 'typebox';
import { ApiError, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import { TextDecoding } from '../../../git/common/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { issueLinksOf } from '../../../integrations/trackers/trackers.issue-links.ts';
import { renderMarkup } from '../../../markup/markup.render.ts';
import { frontMatterOf, withoutFrontMatter } from './front-matter.ts';
import type { WikiScope } from './wikis.access.ts';
import type { WikiPage } from './wikis.pages.ts';
import type { WikiPageBasic, WikiPage as WikiPageSchema } from './wikis.responses.ts';

/** Maximum size of the content of a page in a response. */
const MAX_SHOWN = 20 * 1024 * 1024;
/** Maximum total size of contents in a list. */
const MAX_SHOWN_TOGETHER = 50 * 1024 * 1024;
/** Memory for bytes, text, JSON and response at the same time, per byte. */
const MEMORY_FACTOR = 5;
/** Contents up to this size are read without reserving memory. */
const SMALL = 1024 * 1024;

type Hold = (bytes: number) => Promise<void>;

const tooLarge = (what: string) => new ApiError(413, `413 Request Entity Too Large - ${what}; clone the wiki`);

/** Loads the ids of the pages of a wiki, by slug. @param slug all pages when absent */
export async function numbersOf(db: Db, wikiId: number, slug?: string): Promise<Map<string, number>> {
  let query = db.selectFrom('wiki_pages').select(['id', 'slug']).where('wiki_id', '=', wikiId);
  if (slug !== undefined) query = query.where('slug', '=', slug);
  return new Map((await query.execute()).map(({ id, slug }) => [slug, id]));
}

export type WikiPageJson = Static<typeof WikiPageBasic>;

/** Loads pages by id, in their last known state, including deleted ones. */
export async function wikiPagesById(db: Db, ids: readonly number[]): Promise<Map<number, WikiPageJson>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('wiki_pages')
    .select(['id', 'slug', 'title', 'format'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...page }) => [id, { ...page, wiki_page_meta_id: id }]));
}

/** Renders a page without its content. */
export const presentBasic = (
  { format, slug, title }: WikiPage,
  numbers: ReadonlyMap<string, number>,
): WikiPageJson => ({ format, slug, title, wiki_page_meta_id: numbers.get(slug) ?? null });

/** Reads the contents of pages, in order. @throws ApiError 413 if they are too large, 429, 503 if memory is scarce */
export async function readTexts(repo: Repository, pages: readonly WikiPage[], hold: Hold): Promise<string[]> {
  let total = 0;
  for (const { blob, slug } of pages) {
    const info = await repo.objects.info(blob);
    if (info === null) throw notFound('Wiki Page');
    if (info.size > MAX_SHOWN) throw tooLarge(`the page ${slug} is too large for this endpoint`);
    total += info.size;
    if (total > MAX_SHOWN_TOGETHER) throw tooLarge('the pages are too large for one response: request them one by one');
  }
  if (total > SMALL) await hold(total * MEMORY_FACTOR);
  const decoding = new TextDecoding();
  const texts: string[] = [];
  for (const { blob } of pages) {
    const read = await repo.objects.read(blob, MAX_SHOWN);
    if (!read?.data) throw notFound('Wiki Page');
    texts.push(await decoding.text(read.data));
  }
  return texts;
}

/** Renders the content of a page as HTML, without front matter. @throws ApiError 422 if it takes too long, 429, 503 */
export async function htmlOf(
  deps: Deps,
  { owner, fullPath }: WikiScope,
  page: WikiPage,
  text: string,
  hold: Hold,
): Promise<string> {
  const base = `${owner.type === 'group' ? '/groups' : ''}/${fullPath}/-/wikis`;
  const { blob, format, slug } = page;
  const request = {
    text: withoutFrontMatter(text),
    format,
    base: new URL(deps.externalUrl()).pathname.replace(/\/$/, '') + base,
    slug,
  };
  const issues = owner.type === 'project' ? await issueLinksOf(deps, owner.id) : undefined;
  const html = await renderMarkup(`${blob} ${format} ${request.base} ${slug}`, {
    ...request,
    ...(issues === undefined ? {} : { issues }),
  });
  if (html.length > SMALL) await hold(html.length * MEMORY_FACTOR);
  return html;
}

/**
 * Renders a page with its content.
 * @param content replaces the content
 */
export const presentPage = (
  page: WikiPage,
  numbers: ReadonlyMap<string, number>,
  text: string,
  content = text,
): Static<typeof WikiPageSchema> => ({
  ...presentBasic(page, numbers),
  content,
  encoding: 'UTF-8',
  front_matter: frontMatterOf(text),
});
