import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Commit } from '../../../git/objects/index.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject } from '../../api.access.ts';

/** Callers who may read the code, including anonymous callers of public projects. */
export const commitReader = inProject('read_code', { anonymous: true });
export const CommitSha = { sha: Type.String({ description: 'Commit, branch or tag.' }) };

export interface ResolvedCommit {
  repo: Repository;
  commit: Commit;
}

/** Resolves an id, branch or tag to the id of its commit. @throws ApiError 404 `404 Commit Not Found` */
export async function findCommitId(
  deps: Deps,
  project: Project,
  sha: string,
): Promise<{ repo: Repository; oid: string }> {
  const repo = repositoryOf(deps, project);
  const revision = await resolveRevision(repo, sha);
  if (revision === null) throw notFound('Commit');
  return { repo, oid: revision.oid };
}

/** Resolves an id, branch or tag to its commit. @throws ApiError 404 `404 Commit Not Found` */
export async function findCommit(deps: Deps, project: Project, sha: string): Promise<ResolvedCommit> {
  const { repo, oid } = await findCommitId(deps, project, sha);
  const commit = await repo.objects.commit(oid);
  if (commit === null) throw notFound('Commit');
  return { repo, commit };
}
