import { type RawBuilder, sql } from 'kysely';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import { asciiLower, contains } from '../../../db/like.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Source } from '../spaces.source.ts';
import { effectiveMembers, type Membership } from './memberships.ts';

export interface MemberFilters {
  query?: string | undefined;
  userIds?: readonly number[] | undefined;
  skipUsers?: readonly number[] | undefined;
  state?: Member['state'] | undefined;
}

/** Query for members, oldest membership first. @param table one of the derived tables of `memberships.ts` */
export function memberQuery(db: Db, table: RawBuilder<Membership>, filters: MemberFilters) {
  const { query: text, userIds, skipUsers, state } = filters;
  let query = db
    .selectFrom(table.as('m'))
    .innerJoin('users', 'users.id', 'm.user_id')
    .select([
      'm.id',
      'm.user_id',
      'm.access_level',
      'm.member_role_id',
      'm.created_by_id',
      'm.expires_at',
      'm.state',
      'm.created_at',
    ])
    .orderBy('m.id');
  if (text !== undefined && text !== '') {
    query = query.where((eb) =>
      eb.or([
        contains(eb.ref('users.name'), text),
        contains(eb.ref('users.username'), text),
        eb(sql`lower(${eb.ref('users.public_email')})`, '=', asciiLower(text)),
      ]),
    );
  }
  if (userIds !== undefined) query = query.where('m.user_id', 'in', userIds.length === 0 ? [0] : userIds);
  if (skipUsers !== undefined && skipUsers.length > 0) query = query.where('m.user_id', 'not in', skipUsers);
  if (state !== undefined) query = query.where('m.state', '=', state);
  return query;
}

/** Query for the active members of a project or group, direct and inherited. */
export const activeMembers = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  source: Source,
  filters: Pick<MemberFilters, 'query' | 'skipUsers'>,
) => memberQuery(db, effectiveMembers(source, today(clock)), { ...filters, state: 'active' });

/** Query for a member in a derived table of `memberships.ts`; undefined if there is none. */
export function findMembership(db: Db, table: RawBuilder<Membership>, userId: number): Promise<Membership | undefined> {
  return db.selectFrom(table.as('m')).selectAll().where('m.user_id', '=', userId).executeTakeFirst();
}

/** Query for the user's direct membership of the source, including expired ones. */
export function findDirect(db: Db, source: Source, userId: number): Promise<Member | undefined> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('source_type', '=', source.kind)
    .where('source_id', '=', source.id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Query for the user's highest level in ancestor groups, with the name of the group; undefined for none. */
export function highestAbove(
  db: Db,
  source: Source,
  userId: number,
  day: string,
): Promise<{ access_level: number; name: string } | undefined> {
  const above = source.kind === 'group' ? source.lineage.slice(0, -1) : source.lineage;
  return db
    .selectFrom('members')
    .innerJoin('namespaces', 'namespaces.id', 'members.source_id')
    .select(['members.access_level', 'namespaces.name'])
    .where('members.source_type', '=', 'group')
    .where('members.source_id', 'in', above.length === 0 ? [0] : above)
    .where('members.user_id', '=', userId)
    .where('members.state', '=', 'active')
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', day)]))
    .orderBy('members.access_level', 'desc')
    .orderBy('members.source_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns owners of a group by direct or inherited membership, at most two; bots and blocked users do not count. */
export async function ownersOf(db: Db, source: Source, day: string, exceptUserId = 0): Promise<number[]> {
  const owners = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.id')
    .distinct()
    .where('members.source_type', '=', 'group')
    .where('members.source_id', 'in', source.lineage)
    .where('members.access_level', '=', AccessLevel.owner)
    .where('members.user_id', '!=', exceptUserId)
    .where('members.state', '=', 'active')
    .where('users.state', '=', 'active')
    .where('users.kind', 'not in', ['project_bot', 'group_bot', 'ghost', 'placeholder'])
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', day)]))
    .limit(2)
    .execute();
  return owners.map(({ id }) => id);
}

/** Users in a request, by id (possibly as text) or user name. */
export type Users = { ids: readonly (number | string)[] } | { usernames: readonly string[] };

/** Returns users by id or user name, in no order; ids out of range match no one. */
export function findUsers(db: Db, who: Users): Promise<User[]> {
  const users = db.selectFrom('users').selectAll();
  return (
    'ids' in who
      ? users.where('id', 'in', who.ids.map(Number).filter(Number.isSafeInteger))
      : users.where(sql<string>`lower(username)`, 'in', who.usernames.map(asciiLower))
  ).execute();
}

/** Query for the memberships of a user in groups and projects below the group. */
export function findBelow(db: Db, lineage: string, userId: number): Promise<Member[]> {
  const inside = db
    .selectFrom('namespaces')
    .select('id')
    .where('lineage', '>', lineage)
    .where('lineage', '<', `${lineage}~`);
  return db
    .selectFrom('members')
    .selectAll()
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', inside)]),
        eb.and([
          eb('source_type', '=', 'project'),
          eb(
            'source_id',
            'in',
            db
              .selectFrom('projects')
              .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
              .select('projects.id')
              .where('namespaces.lineage', '>=', lineage)
              .where('namespaces.lineage', '<', `${lineage}~`),
          ),
        ]),
      ]),
    )
    .execute();
}
