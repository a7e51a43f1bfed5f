import { notFound, refused } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { diffTrees } from '../../../git/diff/index.ts';
import { listCommits, mergeBase } from '../../../git/history/index.ts';
import { type Repository, resolveRevision, withAlternates } from '../../../git/repository/index.ts';
import type { Serialized } from '../../../http/http.send.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { presentDiff } from '../commits/commits.diff-views.ts';
import type { CommitJson } from '../commits/commits.inputs.ts';
import { presentCommit, projectUrl } from '../commits/commits.views.ts';

/** Maximum number of commits shown: the newest. */
const MAX_COMMITS = 5_000;
/** Number of commits read at once. */
const BATCH = 200;

export interface CompareRequest {
  /** Branch, tag or commit of `fromProject`. */
  from: string;
  /** Branch, tag or commit of the project itself. */
  to: string;
  /** A project of the same fork network; the project itself when absent. */
  fromProject: Project;
  /** Compare with `from` itself instead of the merge base. */
  straight: boolean;
  unidiff: boolean;
}

/**
 * Compares two revisions. Cached, since the result depends on the ids of the two commits.
 * @throws ApiError 404 `404 Ref Not Found`
 */
export async function compareRevisions(deps: Deps, project: Project, request: CompareRequest): Promise<Serialized> {
  const { fromProject, straight, unidiff } = request;
  const repo = repositoryOf(deps, project);
  const source = fromProject.id === project.id ? repo : repositoryOf(deps, fromProject);
  const from = (await resolveRevision(source, request.from))?.oid;
  const to = (await resolveRevision(repo, request.to))?.oid;
  if (from === undefined || to === undefined) throw notFound('Ref');
  const webUrl = projectUrl(deps, project);
  const key = `compare:${source.id}:${repo.id}:${webUrl}:${from}:${to}:${straight}:${unidiff}`;
  return deps.immutableResponses.get(key, async () => {
    const make = (readable: Repository) => compareCommits(readable, webUrl, { from, to, straight, unidiff });
    const compared = source === repo ? await make(repo) : await withAlternates(source, repo, make);
    if (compared === null) throw refused('The two repositories use different object formats');
    return compared;
  });
}

async function compareCommits(
  repo: Repository,
  webUrl: string,
  { from, to, straight, unidiff }: { from: string; to: string; straight: boolean; unidiff: boolean },
) {
  const base = straight ? from : await mergeBase(repo, [from, to]);
  const oids = await listCommits(repo, { from: [to], not: [from], limit: MAX_COMMITS + 1 });
  const { files, overflow } = await diffTrees(repo, base, to);
  const commits = await presentAll(repo, oids.slice(0, MAX_COMMITS).toReversed(), webUrl);
  return {
    commit: commits.at(-1) ?? null,
    commits,
    diffs: files.map((file) => presentDiff(file, unidiff)),
    compare_timeout: overflow || oids.length > MAX_COMMITS,
    compare_same_ref: from === to,
    web_url: `${webUrl}/-/compare/${from}${straight ? '..' : '...'}${to}`,
  };
}

async function presentAll(repo: Repository, oids: readonly string[], webUrl: string): Promise<CommitJson[]> {
  const shown: CommitJson[] = [];
  for (let at = 0; at < oids.length; at += BATCH) {
    const batch = await Promise.all(oids.slice(at, at + BATCH).map((oid) => repo.objects.commit(oid)));
    for (const commit of batch) if (commit !== null) shown.push(presentCommit(commit, webUrl));
  }
  return shown;
}

/**
 * Returns the merge base of all revisions.
 * @throws ApiError 400 for fewer than two revisions or unknown ones, 404 if they share no history
 */
export async function findMergeBase(deps: Deps, project: Project, refs: readonly string[]): Promise<CommitJson> {
  if (refs.length < 2) throw refused('Provide at least 2 refs');
  const repo = repositoryOf(deps, project);
  const oids: string[] = [];
  const unknown: string[] = [];
  for (const ref of refs) {
    const revision = await resolveRevision(repo, ref);
    if (revision === null) unknown.push(ref);
    else oids.push(revision.oid);
  }
  if (unknown.length > 0)
    throw refused(`Could not find ${unknown.length === 1 ? 'ref' : 'refs'}: ${unknown.join(', ')}`);
  const base = await mergeBase(repo, oids);
  const commit = base === null ? null : await repo.objects.commit(base);
  if (commit === null) throw notFound('Merge Base');
  return presentCommit(commit, projectUrl(deps, project));
}
