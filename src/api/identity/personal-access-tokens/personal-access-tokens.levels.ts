import { lineageIds } from '../../../access/access.membership.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

/** Access levels of one user in the requested groups and projects; null for none. */
export interface Levels {
  /** From membership in the group, in an ancestor, or in a group that it is shared with. */
  group(namespace: Namespace): number | null;
  /** From direct project membership. */
  project(project: Project, namespace: Namespace): number | null;
}

/** Computes the access levels of a user in many groups and projects, in three queries. */
export async function levelsOf(
  db: Db,
  userId: number,
  day: string,
  namespaces: readonly Namespace[],
  projects: readonly Project[],
): Promise<Levels> {
  const groupIds = [...new Set(namespaces.flatMap(({ lineage }) => lineageIds(lineage)))];
  const direct = await membershipLevels(db, userId, day, 'group', groupIds);
  const shared = await sharedLevels(db, userId, day, groupIds);
  const ofProjects = await membershipLevels(db, userId, day, 'project', pluck(projects, 'id'));
  const highest = (levels: readonly (number | undefined)[]): number | null => {
    const known = levels.filter((level) => level !== undefined);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    group: ({ kind, lineage }) =>
      kind === 'user' ? null : highest(lineageIds(lineage).flatMap((id) => [direct.get(id), shared.get(id)])),
    project: ({ id }, { owner_id }) => (owner_id === userId ? AccessLevel.owner : (ofProjects.get(id) ?? null)),
  };
}

async function membershipLevels(db: Db, userId: number, day: string, type: 'group' | 'project', ids: number[]) {
  if (ids.length === 0) return new Map<number, number>();
  const rows = await db
    .selectFrom('members')
    .select(['source_id', 'access_level'])
    .where('user_id', '=', userId)
    .where('source_type', '=', type)
    .where('source_id', 'in', ids)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    .execute();
  return new Map(rows.map(({ source_id, access_level }) => [source_id, access_level]));
}

async function sharedLevels(db: Db, userId: number, day: string, ids: number[]) {
  const levels = new Map<number, number>();
  if (ids.length === 0) return levels;
  const rows = await db
    .selectFrom('group_links as l')
    .innerJoin('members as m', 'm.source_id', 'l.group_id')
    .select(['l.source_id', 'l.group_access', 'm.access_level'])
    .where('l.source_type', '=', 'group')
    .where('l.source_id', 'in', ids)
    .where('m.source_type', '=', 'group')
    .where('m.user_id', '=', userId)
    .where('m.state', '=', 'active')
    .where((eb) => eb.or([eb('m.expires_at', 'is', null), eb('m.expires_at', '>', day)]))
    .where((eb) => eb.or([eb('l.expires_at', 'is', null), eb('l.expires_at', '>', day)]))
    .execute();
  for (const { source_id, group_access, access_level } of rows) {
    levels.set(source_id, Math.max(levels.get(source_id) ?? 0, Math.min(group_access, access_level)));
  }
  return levels;
}
