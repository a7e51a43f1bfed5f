import { matchesWildcard } from '../../../../core/wildcard.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { ExternalStatusCheck as CheckRow } from '../../../../db/tables/external-status-checks.table.ts';
import type { ProtectedRef } from '../../../../db/tables/protected-refs.table.ts';

/** A check with its protected branches. */
export interface StoredCheck extends CheckRow {
  branches: readonly ProtectedRef[];
}

/** Maximum number of checks of a project. */
export const MAX_CHECKS = 100;

/** Loads the checks of projects with their branches, oldest first, in two queries. */
export async function checksOf(db: Db, projectIds: readonly number[]): Promise<StoredCheck[]> {
  if (projectIds.length === 0) return [];
  const checks = await db
    .selectFrom('external_status_checks')
    .selectAll()
    .where('project_id', 'in', projectIds)
    .orderBy('id')
    .execute();
  return withBranches(db, checks);
}

/** Adds the branches to checks. */
export async function withBranches(db: Db, checks: readonly CheckRow[]): Promise<StoredCheck[]> {
  if (checks.length === 0) return [];
  const ids = checks.map(({ id }) => id);
  const rows = await db
    .selectFrom('external_status_check_branches')
    .innerJoin('protected_refs', 'protected_refs.id', 'external_status_check_branches.protected_ref_id')
    .selectAll('protected_refs')
    .select('external_status_check_branches.check_id')
    .where('external_status_check_branches.check_id', 'in', ids)
    .orderBy('protected_refs.id')
    .execute();
  const branches = Map.groupBy(rows, ({ check_id }) => check_id);
  return checks.map((check) => ({ ...check, branches: branches.get(check.id) ?? [] }));
}

/** Whether a check applies to merge requests into the branch. */
export const isFor = ({ branches }: StoredCheck, targetBranch: string): boolean =>
  branches.length === 0 || branches.some(({ name }) => name === targetBranch || matchesWildcard(name, targetBranch));
