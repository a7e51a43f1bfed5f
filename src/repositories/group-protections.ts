import { lineageIds } from '../access/access.membership.ts';
import type { Db } from '../db/db.schema.ts';
import type { GroupProtectedBranch } from '../db/tables/group-protected-branches.table.ts';
import type { ProtectedRefLevel } from '../db/tables/protected-ref-levels.table.ts';
import type { ProtectedRef } from '../db/tables/protected-refs.table.ts';

/** A group's protected branch as it applies to its projects. Its id is one of the group's protections. */
export interface GroupProtection extends ProtectedRef {
  inherited: true;
  levels: readonly ProtectedRefLevel[];
}

/** Adds levels to the protections of groups with one query, in the order of the rows. */
export async function withGroupLevels(
  db: Db,
  rows: readonly GroupProtectedBranch[],
  projectId = 0,
): Promise<GroupProtection[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const levels = await db
    .selectFrom('group_protected_branch_levels')
    .selectAll()
    .where('group_protected_branch_id', 'in', ids)
    .orderBy('id')
    .execute();
  return rows.map(({ group_id: _, ...row }) => ({
    ...row,
    project_id: projectId,
    kind: 'branch',
    inherited: true,
    levels: levels
      .filter((level) => level.group_protected_branch_id === row.id)
      .map(({ id, action, access_level }) => ({
        id,
        protected_ref_id: row.id,
        action,
        access_level,
        user_id: null,
        group_id: null,
        deploy_key_id: null,
      })),
  }));
}

/** Protected branches of the ancestor groups of each project, without levels, in a constant number of queries. */
async function groupBranchesOf(db: Db, projectIds: readonly number[]): Promise<Map<number, GroupProtectedBranch[]>> {
  if (projectIds.length === 0) return new Map();
  const places = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'namespaces.lineage'])
    .where('projects.id', 'in', projectIds)
    .where('namespaces.kind', '=', 'group')
    .execute();
  const groups = [...new Set(places.flatMap(({ lineage }) => lineageIds(lineage)))];
  if (groups.length === 0) return new Map();
  const rows = await branchesOfGroups(db, groups);
  return new Map(
    places.map(({ id, lineage }) => {
      const above = new Set(lineageIds(lineage));
      return [id, rows.filter(({ group_id }) => above.has(group_id))];
    }),
  );
}

/** Protections with levels that a project inherits from its groups. */
export async function protectionsOfGroups(
  db: Db,
  groupIds: readonly number[],
  projectId: number,
): Promise<GroupProtection[]> {
  return groupIds.length === 0 ? [] : withGroupLevels(db, await branchesOfGroups(db, groupIds), projectId);
}

const branchesOfGroups = (db: Db, groupIds: readonly number[]): Promise<GroupProtectedBranch[]> =>
  db.selectFrom('group_protected_branches').selectAll().where('group_id', 'in', groupIds).orderBy('id').execute();

/** Protections without levels that projects inherit from their groups. */
export async function groupRefsOf(
  db: Db,
  projectIds: readonly number[],
): Promise<(ProtectedRef & { inherited: true })[]> {
  const byProject = await groupBranchesOf(db, projectIds);
  return [...byProject].flatMap(([project_id, rows]) =>
    rows.map(({ group_id: _, ...row }) => ({ ...row, project_id, kind: 'branch' as const, inherited: true as const })),
  );
}
