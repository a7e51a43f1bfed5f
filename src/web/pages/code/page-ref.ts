import { type PageContext, PageNotFound } from '../../core/page.ts';
import { apiPathOf, encodePath, type ProjectFacts, projectPath } from '../project-frame.ts';

/** Longest name of a branch or tag that is looked for, in parts between slashes. */
const MAX_PARTS = 20;

/** A branch, tag or commit in an address, and what follows it. */
export interface PageRef {
  /** As it is written. */
  ref: string;
  /** Id of the commit. */
  sha: string;
  /** Empty for the root. */
  path: string;
}

/**
 * Splits `feature/x/docs/a.md` into ref and path: the longest name of a commit wins.
 * @throws PageNotFound if it does not begin with one, or the user may not see the code
 */
export async function pageRefOf({ api, params }: PageContext, rest: string): Promise<PageRef> {
  const parts = rest.replace(/\/+$/, '').split('/');
  for (let length = Math.min(parts.length, MAX_PARTS); length > 0; length -= 1) {
    const ref = parts.slice(0, length).join('/');
    const commit = await commitOf(api, params.project!, ref);
    if (commit !== null) return { ref, sha: commit.id, path: parts.slice(length).join('/') };
  }
  throw new PageNotFound();
}

/** The commit of a branch, tag or id; null if there is none. */
export const commitOf = (api: PageContext['api'], project: string, ref: string): Promise<{ id: string } | null> =>
  ref === ''
    ? Promise.resolve(null)
    : api.find<{ id: string }>(`${apiPathOf(project)}/repository/commits/${encodeURIComponent(ref)}`, { stats: false });

/** Path of a page about a place in the repository. */
export const placePath = (
  project: ProjectFacts,
  kind: 'tree' | 'blob' | 'raw' | 'blame' | 'commits',
  ref: string,
  path: string,
): string => projectPath(project, `${kind}/${encodePath(ref)}${path === '' ? '' : `/${encodePath(path)}`}`);
