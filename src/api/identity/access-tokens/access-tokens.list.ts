import { type Static, Type } from 'typebox';
import { type Clock, today } from '../../../core/clock.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { contains } from '../../../db/like.ts';
import { Day, Enum, Instant, optional } from '../../../http/http.schema.ts';

const SORTS = {
  created_asc: ['created_at', 'asc'],
  created_desc: ['created_at', 'desc'],
  expires_asc: ['expires_at', 'asc'],
  expires_desc: ['expires_at', 'desc'],
  last_used_asc: ['last_used_at', 'asc'],
  last_used_desc: ['last_used_at', 'desc'],
  name_asc: ['name', 'asc'],
  name_desc: ['name', 'desc'],
} as const;
type Sort = keyof typeof SORTS;

/** Parameters that filter and order a list of tokens. */
export const tokenFilters = {
  revoked: Type.Boolean(),
  state: Enum(['active', 'inactive']),
  search: Type.String({ description: 'Only tokens whose name contains this text.' }),
  created_after: Instant(),
  created_before: Instant(),
  last_used_after: Instant(),
  last_used_before: Instant(),
  expires_after: Day(),
  expires_before: Day(),
  sort: Enum(Object.keys(SORTS) as Sort[]),
};
const Filters = optional(tokenFilters);
export type TokenFilters = Static<typeof Filters>;

/** Scope of a list, before filters. */
export interface TokenBase {
  userId?: number;
  impersonation?: boolean;
  /** Tokens of a project or group; null for tokens of human users only. */
  resource?: { type: 'project' | 'group'; id: number } | null;
}

/** Adds a condition: `active` tokens are neither revoked nor expired. */
function withState(query: ReturnType<typeof baseQuery>, state: 'active' | 'inactive', day: string) {
  return state === 'active'
    ? query.where('revoked', '=', 0).where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
    : query.where((eb) => eb.or([eb('revoked', '=', 1), eb('expires_at', '<=', day)]));
}

function baseQuery(db: Db, base: TokenBase) {
  let query = db.selectFrom('access_tokens').selectAll();
  if (base.userId !== undefined) query = query.where('user_id', '=', base.userId);
  if (base.impersonation !== undefined) query = query.where('impersonation', '=', bit(base.impersonation));
  if (base.resource === null) query = query.where('resource_type', 'is', null);
  else if (base.resource !== undefined) {
    query = query.where('resource_type', '=', base.resource.type).where('resource_id', '=', base.resource.id);
  }
  return query;
}

/** Query for the tokens that match the filters, in order. Dates are compared as clients of the platform expect. */
export function tokensMatching(db: Db, clock: Clock, base: TokenBase, filters: TokenFilters) {
  let query = baseQuery(db, base);
  if (filters.revoked !== undefined) query = query.where('revoked', '=', bit(filters.revoked));
  if (filters.state !== undefined) query = withState(query, filters.state, today(clock));
  const { search } = filters;
  if (search !== undefined && search !== '') query = query.where((eb) => contains(eb.ref('name'), search));
  if (filters.created_after !== undefined) query = query.where('created_at', '>=', filters.created_after);
  if (filters.created_before !== undefined) query = query.where('created_at', '<=', filters.created_before);
  if (filters.last_used_after !== undefined) query = query.where('last_used_at', '>=', filters.last_used_after);
  if (filters.last_used_before !== undefined) query = query.where('last_used_at', '<=', filters.last_used_before);
  if (filters.expires_after !== undefined) query = query.where('expires_at', '>=', filters.expires_after);
  if (filters.expires_before !== undefined) query = query.where('expires_at', '<=', filters.expires_before);
  if (filters.sort === undefined) return query.orderBy('id');
  const [column, direction] = SORTS[filters.sort];
  // Databases differ in the order of nulls: here they come last when ascending.
  return query.orderBy((eb) => eb.fn.coalesce(column, eb.val('9999')), direction).orderBy('id', direction);
}
