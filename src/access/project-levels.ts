import { sql } from 'kysely';
import { AccessLevel } from '../core/access-levels.ts';
import { pluck } from '../core/pluck.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import { rowsById } from '../db/rows-by-id.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { directGroups, lineageIds } from './access.membership.ts';
import { type EffectiveMembership, NO_PERMISSIONS, type RolePermissions, rolePermissions } from './role-permissions.ts';

/** A membership as shown under `permissions` of a project. */
export interface AccessEntry {
  access_level: number;
  notification_level: number;
}

export interface ProjectAccessLevels extends EffectiveMembership {
  /** Membership of the project itself, and of its group or an ancestor. */
  projectAccess: AccessEntry | null;
  groupAccess: AccessEntry | null;
}

const DEFAULT_NOTIFICATION_LEVEL = 3;
const OWNER: AccessEntry = { access_level: AccessLevel.owner, notification_level: DEFAULT_NOTIFICATION_LEVEL };

/** A membership or share with the permissions of its custom role; null without a role. */
interface Way extends AccessEntry {
  permissions: RolePermissions | null;
}

const shown = ({ access_level, notification_level }: AccessEntry): AccessEntry => ({
  access_level,
  notification_level,
});
const higher = (a: AccessEntry | null, b: AccessEntry): AccessEntry =>
  b.access_level > (a?.access_level ?? 0) ? shown(b) : a!;

/** As `projectAccessLevels`, for projects whose namespaces are not loaded yet: with one more query. */
export async function projectLevelsOf(
  db: Db,
  userId: number,
  projects: readonly Pick<Project, 'id' | 'namespace_id'>[],
  day: string,
): Promise<Map<number, ProjectAccessLevels>> {
  const namespaces = await rowsById(db, 'namespaces', pluck(projects, 'namespace_id'), ['lineage', 'owner_id']);
  const placed = projects.filter(({ namespace_id }) => namespaces.has(namespace_id));
  return projectAccessLevels(db, userId, placed, namespaces, day);
}

/**
 * Memberships of a user in many projects, in three queries: the result of `projectMembership` for each, with the
 * membership it comes from.
 * @param day today, `YYYY-MM-DD`
 */
export async function projectAccessLevels(
  db: Db,
  userId: number,
  projects: readonly Pick<Project, 'id' | 'namespace_id'>[],
  namespaces: ReadonlyMap<number, Pick<Namespace, 'lineage' | 'owner_id'>>,
  day: string,
): Promise<Map<number, ProjectAccessLevels>> {
  if (projects.length === 0) return new Map();
  const ids = projects.map(({ id }) => id);
  const { ownProjects, ownGroups } = await ownMemberships(db, userId, ids, day);
  const groups = await waysIntoGroups(db, userId, day, ownGroups);
  const shares = await sharesOf(db, ids, day);
  return new Map(
    projects.map((project) => {
      const namespace = namespaces.get(project.namespace_id)!;
      const owner = namespace.owner_id === userId;
      const member = ownProjects.get(project.id);
      const inherited = lineageIds(namespace.lineage).flatMap((id) => groups.get(id) ?? []);
      const shared = (shares.get(project.id) ?? []).flatMap(({ lineage, ...share }) =>
        lineageIds(lineage).flatMap((id) => throughShare(share, ownGroups.get(id))),
      );
      const ways = [...(member === undefined ? [] : [member]), ...inherited, ...shared];
      return [
        project.id,
        {
          level: Math.max(owner ? AccessLevel.owner : 0, ...ways.map(({ access_level }) => access_level)),
          permissions: owner ? NO_PERMISSIONS : rolePermissions(ways.flatMap((way) => [...(way.permissions ?? [])])),
          projectAccess: member === undefined ? (owner ? OWNER : null) : shown(member),
          groupAccess: inherited.reduce<AccessEntry | null>(higher, null),
        },
      ];
    }),
  );
}

/** Membership of a group member through a share, by the rule of `SHARED_LEVEL` and `SHARED_ROLE`. */
function throughShare(share: Way, member: Way | undefined): Way[] {
  if (member === undefined) return [];
  if (share.access_level < member.access_level) return [share];
  if (share.access_level > member.access_level || share.permissions !== null) return [member];
  return [{ ...member, permissions: null }];
}

