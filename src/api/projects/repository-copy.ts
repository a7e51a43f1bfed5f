import { sql } from 'kysely';
import { timestamp } from '../../core/clock.ts';
import type { Db } from '../../db/schema.ts';
import type { Deps } from '../../deps.ts';
import { cloneRepository } from '../../git/repository-files.ts';
import { type FillJob, type FillWork, fillRepository } from './repository-fill.ts';

const COPY = 'project.copy_repository';
const COPY_MS = 1_800_000;

interface RepositoryCopy {
  project_id: number;
  source_id: number;
  /** The one branch to copy; null for all. */
  branch: string | null;
}

/** Writes the job that fills a fork's repository, in the transaction that makes the fork. */
export async function enqueueCopy(deps: Deps, db: Db, copy: RepositoryCopy): Promise<void> {
  await deps.jobs.enqueue(db, COPY, { ...copy, disk_path: deps.storages.newDiskPath() });
}

/** Names the work behind `enqueueCopy`. */
export function registerCopies(deps: Deps): void {
  deps.jobs.register<RepositoryCopy & FillJob>(
    COPY,
    (job, { signal }) => fillRepository(deps, job, () => copyOf(deps, job, signal)),
    { timeoutMs: COPY_MS },
  );
}

async function copyOf(
  deps: Deps,
  { source_id, branch }: RepositoryCopy,
  signal: AbortSignal,
): Promise<FillWork | string> {
  const source = await deps.db.selectFrom('projects').selectAll().where('id', '=', source_id).executeTakeFirst();
  if (source === undefined) return 'The source project no longer exists.';
  const from = deps.storages.dirOf({ storage: source.repository_storage, diskPath: source.disk_path });
  return {
    make: (dir) => cloneRepository(from, dir, { signal, ...(branch === null ? {} : { branch }) }),
    failure: 'The repository could not be copied.',
    within: (db, project) => copyLfsObjects(deps, db, source_id, project.id),
  };
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
