import type { Updateable } from 'kysely';
import { environmentFaultOf } from '../../../core/environment-fault.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project, ProjectsTable } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError, isUnreadable } from '../../../git/common/index.ts';
import { RemoteError } from '../../../git/remote/index.ts';
import { protectDefaultBranch } from '../../../repositories/default-branch.ts';
import { enqueueRemoval } from '../../../repositories/repository.removal.ts';
import { enqueueStatistics } from './statistics.ts';

/** Columns of a project whose repository is filled in the background: it is read-only until then. */
export const FILL_SCHEDULED = { import_status: 'scheduled', repository_read_only: 1 } as const;

/** Payload of a job that fills a repository. */
export interface FillJob {
  project_id: number;
  /** Folder to create it in, fixed when the job is enqueued, so that a repeated job finds its own work. */
  disk_path: string;
}

/** Thrown by `transactionHook` if the repository must not be used after all; the message is shown. */
export class FillRefused extends Error {}

export interface FillTask {
  /** Creates the repository in the folder. GitError `conflict` means that an earlier run has created it. */
  make: (dir: string) => Promise<void>;
  /** `import_error` if it cannot be created. */
  failure: string;
  /** `import_error` if its source cannot be read. */
  unreadable?: string;
  /** Runs in the transaction that assigns the repository to the project. */
  transactionHook?: (db: Db, project: Project) => Promise<void>;
}

const rowOf = (deps: Deps, id: number): Promise<Project | undefined> =>
  deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Fills the repository of a project: creates one in a separate folder and assigns it to the project in a transaction
 * that also releases the empty one. `import_status` shows the progress.
 * @param prepare returns the plan for the current project; a string is the reason why it cannot be filled
 */
export async function fillRepository(
  deps: Deps,
  job: FillJob,
  prepare: (project: Project) => Promise<FillTask | string>,
): Promise<void> {
  const project = await rowOf(deps, job.project_id);
  if (project === undefined || project.disk_path === job.disk_path || project.import_status === 'failed') return;
  await setColumns(deps, project.id, { import_status: 'started' });
  const work = await prepare(project);
  if (typeof work === 'string') return fail(deps, project.id, work);
  const location = { storage: project.repository_storage, diskPath: job.disk_path };
  try {
    await work.make(deps.storages.dirOf(location));
  } catch (error) {
    const unreadable = work.unreadable !== undefined && isUnreadable(error);
    if (!unreadable && (!(error instanceof GitError) || comesAgain(error))) throw error;
    if (!(error instanceof GitError) || error.code !== 'conflict') {
      deps.log.log('warn', 'the repository of a new project could not be filled', {
        project_id: project.id,
        error: String(error),
      });
      const remote = error instanceof RemoteError ? error.message : work.failure;
      return fail(deps, project.id, unreadable ? work.unreadable! : remote);
    }
  }
  const { refs } = deps.storages.open(location);
  const head = await refs.head();
  const hasDefault = head !== null && (await refs.resolve(`refs/heads/${head}`)) !== null;
  const enter = deps.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('projects')
      .set({ disk_path: job.disk_path, repository_read_only: 0, import_status: 'finished', import_error: null })
      .where('id', '=', project.id)
      .where('disk_path', '=', project.disk_path)
      .executeTakeFirst();
    // If the project was deleted meanwhile, the new repository is unused.
    const unused = numUpdatedRows === 0n ? job.disk_path : project.disk_path;
    await enqueueRemoval(deps, db, { storage: location.storage, diskPath: unused });
    if (numUpdatedRows === 0n) return;
    if (hasDefault) await protectDefaultBranch(deps, db, project.id, head);
    await work.transactionHook?.(db, project);
    await enqueueStatistics(deps, db, project.id);
    await deps.events.record(db, 'project.updated', { project_id: project.id }, { projectId: project.id });
  });
  await enter.catch(async (error: unknown) => {
    if (!(error instanceof FillRefused)) throw error;
    await enqueueRemoval(deps, deps.db, location);
    await fail(deps, project.id, error.message);
  });
}

/** Whether a retry may succeed. */
const comesAgain = (error: GitError): boolean =>
  error.code === 'aborted' || error.code === 'busy' || environmentFaultOf(error) !== null;

async function setColumns(deps: Deps, id: number, columns: Updateable<ProjectsTable>): Promise<void> {
  await deps.db.updateTable('projects').set(columns).where('id', '=', id).execute();
}

const fail = (deps: Deps, id: number, reason: string): Promise<void> =>
  setColumns(deps, id, { import_status: 'failed', import_error: reason, repository_read_only: 0 });
