import { AFTER_LINEAGE, lineageIds } from '../access/access.membership.ts';
import { forbidden, notFound } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import { planLimits } from './settings.plan-limits.ts';

const MIB = 1024 * 1024;

type StorageDeps = Pick<Deps, 'db' | 'recent' | 'snapshot'>;
/** Whose storage it is: any group or personal namespace, which stands for the one at its root. */
interface StorageScope {
  namespace_id: number;
}

/** Bytes of everything in a top-level group, or of a user, as the statistics of its projects have them. @throws ApiError 404 */
async function rootStorage({ db, snapshot }: StorageDeps, { namespace_id }: StorageScope): Promise<number> {
  return snapshot.get(`root_storage:${namespace_id}`, async () => {
    const scope = await db.selectFrom('namespaces').select('lineage').where('id', '=', namespace_id).executeTakeFirst();
    if (scope === undefined) throw notFound('Namespace');
    const root = `/${lineageIds(scope.lineage)[0]}/`;
    const inside = db
      .selectFrom('namespaces')
      .select('id')
      .where('lineage', '>=', root)
      .where('lineage', '<', root + AFTER_LINEAGE);
    const sizes = await Promise.all([
      db
        .selectFrom('projects')
        .select(({ fn }) => fn.sum<number | string | null>('storage_size').as('total'))
        .where('namespace_id', 'in', inside)
        .executeTakeFirst(),
      db
        .selectFrom('wikis')
        .select(({ fn }) => fn.sum<number | string | null>('repository_size').as('total'))
        .where('namespace_id', 'in', inside)
        .executeTakeFirst(),
    ]);
    return sizes.reduce((sum, row) => sum + Number(row?.total ?? 0), 0);
  });
}

/** Which of the limits of storage is passed. */
export interface StorageUse {
  /** MiB past which nothing is added, where the storage is past it; else null. */
  full: number | null;
  /** MiB past which people are told, where the storage is past it; else null. */
  warned: number | null;
}

/** How the storage of a top-level group or user stands to its limits (part 2, section 2). One statement where there are none. */
export async function storageUse(deps: StorageDeps, scope: StorageScope): Promise<StorageUse> {
  const { enforcement_limit, storage_size_limit, notification_limit } = await planLimits(deps);
  const limits = [enforcement_limit, storage_size_limit].filter((limit) => limit > 0);
  if (limits.length === 0 && notification_limit === 0) return { full: null, warned: null };
  const used = await rootStorage(deps, scope);
  const past = (limit: number) => limit > 0 && used >= limit * MIB;
  const least = Math.min(...limits);
  return {
    full: limits.length > 0 && past(least) ? least : null,
    warned: past(notification_limit) ? notification_limit : null,
  };
}

/** Why nothing may be added to what is stored, in words for whoever adds; null when it may. */
export async function storageRefusal(deps: StorageDeps, scope: StorageScope): Promise<string | null> {
  const { full } = await storageUse(deps, scope);
  if (full === null) return null;
  return `The namespace storage limit of ${full} MiB has been reached. Remove something that is stored, or ask an administrator for more.`;
}

/** @throws ApiError 403 where nothing may be added */
export async function requireStorage(deps: StorageDeps, scope: StorageScope): Promise<void> {
  const reason = await storageRefusal(deps, scope);
  if (reason !== null) throw forbidden(reason);
}

/** The same for a project by its id; one that is gone has nothing to refuse. @throws ApiError 403 */
export async function requireStorageOf(deps: StorageDeps, projectId: number): Promise<void> {
  const { enforcement_limit, storage_size_limit } = await planLimits(deps);
  if (enforcement_limit === 0 && storage_size_limit === 0) return;
  const project = await deps.db
    .selectFrom('projects')
    .select('namespace_id')
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (project !== undefined) await requireStorage(deps, project);
}
