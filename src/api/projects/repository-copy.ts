import { sql, type Updateable } from 'kysely';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/schema.ts';
import type { Project, ProjectsTable } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/errors.ts';
import { cloneRepository } from '../../git/repository-files.ts';
import { protectDefaultBranch } from '../../repositories/default-branch.ts';
import { enqueueRemoval } from './destroy.ts';
import { enqueueStatistics } from './statistics.ts';

const COPY = 'project.copy_repository';

export interface RepositoryCopy {
  project_id: number;
  source_id: number;
  /** The one branch to copy; null for all. */
  branch: string | null;
}

interface StoredCopy extends RepositoryCopy {
  /** Where the copy is made: fixed when the job is written, so that a job that runs again finds its own work. */
  disk_path: string;
}

/** Writes the job that fills a fork's repository, in the transaction that makes the fork. */
export async function enqueueCopy(deps: Deps, db: Db, copy: RepositoryCopy): Promise<void> {
  const stored: StoredCopy = { ...copy, disk_path: deps.storages.newDiskPath() };
  await deps.jobs.enqueue(db, COPY, stored);
}

/** Names the work behind `enqueueCopy`. */
export function registerCopies(deps: Deps): void {
  deps.jobs.register<StoredCopy>(COPY, (copy, { signal }) => runCopy(deps, copy, signal), { timeoutMs: 1_800_000 });
}

const findRow = (deps: Deps, id: number): Promise<Project | undefined> =>
  deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Copies the source's repository to a place of its own and makes it the project's in one transaction, which also
 * gives the empty one away.
 */
async function runCopy(deps: Deps, copy: StoredCopy, signal: AbortSignal): Promise<void> {
  const project = await findRow(deps, copy.project_id);
  const location = { storage: project?.repository_storage ?? '', diskPath: copy.disk_path };
  if (project === undefined || project.disk_path === copy.disk_path) return;
  if (project.import_status === 'finished' || project.import_status === 'failed') return;
  await setStatus(deps, project.id, { import_status: 'started' });
  const source = await findRow(deps, copy.source_id);
  if (source === undefined) return fail(deps, project.id, 'The source project no longer exists.');
  const from = deps.storages.dirOf({ storage: source.repository_storage, diskPath: source.disk_path });
  try {
    await cloneRepository(from, deps.storages.dirOf(location), {
      signal,
      ...(copy.branch === null ? {} : { branch: copy.branch }),
    });
  } catch (error) {
    // There already: an earlier run of this job was ended after the copy was complete.
    if (!(error instanceof GitError)) throw error;
    if (error.code === 'aborted') throw error;
    if (error.code !== 'conflict') return fail(deps, project.id, 'The repository could not be copied.');
  }
  const { refs } = deps.storages.open(location);
  const head = await refs.head();
  const hasDefault = head !== null && (await refs.resolve(`refs/heads/${head}`)) !== null;
  await deps.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('projects')
      .set({ disk_path: copy.disk_path, repository_read_only: 0, import_status: 'finished', import_error: null })
      .where('id', '=', project.id)
      .where('disk_path', '=', project.disk_path)
      .executeTakeFirst();
    // Removed or moved meanwhile: then it is the copy that nobody needs.
    const unused = numUpdatedRows === 0n ? location.diskPath : project.disk_path;
    await enqueueRemoval(deps, db, { storage: location.storage, diskPath: unused });
    if (numUpdatedRows === 0n) return;
    if (hasDefault) await protectDefaultBranch(db, deps.clock, project.id, head);
    await copyLfsObjects(deps, db, source.id, project.id);
    await enqueueStatistics(deps, db, project.id);
    await deps.events.record(db, 'project.updated', { project_id: project.id }, { projectId: project.id });
  });
  deps.jobs.notify();
}

/** Lets the fork have what its commits refer to. */
async function copyLfsObjects({ clock }: Deps, db: Db, from: number, to: number): Promise<void> {
  const created_at = timestamp(clock);
  await db
    .insertInto('lfs_objects')
    .columns(['project_id', 'oid', 'size', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('lfs_objects')
        .select((inner) => [
          sql<number>`cast(${to} as bigint)`.as('project_id'),
          'oid',
          'size',
          inner.val(created_at).as('created_at'),
        ])
        .where('project_id', '=', from),
    )
    .execute();
}

async function setStatus(deps: Deps, id: number, columns: Updateable<ProjectsTable>): Promise<void> {
  await deps.db.updateTable('projects').set(columns).where('id', '=', id).execute();
}

const fail = (deps: Deps, id: number, reason: string): Promise<void> =>
  setStatus(deps, id, { import_status: 'failed', import_error: reason, repository_read_only: 0 });
