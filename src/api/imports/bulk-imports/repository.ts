import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import type { BulkImport } from '../../../db/tables/bulk-imports.ts';
import type { Project } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/errors.ts';
import { importRepository } from '../../../git/import.ts';
import { recordFailure } from '../../../import-export/imports/trackers.ts';
import { remoteSource, withCredentials } from '../../../mirroring/address.ts';
import { importLfsObjects } from '../../../mirroring/lfs/import.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { refreshMergeRequest } from '../../planning/index.ts';
import { fillRepository } from '../../spaces/index.ts';

const MIB = 1024 * 1024;
const AT_ONCE = 100;
const RELATION = 'repository';

/** Fetches the repository of a project with git, as imports by URL do. @returns the project as it is then */
export async function fetchRepository(
  deps: Deps,
  entity: BulkImportEntity,
  { source_url, token }: BulkImport,
  project: Project,
  signal: AbortSignal,
): Promise<Project> {
  if (project.import_status === 'finished' || project.import_status === 'failed') return project;
  const address = withCredentials(`${source_url}/${entity.source_full_path}.git`, { user: 'oauth2', password: token! });
  const { max_import_size } = await applicationSettings(deps);
  const { push } = deps.config.limits;
  const maxBytes = max_import_size === 0 ? push : Math.min(push, max_import_size * MIB);
  let problem: string | null = null;
  await fillRepository(deps, { project_id: project.id, disk_path: entity.disk_path }, async () => {
    const source = await remoteSource(deps, address);
    const location = { storage: project.repository_storage, diskPath: entity.disk_path };
    return {
      make: async (dir) => {
        const options = { defaultBranch: await defaultBranchName(deps), maxBytes, signal };
        await importRepository(source, dir, options).catch((error: unknown) => {
          // An earlier run has made it.
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

/** Makes versions of the merge requests that have come open, and finds out whether they can be merged. */
export async function refreshOpened(deps: Deps, { id }: Project): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await deps.db
      .selectFrom('merge_requests')
      .select('id')
      .where('project_id', '=', id)
      .where('state', '=', 'opened')
      .where('latest_diff_id', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) await refreshMergeRequest(deps, row.id);
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}