interface PermissionRow {
  id: number;
  member_role_id: number | null;
  permission: string | null;
}

/** Folds rows that appear once for each permission of their role into one row with all permissions. */
function folded<Row extends PermissionRow>(rows: readonly Row[]): (Row & Pick<Way, 'permissions'>)[] {
  const names = new Map<number, (string | null)[]>();
  for (const { id, permission } of rows) names.set(id, [...(names.get(id) ?? []), permission]);
  const first = new Map([...rows].reverse().map((row) => [row.id, row]));
  return [...first.values()]
    .reverse()
    .map((row) => ({ ...row, permissions: row.member_role_id === null ? null : rolePermissions(names.get(row.id)!) }));
}

interface OfUser {
  user: number;
  day: string;
}

interface OfProjects {
  projects: readonly number[];
  day: string;
}

const membershipsOf = prepared((db, { user, projects, day }: OfUser & OfProjects) =>
  db
    .selectFrom('members')
    .leftJoin('member_role_permissions as p', 'p.member_role_id', 'members.member_role_id')
    .select(['id', 'source_type', 'source_id', 'access_level', 'notification_level'])
    .select(['members.member_role_id', 'p.permission'])
    .where('user_id', '=', user)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    .where((eb) => eb.or([eb('source_type', '=', 'group'), eb('source_id', 'in', projects)])),
);

/** The user's direct memberships of these projects and of all groups, by source id. */
async function ownMemberships(db: Db, user: number, projects: readonly number[], day: string) {
  const rows = await membershipsOf(db, { user, projects, day });
  const members = folded(rows);
  const of = (type: 'project' | 'group') =>
    new Map<number, Way>(members.filter(({ source_type }) => source_type === type).map((row) => [row.source_id, row]));
  return { ownProjects: of('project'), ownGroups: of('group') };
}

const groupWays = prepared(
  (_, { user, day }: OfUser) => sql<{ group_id: number; access_level: number; permission: string | null }>`
    select g.group_id, g.access_level, p.permission from (${directGroups(user, day)}) g
    left join member_role_permissions p on p.member_role_id = g.member_role_id`,
);

/** Memberships of a user in groups, including shares, by group id. */
async function waysIntoGroups(
  db: Db,
  userId: number,
  day: string,
  own: ReadonlyMap<number, Way>,
): Promise<Map<number, Way[]>> {
  const rows = await groupWays(db, { user: userId, day });
  const ways = new Map<number, Way[]>();
  for (const { group_id, access_level, permission } of rows) {
    const notification_level = own.get(group_id)?.notification_level ?? DEFAULT_NOTIFICATION_LEVEL;
    const way = { access_level, notification_level, permissions: rolePermissions([permission]) };
    ways.set(group_id, [...(ways.get(group_id) ?? []), way]);
  }
  return ways;
}

const sharesOfProjects = prepared((db, { projects, day }: OfProjects) =>
  db
    .selectFrom('group_links')
    .innerJoin('namespaces', 'namespaces.id', 'group_links.group_id')
    .leftJoin('member_role_permissions as p', 'p.member_role_id', 'group_links.member_role_id')
    .select(['group_links.id', 'group_links.source_id', 'group_links.group_access as access_level'])
    .select(['group_links.member_role_id', 'p.permission', 'namespaces.lineage'])
    .where('group_links.source_type', '=', 'project')
    .where('group_links.source_id', 'in', projects)
    .where((eb) => eb.or([eb('group_links.expires_at', 'is', null), eb('group_links.expires_at', '>', day)])),
);

/** Group shares by project. */
async function sharesOf(db: Db, projects: readonly number[], day: string) {
  const rows = await sharesOfProjects(db, { projects, day });
  const shares = new Map<number, (Way & { lineage: string })[]>();
  for (const { source_id, access_level, permissions, lineage } of folded(rows)) {
    const share = { access_level, permissions, lineage, notification_level: DEFAULT_NOTIFICATION_LEVEL };
    shares.set(source_id, [...(shares.get(source_id) ?? []), share]);
  }
  return shares;
}
