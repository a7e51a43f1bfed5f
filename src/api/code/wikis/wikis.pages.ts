import { cacheKey, GitError, ResultCache } from '../../../git/common/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { listTree, treeOf } from '../../../git/trees/index.ts';
import { type PagePath, pageAt } from './page-paths.ts';

/** Larger wikis are not read: a few small trees can stand for millions of paths. */
const MAX_ENTRIES = 50_000;
const LINK = '120000';

/** A page at a commit. */
export interface WikiPage extends PagePath {
  path: string;
  /** Id of the blob with its content. */
  blob: string;
}

/** The pages of a wiki at a commit. */
export class PageIndex {
  /** Ordered by path. */
  readonly pages: readonly WikiPage[];
  readonly #exact = new Map<string, WikiPage>();
  readonly #folded = new Map<string, WikiPage>();

  constructor(pages: readonly WikiPage[]) {
    this.pages = pages;
    for (const page of pages) {
      if (!this.#exact.has(page.slug)) this.#exact.set(page.slug, page);
      const folded = page.slug.toLowerCase();
      if (!this.#folded.has(folded)) this.#folded.set(folded, page);
    }
  }

  /** Finds a page by slug, or by title with spaces instead of hyphens; case-sensitive only if several pages match. */
  find(slug: string): WikiPage | undefined {
    const hyphened = slug.replaceAll(' ', '-');
    return (
      this.#exact.get(slug) ??
      this.#exact.get(hyphened) ??
      this.#folded.get(slug.toLowerCase()) ??
      this.#folded.get(hyphened.toLowerCase())
    );
  }
}

const NO_PAGES = new PageIndex([]);
const indexes = new ResultCache<PageIndex>('wiki_indexes', ({ pages }) =>
  pages.reduce((sum, { path }) => sum + 8 * path.length + 500, 200),
);

/**
 * Reads the pages of a wiki. Symbolic links and submodules are not followed.
 * @param commit id of a commit; null for an empty wiki
 * @throws GitError `output_too_large` above 50,000 files and folders, `corrupt`
 */
export async function pagesOf(repo: Repository, commit: string | null): Promise<PageIndex> {
  const tree = commit === null ? null : await treeOf(repo, commit);
  if (tree === null) return NO_PAGES;
  return indexes.get(cacheKey(repo.key, tree, 'pages'), async () => {
    const pages: WikiPage[] = [];
    let entries = 0;
    for await (const { type, mode, path, oid } of listTree(repo, tree, '', { recursive: true })) {
      entries += 1;
      if (entries > MAX_ENTRIES) throw new GitError('output_too_large', 'The wiki has too many files to be listed.');
      const page = type === 'blob' && mode !== LINK ? pageAt(path) : null;
      if (page !== null) pages.push({ ...page, path, blob: oid });
    }
    return new PageIndex(pages);
  });
}

/** Returns the default branch of a wiki and its commit; null for an empty wiki. */
export async function headOf(repo: Repository): Promise<{ branch: string; oid: string | null }> {
  const branch = (await repo.refs.head()) ?? 'main';
  return { branch, oid: await repo.refs.resolve(`refs/heads/${branch}`) };
}
