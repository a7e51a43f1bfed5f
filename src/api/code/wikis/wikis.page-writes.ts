import type { Static } from 'typebox';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { FileAction } from '../../../git/commits/index.ts';
import { contentBytes, type FileContent } from '../../../git/files/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { entryAt, listTree } from '../../../git/trees/index.ts';
import { contentOf, maxContentBytes, textFor, withMatter } from './page-content.ts';
import { fileOf, pathFor, renamedSlug, slugOf, unhyphenated } from './page-paths.ts';
import type { createPage as CreateInput, updatePage as UpdateInput } from './wikis.inputs.ts';
import type { PageIndex, WikiPage } from './wikis.pages.ts';
import { commitToWiki, requirePage, type WikiChange, type WikiState } from './wikis.writes.ts';

/** Maximum number of pages and files below a page that is renamed. */
const MAX_BELOW = 1_000;

/** A written page with its content. */
export interface WrittenPage {
  slug: string;
  repo: Repository;
  head: string | null;
}

/** @throws ApiError 400 if a page with that slug exists */
function refuseDuplicate(pages: PageIndex, slug: string): void {
  const other = pages.find(slug);
  if (other === undefined) return;
  throw invalidModel({ base: [`Duplicate page: A page with that title already exists in the file ${other.path}`] });
}

/** Creates a page. @throws ApiError 400 for a title that is taken, blank or too long, or content that is too long */
export async function createPage(
  deps: Deps,
  change: WikiChange,
  input: Static<typeof CreateInput>,
): Promise<WrittenPage> {
  const slug = slugOf(input.title);
  const maxBytes = maxContentBytes(deps);
  const content = await withMatter(await contentOf(input.content, maxBytes), input.front_matter, maxBytes);
  const path = fileOf(slug, input.format ?? 'markdown');
  const { repo, head } = await commitToWiki(deps, change, ({ pages }) => {
    refuseDuplicate(pages, slug);
    return { actions: [{ action: 'create', path, content }], message: messageOf(change, 'created', slug) };
  });
  return { slug, repo, head };
}

/**
 * Updates the content, title or format of a page. Pages below it are moved along.
 * @throws ApiError 404, 400 as `createPage`
 */
export async function updatePage(
  deps: Deps,
  change: WikiChange,
  slug: string,
  input: Static<typeof UpdateInput>,
): Promise<WrittenPage> {
  const maxBytes = maxContentBytes(deps);
  const sent = input.content === undefined ? undefined : await contentOf(input.content, maxBytes);
  let now = slug;
  const { repo, head } = await commitToWiki(deps, change, async (state) => {
    const { pages, repo } = state;
    const page = requirePage(pages.find(slug));
    const newSlug = slugForTitle(page, input.title);
    if (newSlug !== page.slug) {
      const other = pages.find(newSlug);
      if (other !== undefined && other !== page) {
        throw invalidModel({ base: ['There is already a page with the same title in that path.'] });
      }
    }
    now = newSlug;
    const content = await textFor(repo, page, sent, input.front_matter, maxBytes);
    const path = pathFor(page, newSlug, input.format);
    const below = newSlug === page.slug ? [] : await filesBelow(state, page.slug, newSlug);
    const own = await ownAction(repo, page, path, content);
    if (own === null && below.length === 0) return null;
    const renamed: [string, string][] =
      newSlug === page.slug ? [] : [[page.slug, newSlug], ...pagesBelow(pages, page.slug, newSlug)];
    return {
      actions: [...(own === null ? [] : [own]), ...below],
      message: messageOf(change, 'updated', newSlug),
      ...(renamed.length === 0 ? {} : { cause: { type: 'wiki_pages_moved' as const, moved: renamed } }),
    };
  });
  return { slug: now, repo, head };
}

/** Returns the slug for a title; the current slug if the title is unchanged. */
function slugForTitle(page: WikiPage, title: string | undefined): string {
  if (title === undefined) return page.slug;
  const newSlug = renamedSlug(page.slug, title);
  return unhyphenated(newSlug) === unhyphenated(page.slug) ? page.slug : newSlug;
}

/** Returns the file action for the page itself; null if it stays unchanged. */
async function ownAction(
  repo: Repository,
  page: WikiPage,
  path: string,
  content: FileContent | undefined,
): Promise<FileAction | null> {
  if (path !== page.path) {
    return { action: 'move', path, previousPath: page.path, ...(content === undefined ? {} : { content }) };
  }
  if (content === undefined) return null;
  const bytes = await contentBytes(content);
  const now = await repo.objects.read(page.blob, bytes.length);
  return now?.data?.equals(bytes) === true ? null : { action: 'update', path, content: bytes };
}

/** Returns the files in the folder of a page to be renamed, which are moved along. @throws ApiError 400 for too many */
async function filesBelow({ repo, head }: WikiState, from: string, to: string): Promise<FileAction[]> {
  const folder = head === null ? null : await entryAt(repo, head, from);
  if (folder?.type !== 'tree') return [];
  const moves: FileAction[] = [];
  for await (const { type, path } of listTree(repo, head!, from, { recursive: true })) {
    if (type === 'tree') continue;
    if (moves.length === MAX_BELOW) {
      throw invalidModel({ base: ['Too many pages below this page. Move them with git.'] });
    }
    moves.push({ action: 'move', previousPath: path, path: `${to}${path.slice(from.length)}` });
  }
  return moves;
}

/** Previous and new slugs of the pages below a renamed page. */
const pagesBelow = ({ pages }: PageIndex, from: string, to: string): [string, string][] =>
  pages.flatMap(({ slug }) => (slug.startsWith(`${from}/`) ? [[slug, `${to}${slug.slice(from.length)}`]] : []));

/** Deletes a page. @throws ApiError 404 */
export async function deletePage(deps: Deps, change: WikiChange, slug: string): Promise<void> {
  await commitToWiki(deps, change, ({ pages }) => {
    const page = requirePage(pages.find(slug));
    return { actions: [{ action: 'delete', path: page.path }], message: messageOf(change, 'deleted', page.slug) };
  });
}

const messageOf = ({ caller }: WikiChange, done: 'created' | 'updated' | 'deleted', slug: string): string =>
  `${caller.user.username} ${done} page: ${unhyphenated(slug)}`;
