import { sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import type { Db } from '../db/schema.ts';
import type { Namespace } from '../db/tables/namespaces.ts';
import type { Project } from '../db/tables/projects.ts';
import { directGroups, lineageIds } from './membership.ts';

/** A membership as `permissions` of a project shows it. */
export interface AccessShown {
  access_level: number;
  notification_level: number;
}

export interface ProjectStandings {
  /** Highest level by any way of membership, 0 for none. */
  level: number;
  /** Member of the project itself, and of its group or one above it. */
  projectAccess: AccessShown | null;
  groupAccess: AccessShown | null;
}

const DEFAULT_NOTIFICATION_LEVEL = 3;
const higher = (a: AccessShown | null, b: AccessShown | undefined): AccessShown | null =>
  b !== undefined && b.access_level > (a?.access_level ?? 0) ? b : a;

/**
 * Where a user stands to many projects at once, in three queries: what `projectLevel` gives for each, and by which
 * membership.
 * @param day today, `YYYY-MM-DD`
 */
export async function projectStandings(
  db: Db,
  userId: number,
  projects: readonly Pick<Project, 'id' | 'namespace_id'>[],
  namespaces: ReadonlyMap<number, Pick<Namespace, 'lineage' | 'owner_id'>>,
  day: string,
): Promise<Map<number, ProjectStandings>> {
  if (projects.length === 0) return new Map();
  const ids = projects.map(({ id }) => id);
  const own = await db
    .selectFrom('members')
    .select(['source_type', 'source_id', 'access_level', 'notification_level'])
    .where('user_id', '=', userId)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    .where((eb) => eb.or([eb('source_type', '=', 'group'), eb('source_id', 'in', ids)]))
    .execute();
  const members = (type: 'project' | 'group') =>
    new Map(own.filter(({ source_type }) => source_type === type).map((row) => [row.source_id, row]));
  const ownProjects = members('project');
  const ownGroups = members('group');
  const groups = await groupAccesses(db, userId, day, ownGroups);
  const shares = await db
    .selectFrom('group_links')
    .innerJoin('namespaces', 'namespaces.id', 'group_links.group_id')
    .select(['group_links.source_id', 'group_links.group_access', 'namespaces.lineage'])
    .where('group_links.source_type', '=', 'project')
    .where('group_links.source_id', 'in', ids)
    .where((eb) => eb.or([eb('group_links.expires_at', 'is', null), eb('group_links.expires_at', '>', day)]))
    .execute();
  const sharedLevel = (projectId: number): number =>
    Math.max(
      0,
      ...shares
        .filter(({ source_id }) => source_id === projectId)
        .flatMap(({ lineage, group_access }) =>
          lineageIds(lineage).map((id) => Math.min(group_access, ownGroups.get(id)?.access_level ?? 0)),
        ),
    );
  return new Map(
    projects.map((project) => {
      const namespace = namespaces.get(project.namespace_id)!;
      const owner = namespace.owner_id === userId;
      const member = ownProjects.get(project.id);
      const projectAccess = member === undefined ? (owner ? OWNER : null) : shown(member);
      let groupAccess: AccessShown | null = null;
      for (const id of lineageIds(namespace.lineage)) groupAccess = higher(groupAccess, groups.get(id));
      const level = Math.max(
        owner ? AccessLevel.owner : 0,
        projectAccess?.access_level ?? 0,
        groupAccess?.access_level ?? 0,
        sharedLevel(project.id),
      );
      return [project.id, { level, projectAccess, groupAccess }];
    }),
  );
}

const OWNER: AccessShown = { access_level: AccessLevel.owner, notification_level: DEFAULT_NOTIFICATION_LEVEL };
const shown = ({ access_level, notification_level }: AccessShown): AccessShown => ({
  access_level,
  notification_level,
});

/** Groups the user belongs to, also through a group that they are shared with, by id with the highest level. */
async function groupAccesses(
  db: Db,
  userId: number,
  day: string,
  own: ReadonlyMap<number, AccessShown>,
): Promise<Map<number, AccessShown>> {
  const { rows } = await sql<{ group_id: number; access_level: number }>`${directGroups(userId, day)}`.execute(db);
  const accesses = new Map<number, AccessShown>();
  for (const { group_id, access_level } of rows) {
    const notification_level = own.get(group_id)?.notification_level ?? DEFAULT_NOTIFICATION_LEVEL;
    accesses.set(group_id, higher(accesses.get(group_id) ?? null, { access_level, notification_level })!);
  }
  return accesses;
}
