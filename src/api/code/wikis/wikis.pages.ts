import { GitError } from '../../../git/git.errors.ts';
import type { Repository } from '../../../git/git.repository.ts';
import { listTree, treeOf } from '../../../git/git.tree.ts';
import { cacheKey, ResultCache } from '../../../git/result-cache.ts';
import { type PagePath, pageAt } from './page-paths.ts';

/** Past this a wiki is not read: a few small trees can stand for millions of paths. */
const MAX_ENTRIES = 50_000;
const LINK = '120000';

/** A page as it is in one commit. */
export interface WikiPage extends PagePath {
  path: string;
  /** Id of the blob that holds its text. */
  blob: string;
}

/** The pages of a wiki in one commit. */
export class PageIndex {
  /** By their paths. */
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

  /** The page of a slug, or of a title with spaces in the place of hyphens; letter case decides only between two pages. */
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
const indexes = new ResultCache<PageIndex>(16 * 1024 * 1024, ({ pages }) =>
  pages.reduce((sum, { path }) => sum + 8 * path.length + 500, 200),
);

/**
 * The pages of a wiki. Reads its folders through the warm object reader; symbolic links and submodules are never followed.
 * @param commit id of a commit; null for a wiki without one
 * @throws GitError `output_too_large` past 50,000 files and folders, `corrupt`
 */
export async function pagesOf(repo: Repository, commit: string | null): Promise<PageIndex> {
  const tree = commit === null ? null : await treeOf(repo, commit);
  if (tree === null) return NO_PAGES;
  return indexes.get(cacheKey(repo.id, tree, 'pages'), async () => {
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

/** Where the default branch of a wiki is; null while it has no page. */
export async function headOf(repo: Repository): Promise<{ branch: string; oid: string | null }> {
  const branch = (await repo.refs.head()) ?? 'main';
  return { branch, oid: await repo.refs.resolve(`refs/heads/${branch}`) };
}
