import { type RawBuilder, sql } from 'kysely';
import { SHARED_LEVEL, SHARED_ROLE } from '../../../access/access.membership.ts';
import type { Plan } from '../../../access/access.plan.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { isBilled } from '../../../licence/billable-users.ts';

/** A member of a group hierarchy, through the strongest of their memberships. */
interface BillableRow {
  user_id: number;
  access_level: number;
  /** 1 for a group, 2 for a project, 3 for a group share, 4 for a project share. */
  way: number;
  joined_at: string;
}

const SORTS = {
  access_level_asc: ['b.access_level', 'asc'],
  access_level_desc: ['b.access_level', 'desc'],
  last_joined: ['b.joined_at', 'desc'],
  oldest_joined: ['b.joined_at', 'asc'],
  name_asc: ['users.name', 'asc'],
  name_desc: ['users.name', 'desc'],
  recent_sign_in: ['users.current_sign_in_at', 'desc'],
  oldest_sign_in: ['users.current_sign_in_at', 'asc'],
  last_activity_on_asc: ['users.last_activity_on', 'asc'],
  last_activity_on_desc: ['users.last_activity_on', 'desc'],
} as const;
export type BillableSort = keyof typeof SORTS;
export const BILLABLE_SORTS = Object.keys(SORTS) as BillableSort[];

/** Derived table of the billable users of a group hierarchy, one row each. @param day today, `YYYY-MM-DD` */
function usersOfTree(top: Namespace, day: string, plan: Plan): RawBuilder<BillableRow> {
  const groups = sql`select id from namespaces where lineage >= ${top.lineage} and lineage < ${`${top.lineage}~`}`;
  const projects = sql`select id from projects where namespace_id in (${groups})`;
  const direct = (type: 'group' | 'project', ids: RawBuilder<unknown>, way: number) => sql`
    select m.user_id, m.access_level, m.member_role_id as role_id, ${sql.lit(way)} as way, m.created_at as joined_at
    from members m
    where m.source_type = ${type} and m.source_id in (${ids}) and m.state = 'active'
      and (m.expires_at is null or m.expires_at > ${day})`;
  const invited = (type: 'group' | 'project', ids: RawBuilder<unknown>, way: number) => sql`
    select m.user_id, ${SHARED_LEVEL}, ${SHARED_ROLE}, ${sql.lit(way)}, m.created_at
    from group_links l join members m on m.source_type = 'group' and m.source_id = l.group_id and m.state = 'active'
    where l.source_type = ${type} and l.source_id in (${ids})
      and (m.expires_at is null or m.expires_at > ${day}) and (l.expires_at is null or l.expires_at > ${day})`;
  return sql<BillableRow>`(
    select user_id, max(access_level) as access_level, min(way) as way, max(joined_at) as joined_at from (
      ${direct('group', groups, 1)} union all ${direct('project', projects, 2)}
      union all ${invited('group', groups, 3)} union all ${invited('project', projects, 4)}
    ) ways group by user_id
    having max(case when ${isBilled(plan, sql.raw('access_level'), sql.raw('role_id'))} then 1 else 0 end) = 1)`;
}

/** Query for the billable members of a group hierarchy, in order, for counts and pages. */
export function billableMembers(db: Db, top: Namespace, day: string, plan: Plan, sort: BillableSort) {
  const [column, direction] = SORTS[sort];
  return (
    db
      .selectFrom(usersOfTree(top, day, plan).as('b'))
      .innerJoin('users', 'users.id', 'b.user_id')
      .selectAll('users')
      .select(['b.access_level', 'b.way'])
      .where('users.kind', '=', 'human')
      .where('users.state', '=', 'active')
      // Databases differ in the order of null: here it comes first when ascending.
      .orderBy((eb) => eb(eb.ref(column), 'is', null), direction === 'asc' ? 'desc' : 'asc')
      .orderBy(column, direction)
      .orderBy('users.id', direction)
  );
}
