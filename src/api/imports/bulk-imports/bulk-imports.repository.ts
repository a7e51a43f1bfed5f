import { inBatches } from '../../../db/in-batches.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import type { BulkImport } from '../../../db/tables/bulk-imports.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { importRepository, RemoteError } from '../../../git/remote/index.ts';
import type { ImportedObject } from '../../../import-export/imports/coerce-import.ts';
import { recordFailure } from '../../../import-export/imports/trackers.ts';
import { importWiki } from '../../../import-export/imports/wiki.ts';
import { importLfsObjects } from '../../../mirroring/lfs/lfs-mirror.import.ts';
import { remoteSource, withCredentials } from '../../../mirroring/mirroring.address.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { refreshMergeRequest } from '../../planning/index.ts';
import { fillRepository } from '../../spaces/index.ts';
import type { RelationImport } from './relations.ts';

const MIB = 1024 * 1024;
const BATCH_SIZE = 100;
const RELATION = 'repository';

/** Fetches the repository of a project with git, as imports by URL do. @returns the updated project */
export async function fetchRepository(
  deps: Deps,
  entity: BulkImportEntity,
  { source_url, token }: BulkImport,
  project: Project,
  signal: AbortSignal,
): Promise<Project> {
  if (project.import_status === 'finished' || project.import_status === 'failed') return project;
  const address = withCredentials(`${source_url}/${entity.source_full_path}.git`, { user: 'oauth2', password: token! });
  const maxBytes = await bytesOf(deps);
  let problem: string | null = null;
  await fillRepository(deps, { project_id: project.id, disk_path: entity.disk_path }, async () => {
    const source = await remoteSource(deps, address);
    const location = { storage: project.repository_storage, diskPath: entity.disk_path };
    return {
      make: async (dir) => {
        const options = { defaultBranch: await defaultBranchName(deps), maxBytes, signal };
        await importRepository(source, dir, options).catch((error: unknown) => {
          // Created by an earlier run.
          if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
        });
        problem = await importLfsObjects(deps, project, deps.storages.open(location), source, signal);
      },
      failure: 'The repository could not be fetched.',
    };
  });
  const now = await deps.db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
  const message =
    now.import_status === 'failed' ? (now.import_error ?? 'The repository could not be fetched.') : problem;
  if (message !== null)
    await recordFailure(deps, deps.db, entity.id, { relation: RELATION, kind: 'GitError', message });
  return now;
}

/** Path of a repository below that of its project or group. */
export const pathOf = (of: { type: 'wiki' } | { type: 'snippet'; id: number }): string =>
  of.type === 'wiki' ? '.wiki' : `/snippets/${of.id}`;

async function bytesOf(deps: Deps): Promise<number> {
  const { max_import_size } = await applicationSettings(deps);
  const { push } = deps.config.limits;
  return max_import_size === 0 ? push : Math.min(push, max_import_size * MIB);
}

/**
 * Fetches a repository of the source server into a new folder.
 * @returns false if it is empty
 * @throws GitError, RemoteError
 */
export async function fetchRepositoryInto(
  deps: Deps,
  { source_url, token }: BulkImport,
  { path, dir, signal }: { path: string; dir: string; signal: AbortSignal },
): Promise<boolean> {
  const source = await remoteSource(
    deps,
    withCredentials(`${source_url}/${path}.git`, { user: 'oauth2', password: token! }),
  );
  await importRepository(source, dir, {
    defaultBranch: await defaultBranchName(deps),
    maxBytes: await bytesOf(deps),
    signal,
  });
  const repo = deps.storages.pool.get(`new:${dir}`, dir);
  try {
    return (await repo.refs.list('refs/heads/')).length > 0;
  } finally {
    deps.storages.pool.evict(`new:${dir}`);
  }
}

/** Fetches the wiki, if the source server has one. */
export async function fetchWiki(
  { deps, entity, importContext, signal }: RelationImport,
  object: ImportedObject,
): Promise<void> {
  if (object.wiki_access_level === 'disabled' || object.wiki_enabled === false) return;
  try {
    await importWiki(importContext);
  } catch (error) {
    if (!(error instanceof GitError) || signal.aborted) throw error;
    // Group wikis are not part of every plan.
    const absent = error instanceof RemoteError && (error.failure === 'not_found' || entity.entity_type === 'group');
    if (!absent)
      await recordFailure(deps, deps.db, entity.id, { relation: 'wiki', kind: 'GitError', message: error.message });
  }
}

/** Creates versions of the imported open merge requests, and checks their mergeability. */
export async function refreshOpened(deps: Deps, { id }: Project): Promise<void> {
  const opened = deps.db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', id)
    .where('state', '=', 'opened')
    .where('latest_diff_id', 'is', null);
  for await (const rows of inBatches(opened, BATCH_SIZE, 'id')) {
    for (const row of rows) await refreshMergeRequest(deps, row.id);
  }
}
