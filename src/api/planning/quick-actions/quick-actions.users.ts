import { sql } from 'kysely';
import { asciiLower } from '../../../db/like.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { readersAmong } from '../issuables/issuables.readers.ts';
import { type Context, toSentence, typeName } from './quick-actions.action.ts';

/** Users that one quick action may name. */
const MAX_USERS = 100;

/** What an argument like `@ada, me and @bo` names; or what is told where it cannot be read. */
export async function usersOf(c: Context, argument: string): Promise<User[] | string> {
  const words = [...new Set(argument.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and'))];
  if (words.length > MAX_USERS || words.length > c.lookups) {
    return `Too many references. Quick actions are limited to at most ${MAX_USERS} user references`;
  }
  c.lookups -= words.length;
  const { user } = c.scope.caller;
  const names = words
    .filter((word) => word !== 'me')
    .map((word) => asciiLower(word.replaceAll('\\_', '_').replace(/^@/, '')));
  const found =
    names.length === 0
      ? []
      : await c.deps.db
          .selectFrom('users')
          .selectAll()
          .where(sql<string>`lower(username)`, 'in', names)
          .orderBy('id')
          .execute();
  const known = new Map(found.map((each) => [asciiLower(each.username), each]));
  const missing = words.filter((word) => word !== 'me').filter((_, index) => !known.has(names[index]!));
  if (missing.length > 0) {
    return `Failed to find users for ${toSentence(missing.map((name) => `'${name.slice(0, 255)}'`))}`;
  }
  const users = names.map((name) => known.get(name)!);
  const all = words.includes('me') ? [user, ...users] : users;
  return all.filter((each, index) => all.findIndex(({ id }) => id === each.id) === index);
}

/** `@ada and @bo`. */
export const mentionsOf = (users: readonly Pick<User, 'username'>[]): string =>
  toSentence(users.map(({ username }) => `@${username}`));

/** Users whom an argument names, as far as they can be given the issue or merge request. */
export interface Eligible {
  users: User[];
  /** What is told of the others, with a space before it; empty where there are none. */
  failure: string;
}

/**
 * Those of the users who may see the issue or merge request: nobody else becomes its assignee or reviewer.
 * @param failed what fails for the others, before their names: `Failed to assign`
 */
export async function eligibleAmong(c: Context, users: readonly User[], failed: string): Promise<Eligible> {
  const { deps, scope, type } = c;
  if (type === 'Commit') return { users: [...users], failure: '' };
  const { project, namespace } = scope;
  const eligible = await readersAmong(
    deps,
    deps.db,
    { type, project, namespace },
    users.map(({ id }) => id),
  );
  const others = users.filter(({ id }) => !eligible.some((user) => user.id === id));
  const failure = ` ${failed} ${mentionsOf(others)} because they cannot see this ${typeName(c)}.`;
  return { users: eligible, failure: others.length === 0 ? '' : failure };
}
