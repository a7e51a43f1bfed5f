import { hash } from 'node:crypto';
import { globMatcher } from '../../../ci/globs.ts';
import type { Cache } from '../../../ci/pipeline-config.ts';
import type { CiJob } from '../../../db/tables/ci-jobs.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { lastCommitOf } from '../../../git/history/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { entryAt, listAll, treeOf } from '../../../git/trees/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';

/** Maximum number of files per cache key, for globs that match many. */
const MAX_FILES = 1_000;

interface Separation {
  /** Whether jobs of protected refs use separate caches. */
  separated: boolean;
  /** Whether the job may use the caches of protected refs. */
  trusted: boolean;
}

/** Returns the caches of a job with their keys. The runner replaces variables in them. */
export async function cachesOf(
  deps: Deps,
  { job, project }: { job: CiJob; project: Project },
  caches: readonly Cache[],
  { separated, trusted }: Separation,
) {
  const made = [];
  // At most four, limited by the configuration.
  for (const [index, cache] of caches.entries()) {
    const suffix = !separated || cache.unprotect ? '' : trusted ? '-protected' : '-non_protected';
    const { key, paths, untracked, policy, when, fallbackKeys } = cache;
    const name = typeof key === 'string' ? key : await keyOfFiles(repositoryOf(deps, project), job.sha, key, index);
    const fallback_keys = fallbackKeys.map((each) => `${each}${suffix}`);
    made.push({ key: `${name}${suffix}`, untracked, paths, policy, when, fallback_keys });
  }
  return made;
}

/** Returns a key that changes whenever one of the files does. */
async function keyOfFiles(
  repo: Repository,
  sha: string,
  { files, filesCommits, prefix }: Exclude<Cache['key'], string>,
  index: number,
): Promise<string> {
  const entries = await filesAt(repo, sha, files);
  const ids = filesCommits
    ? await Promise.all(entries.map(async ({ path, oid }) => (await lastCommitOf(repo, sha, path)) ?? oid))
    : entries.map(({ oid }) => oid);
  const content = ids.length === 0 ? 'default' : hash('sha1', ids.toSorted().join('-'));
  return `${prefix ?? `${index}_${files.map(stem).join('_')}`}-${content}`;
}

const stem = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '');

interface BlobEntry {
  path: string;
  oid: string;
}

async function filesAt(repo: Repository, sha: string, files: readonly string[]): Promise<BlobEntry[]> {
  const entries = new Map<string, BlobEntry>();
  const globs = files.filter((file) => /[*?[{]/.test(file));
  for (const path of files.filter((file) => !globs.includes(file))) {
    const entry = await entryAt(repo, sha, path.replace(/^\/+/, ''));
    if (entry?.type === 'blob') entries.set(path, { path, oid: entry.oid });
  }
  const tree = globs.length === 0 ? null : await treeOf(repo, sha);
  if (tree !== null) {
    const fits = globMatcher(globs);
    const all = await listAll(repo, tree);
    for (const { path, oid } of all.filter(({ type, path }) => type === 'blob' && fits(path)).slice(0, MAX_FILES)) {
      entries.set(path, { path, oid });
    }
  }
  return [...entries.values()];
}
