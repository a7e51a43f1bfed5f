import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { importRepository } from '../../../git/remote/index.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { importLfsObjects } from '../../../mirroring/lfs/lfs-mirror.import.ts';
import { remoteSource, withoutCredentials } from '../../../mirroring/mirroring.address.ts';
import { recordFilled } from '../../../mirroring/pull/pull-mirror.update.ts';
import { importUrlOf, storedImportUrl } from '../../../mirroring/stored-address.ts';
import { BlockedAddress } from '../../../outbound/outbound.resolve.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { settingsOf } from './projects.settings.ts';
import { type FillJob, type FillTask, fillRepository } from './repository-fill.ts';

const IMPORT = jobKind<FillJob>('project.import_repository', { lane: 'mirrors', timeoutMs: 3_600_000 });

/** Enqueues the job that fills a new project's repository from its `import_url`. */
export async function enqueueImport(deps: Deps, db: Db, projectId: number): Promise<void> {
  const job: FillJob = { project_id: projectId, disk_path: deps.storages.newDiskPath() };
  await deps.jobs.enqueue(db, IMPORT, job, { projectId });
}

/** Registers the job of `enqueueImport`. */
export function registerImports(deps: Deps): void {
  deps.jobs.register(IMPORT, (job, { signal }) =>
    fillRepository(deps, job, (project) => importOf(deps, job, project, signal)),
  );
}

async function importOf(
  deps: Deps,
  { disk_path }: FillJob,
  project: Project,
  signal: AbortSignal,
): Promise<FillTask | string> {
  const address = importUrlOf(deps, project);
  if (address === null) return 'The project has no URL to import from.';
  const head = await deps.storages
    .open({ storage: project.repository_storage, diskPath: project.disk_path })
    .refs.head();
  const { max_import_size } = await applicationSettings(deps);
  const { push } = deps.config.limits;
  try {
    // Resolved again: the host name may have another address by now.
    const source = await remoteSource(deps, address);
    const location = { storage: project.repository_storage, diskPath: disk_path };
    let note: string | null = null;
    return {
      make: async (dir) => {
        const options = {
          defaultBranch: head ?? (await defaultBranchName(deps)),
          maxBytes: max_import_size === 0 ? push : Math.min(push, max_import_size * 1024 * 1024),
          signal,
        };
        await importRepository(source, dir, options).catch((error: unknown) => {
          // Created by an earlier run, which may have been interrupted after that.
          if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
        });
        // The first update of a mirror fetches LFS objects.
        if (!settingsOf(project).mirror)
          note = await importLfsObjects(deps, project, deps.storages.open(location), source, signal);
      },
      failure: 'The repository could not be imported. Check the URL and the credentials.',
      transactionHook: async (db, row) => {
        // Credentials are needed only once, except for mirrors.
        if (settingsOf(row).mirror) return recordFilled(deps, db, row.id);
        const import_url = storedImportUrl(deps, row, withoutCredentials(address));
        await db.updateTable('projects').set({ import_url, import_error: note }).where('id', '=', row.id).execute();
      },
    };
  } catch (error) {
    if (error instanceof BlockedAddress) return `The URL ${error.message}`;
    throw error;
  }
}
