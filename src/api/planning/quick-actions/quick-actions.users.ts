import { sql } from 'kysely';
import { pluck } from '../../../core/pluck.ts';
import { asciiLower } from '../../../db/like.ts';
import type { User } from '../../../db/tables/users.table.ts';
import { readersAmong } from '../issuables/issuables.readers.ts';
import { type Context, toSentence, typeName } from './quick-actions.action.ts';

/** Maximum number of users of a quick action. */
const MAX_USERS = 100;

/** Resolves the users of an argument like `@ada, me and @bo`; or returns the message of a failure. */
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
  const matches =
    names.length === 0
      ? []
      : await c.deps.db
          .selectFrom('users')
          .selectAll()
          .where(sql<string>`lower(username)`, 'in', names)
          .orderBy('id')
          .execute();
  const known = new Map(matches.map((each) => [asciiLower(each.username), each]));
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

/** Users of an argument who can be assignees or reviewers. */
export interface Eligible {
  users: User[];
  /** Message about the other users, with a leading space; empty if there are none. */
  failure: string;
}

/**
 * Filters users to those who may see the issue or merge request: only they can be assignees or reviewers.
 * @param failed beginning of the message about the others: `Failed to assign`
 */
export async function eligibleAmong(c: Context, users: readonly User[], failed: string): Promise<Eligible> {
  const { deps, scope, type } = c;
  if (type === 'Commit') return { users: [...users], failure: '' };
  const { project, namespace } = scope;
  const eligible = await readersAmong(deps, deps.db, { type, project, namespace }, pluck(users, 'id'));
  const others = users.filter(({ id }) => !eligible.some((user) => user.id === id));
  const failure = ` ${failed} ${mentionsOf(others)} because they cannot see this ${typeName(c)}.`;
  return { users: eligible, failure: others.length === 0 ? '' : failure };
}
