import { type ExpressionBuilder, sql } from 'kysely';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { asciiLower, contains, equalsIgnoringCase } from '../../../db/like.ts';
import type { ORDERS, UserFilters } from './users.inputs.ts';

type Order = (typeof ORDERS)[number];

/** States that hide a user from everyone but administrators. */
const HIDDEN_STATES = ['blocked', 'banned', 'ldap_blocked'] as const;
const BLOCKED_STATES = ['blocked', 'ldap_blocked', 'banned', 'blocked_pending_approval'] as const;

const allUsers = (db: Db) => db.selectFrom('users').selectAll();
type Query = ReturnType<typeof allUsers>;

function byState(query: Query, filters: UserFilters): Query {
  let result = query;
  if (filters.active) result = result.where('state', '=', 'active').where('kind', 'not in', ['ghost', 'placeholder']);
  if (filters.exclude_active) result = result.where('state', '!=', 'active');
  if (filters.blocked) result = result.where('state', 'in', BLOCKED_STATES);
  return result;
}

function byKind(query: Query, filters: UserFilters): Query {
  let result = query;
  if (filters.humans) result = result.where('kind', '=', 'human');
  if (filters.exclude_humans) result = result.where('kind', '!=', 'human');
  if (filters.exclude_internal) result = result.where('kind', '!=', 'ghost');
  if (filters.without_project_bots) result = result.where('kind', 'not in', ['project_bot', 'group_bot']);
  if (filters.external) result = result.where('external', '=', 1);
  if (filters.exclude_external) result = result.where('external', '=', 0);
  if (filters.admins) result = result.where('admin', '=', 1);
  if (filters.auditors) result = result.where('auditor', '=', 1);
  return result;
}

function byIdentity(query: Query, filters: UserFilters): Query {
  const { username, public_email: publicEmail } = filters;
  let result = query;
  if (username !== undefined && username !== '') {
    result = result.where((eb) => equalsIgnoringCase(eb.ref('username'), username));
  }
  if (publicEmail !== undefined && publicEmail !== '') {
    result = result.where((eb) => equalsIgnoringCase(eb.ref('public_email'), publicEmail));
  }
  // No user of this server has a second factor.
  if (filters.two_factor === 'enabled') result = result.where('id', '<', 0);
  const { provider, extern_uid: externUid } = filters;
  if (provider !== undefined && externUid !== undefined) {
    result = result.where('id', 'in', (eb) =>
      eb
        .selectFrom('user_identities')
        .select('user_id')
        .where('provider', '=', provider)
        .where((inner) => equalsIgnoringCase(inner.ref('extern_uid'), externUid)),
    );
  }
  for (const [key, value] of Object.entries(filters.custom_attributes ?? {}).slice(0, 20)) {
    result = result.where('id', 'in', (eb) =>
      eb
        .selectFrom('custom_attributes')
        .select('source_id')
        .where('source_type', '=', 'user')
        .where('key', '=', key)
        .where('value', '=', String(value)),
    );
  }
  return result;
}

/** Users without projects: no membership, no personal project, no project in a group of theirs. */
function withoutProjects(query: Query): Query {
  return query
    .where('id', 'not in', (eb) => eb.selectFrom('members').select('user_id').where('source_type', '=', 'project'))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('projects as p')
            .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
            .select('p.id')
            .whereRef('n.owner_id', '=', 'users.id'),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('members as m')
            .innerJoin('namespaces as g', 'g.id', 'm.source_id')
            .innerJoin('namespaces as d', (join) =>
              join.on(sql<boolean>`d.lineage >= g.lineage and d.lineage < g.lineage || '~'`),
            )
            .innerJoin('projects as p', 'p.namespace_id', 'd.id')
            .select('p.id')
            .where('m.source_type', '=', 'group')
            .whereRef('m.user_id', '=', 'users.id'),
        ),
      ),
    );
}

function matches(eb: ExpressionBuilder<Schema, 'users'>, search: string, privateEmails: boolean) {
  const secondary = eb
    .selectFrom('emails')
    .select('user_id')
    .where((inner) => equalsIgnoringCase(inner.ref('email'), search));
  return eb.or([
    contains(eb.ref('username'), search),
    contains(eb.ref('name'), search),
    equalsIgnoringCase(eb.ref('public_email'), search),
    ...(privateEmails ? [contains(eb.ref('email'), search), eb('id', 'in', secondary)] : []),
  ]);
}

/**
 * Query for the users that match the filters, without an order.
 * @param full whether to search hidden users and private e-mail addresses; administrators only
 */
export function usersMatching(db: Db, filters: UserFilters, full: boolean): Query {
  let query = byIdentity(byKind(byState(allUsers(db), filters), filters), filters);
  if (!full) query = query.where('state', 'not in', HIDDEN_STATES);
  if (filters.without_projects) query = withoutProjects(query);
  if (filters.created_after !== undefined) query = query.where('created_at', '>=', filters.created_after);
  if (filters.created_before !== undefined) query = query.where('created_at', '<=', filters.created_before);
  const { search } = filters;
  if (search !== undefined && search !== '') query = query.where((eb) => matches(eb, search, full));
  return query;
}

/** Orders exact matches first, then by name. */
export const byRelevance = (query: Query, search: string): Query =>
  query
    .orderBy(
      sql`case when lower(username) = ${asciiLower(search)} or lower(name) = ${asciiLower(search)} then 0 else 1 end`,
    )
    .orderBy('name')
    .orderBy('id', 'desc');

export const inOrder = (query: Query, order: Order, direction: 'asc' | 'desc'): Query =>
  order === 'id' ? query.orderBy('id', direction) : query.orderBy(order, direction).orderBy('id', direction);

/** Restricts the query to users after the given one in the order. */
export function after(
  query: Query,
  order: Order,
  direction: 'asc' | 'desc',
  { value, id }: { value: string; id: number },
): Query {
  const beyond = direction === 'asc' ? '>' : '<';
  if (order === 'id') return query.where('id', beyond, id);
  return query.where((eb) => eb.or([eb(order, beyond, value), eb.and([eb(order, '=', value), eb('id', beyond, id)])]));
}

/** Whether another user has the user name. */
export async function isUsernameTaken(db: Db, username: string, exceptUserId = 0): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => equalsIgnoringCase(eb.ref('username'), username))
    .where('id', '!=', exceptUserId)
    .executeTakeFirst();
  return user !== undefined;
}
