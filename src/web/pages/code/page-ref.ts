import { findProject } from '../../../access/lookup.ts';
import { encodePath } from '../../../core/core.paths.ts';
import { splitRefPath } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { type PageContext, PageNotFound } from '../../core/page.ts';
import { apiPathOf, type ProjectFacts, projectPath } from '../project-frame.ts';

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
 * Splits `feature/x/docs/a.md` into ref and path: the longest branch or tag wins.
 * @throws PageNotFound if it does not begin with a commit, or the user may not see the code
 */
export async function pageRefOf({ api, deps }: PageContext, { id }: ProjectFacts, rest: string): Promise<PageRef> {
  const match = await findProject(deps, String(id));
  const split = match && (await splitRefPath(repositoryOf(deps, match.project), rest.replace(/\/+$/, '')));
  // The API says whether the user may see it.
  const commit = split ? await commitOf(api, String(id), split.ref) : null;
  if (!split || commit === null) throw new PageNotFound();
  return { ref: split.ref, sha: commit.id, path: split.path };
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
