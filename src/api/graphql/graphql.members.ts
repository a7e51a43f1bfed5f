import { connectionOfList, fetchAllPages, fetchConnection, type PageArguments } from './graphql.connection.ts';
import type { Arguments, Resolve } from './reading.ts';
import { rows } from './reading.ts';
import type { Json, Rest } from './rest.ts';

const DEFAULT = ['DIRECT', 'INHERITED'];

/** Merges lists of members: each user once, with the highest access level, ordered by id. */
function merged(lists: readonly Json[][]): Json[] {
  const byId = new Map<unknown, Json>();
  for (const member of lists.flat()) {
    const known = byId.get(member.id);
    if (known === undefined || Number(known.access_level) < Number(member.access_level)) byId.set(member.id, member);
  }
  return [...byId.values()].sort((one, other) => Number(one.id) - Number(other.id));
}

/** Members of invited groups, with at most the access level of the invitation. */
async function invited(rest: Rest, { shared_with_groups }: Json, query: { query?: string }): Promise<Json[][]> {
  return Promise.all(
    rows(shared_with_groups).map(async ({ group_id, group_access_level }) => {
      const members = await fetchAllPages(rest, `/groups/${group_id}/members/all`, query);
      const maxLevel = Number(group_access_level);
      return members.map((one) => ({ ...one, access_level: Math.min(Number(one.access_level), maxLevel) }));
    }),
  );
}

async function below(rest: Rest, path: string, query: { query?: string }): Promise<Json[][]> {
  const places = [
    ...(await fetchAllPages(rest, `${path}/descendant_groups`)).map(({ id }) => `/groups/${id}`),
    ...(await fetchAllPages(rest, `${path}/projects`, { include_subgroups: true })).map(({ id }) => `/projects/${id}`),
  ];
  return Promise.all(places.map((place) => fetchAllPages(rest, `${place}/members`, query)));
}

/**
 * Members of a group or project by relation: direct, inherited from ancestor groups, of descendant groups and projects,
 * of invited groups.
 */
export const members =
  (kind: 'groups' | 'projects'): Resolve =>
  async (source: Json, args: Arguments, rest: Rest) => {
    const path = `/${kind}/${source.id}`;
    const page = args as PageArguments;
    const query = typeof args.search === 'string' ? { query: args.search } : {};
    const relations = new Set(Array.isArray(args.relations) ? (args.relations as string[]) : DEFAULT);
    const isBoth = relations.has('DIRECT') && relations.has('INHERITED');
    if (relations.size === 1 && relations.has('DIRECT')) return fetchConnection(rest, `${path}/members`, query, page);
    if (relations.size === 2 && isBoth) return fetchConnection(rest, `${path}/members/all`, query, page);
    const above = kind === 'groups' ? source.parent_id : parentOf(source);
    const lists: Json[][] = [];
    if (isBoth) lists.push(await fetchAllPages(rest, `${path}/members/all`, query));
    else if (relations.has('DIRECT')) lists.push(await fetchAllPages(rest, `${path}/members`, query));
    else if (relations.has('INHERITED') && above !== null) {
      lists.push(await fetchAllPages(rest, `/groups/${above}/members/all`, query));
    }
    if (relations.has('DESCENDANTS') && kind === 'groups') lists.push(...(await below(rest, path, query)));
    if (relations.has('SHARED_FROM_GROUPS') || relations.has('INVITED_GROUPS'))
      lists.push(...(await invited(rest, source, query)));
    if (relations.has('SHARED_INTO_ANCESTORS') && above !== null) {
      const group = await rest.one(`/groups/${above}`, { with_projects: false });
      if (group !== null) lists.push(...(await invited(rest, group, query)));
    }
    return connectionOfList(merged(lists), page);
  };

const parentOf = ({ namespace }: Json): unknown => {
  const { kind, id } = namespace as Json;
  return kind === 'group' ? id : null;
};
