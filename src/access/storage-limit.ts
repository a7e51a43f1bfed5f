import { forbidden, notFound } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import { planLimits } from '../settings/settings.plan-limits.ts';
import { AFTER_LINEAGE, lineageIds } from './access.membership.ts';

const MIB = 1024 * 1024;

type StorageDeps = Pick<Deps, 'db' | 'recent' | 'snapshot'>;
/** A group or personal namespace; its root namespace is measured. */
interface StorageScope {
  namespace_id: number;
}

/** Storage in bytes of a top-level group or user, from the statistics of its projects. @throws ApiError 404 */
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

/** Which storage limits are exceeded. */
export interface StorageUse {
  /** The enforced limit in MiB if it is exceeded, else null. */
  full: number | null;
  /** The limit for warnings in MiB if it is exceeded, else null. */
  warned: number | null;
}

/**
 * Compares the storage of a top-level group or user with its limits (part 2, section 2). Needs one statement if there
 * are no limits.
 */
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

/** The refusal for adding data; null if adding is allowed. */
export async function storageRefusal(deps: StorageDeps, scope: StorageScope): Promise<string | null> {
  const { full } = await storageUse(deps, scope);
  if (full === null) return null;
  return `The namespace storage limit of ${full} MiB has been reached. Delete some data, or ask an administrator for a higher limit.`;
}

/** @throws ApiError 403 if the storage limit is reached */
export async function requireStorage(deps: StorageDeps, scope: StorageScope): Promise<void> {
  const reason = await storageRefusal(deps, scope);
  if (reason !== null) throw forbidden(reason);
}

/** Checks the storage limit of a project by its id; deleted projects are not refused. @throws ApiError 403 */
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
