import { type RawBuilder, sql } from 'kysely';
import { SHARED_LEVEL, SHARED_ROLE } from '../../../access/access.membership.ts';
import type { Member } from '../../../db/tables/members.table.ts';
import type { Source } from '../spaces.source.ts';

/** A membership with the level and custom role that it grants; for members of a shared group limited by the share. */
export type Membership = Pick<
  Member,
  'id' | 'user_id' | 'access_level' | 'member_role_id' | 'created_by_id' | 'expires_at' | 'state' | 'created_at'
>;

const NOBODY = -1;
/** `in ()` is not valid SQL; no row has this id. */
const ids = (list: readonly number[]) => sql.join(list.length === 0 ? [NOBODY] : list);

const columns = sql.raw('m.id, m.user_id, m.created_by_id, m.expires_at, m.state, m.created_at');
const own = sql.raw('m.access_level, m.member_role_id');
const shared = sql`${SHARED_LEVEL} as access_level, ${SHARED_ROLE} as member_role_id`;

/**
 * Derived table of all current memberships of the source: direct ones, those of ancestor groups, and those of groups
 * that it or an ancestor is shared with. A user can occur several times.
 * @param day today, `YYYY-MM-DD`
 */
function memberships(source: Source, day: string): RawBuilder<Membership & { distance: number }> {
  const current = sql`(m.expires_at is null or m.expires_at > ${day})`;
  const open = sql`(l.expires_at is null or l.expires_at > ${day})`;
  const inherited = sql`
    select ${columns}, ${own}, case when m.source_id = ${source.kind === 'group' ? source.id : NOBODY} then 0 else 1 end as distance
    from members m where m.source_type = 'group' and m.source_id in (${ids(source.lineage)}) and ${current}
    union all
    select ${columns}, ${shared}, 2 as distance
    from group_links l join members m on m.source_type = 'group' and m.source_id = l.group_id
    where l.source_type = 'group' and l.source_id in (${ids(source.lineage)}) and ${open} and ${current}`;
  if (source.kind === 'group') return inherited as RawBuilder<Membership & { distance: number }>;
  return sql`
    select ${columns}, ${own}, 0 as distance
    from members m where m.source_type = 'project' and m.source_id = ${source.id} and ${current}
    union all ${inherited}
    union all
    select ${columns}, ${shared}, 2 as distance
    from group_links l join namespaces s on s.id = l.group_id
    join members m on m.source_type = 'group' and s.lineage like '%/' || m.source_id || '/%'
    where l.source_type = 'project' and l.source_id = ${source.id} and ${open} and ${current}`;
}

/** Derived table of the current direct members of the source. */
export const directMembers = (source: Source, day: string): RawBuilder<Membership> => sql<Membership>`(
  select ${columns}, ${own} from members m
  where m.source_type = ${source.kind} and m.source_id = ${source.id} and (m.expires_at is null or m.expires_at > ${day}))`;

/** Derived table of all members of the source, each once with their highest level; of equal ones the nearest. */
export const effectiveMembers = (source: Source, day: string): RawBuilder<Membership> => sql<Membership>`(
  select id, user_id, access_level, member_role_id, created_by_id, expires_at, state, created_at from (
    select e.*, row_number() over (partition by user_id order by access_level desc, distance, id) as place
    from (${memberships(source, day)}) e
  ) ranked where place = 1)`;
