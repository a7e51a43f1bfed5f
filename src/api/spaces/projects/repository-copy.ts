import { sql } from 'kysely';
import { ANONYMOUS } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { cloneRepository } from '../../../git/repository/index.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { type FillJob, FillRefused, type FillTask, fillRepository } from './repository-fill.ts';

const GONE = 'The source project no longer exists.';
const CLOSED = 'The user who forked the project has no access to the source project.';

interface RepositoryCopy {
  project_id: number;
  source_id: number;
  /** Only branch to copy; null for all. */
  branch: string | null;
}

const COPY = jobKind<RepositoryCopy & FillJob>('project.copy_repository', { lane: 'git', timeoutMs: 1_800_000 });

/** Enqueues the job that fills a fork's repository, in the transaction that creates the fork. */
export async function enqueueCopy(deps: Deps, db: Db, copy: RepositoryCopy): Promise<void> {
  await deps.jobs.enqueue(
    db,
    COPY,
    { ...copy, disk_path: deps.storages.newDiskPath() },
    { projectId: copy.project_id },
  );
}

/** Registers the job of `enqueueCopy`. */
export function registerCopies(deps: Deps): void {
  deps.jobs.register(COPY, (job, { signal }) => fillRepository(deps, job, (fork) => copyOf(deps, job, fork, signal)));
}

async function copyOf(
  deps: Deps,
  { source_id, branch }: RepositoryCopy,
  fork: Project,
  signal: AbortSignal,
): Promise<FillTask | string> {
  const source = await deps.db.selectFrom('projects').selectAll().where('id', '=', source_id).executeTakeFirst();
  if (source === undefined) return GONE;
  if (!(await mayFork(deps, fork, source_id))) return CLOSED;
  const from = deps.storages.dirOf({ storage: source.repository_storage, diskPath: source.disk_path });
  return {
    make: (dir) => cloneRepository(from, dir, { signal, ...(branch === null ? {} : { branch }) }),
    failure: 'The repository could not be copied.',
    unreadable: `The repository of ${source.full_path} is damaged: an administrator can run stithy doctor.`,
    transactionHook: async (db, project) => {
      // Copying takes a while: the right to fork is checked again.
      if (!(await mayFork(transactionDeps(deps, db), fork, source_id))) throw new FillRefused(CLOSED);
      await copyLfsObjects(deps, db, source_id, project.id);
    },
  };
}

/** Whether the creator of the fork may still fork the source. */
async function mayFork(deps: Deps, { creator_id }: Project, sourceId: number): Promise<boolean> {
  const { db } = deps;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', creator_id ?? 0)
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (user === undefined) return false;
  const caller = { ...ANONYMOUS, user, admin: user.admin === 1 };
  return (await callerInProject(deps, caller, sourceId))?.permissions.can('fork_project') === true;
}

/** Gives the fork access to the LFS objects of its commits. */
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
