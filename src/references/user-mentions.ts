import { sql } from 'kysely';
import { visibleGroups } from '../access/visible-groups.ts';
import { asciiLower } from '../db/like.ts';
import type { UserState } from '../db/tables/users.table.ts';
import type { Mention, MentionLink } from '../markup/mentions.ts';
import { type FindLinks, linked } from './placed-mention.ts';

/** Users in these states are shown to administrators only. */
const HIDDEN: readonly UserState[] = ['blocked', 'banned', 'ldap_blocked'];

/** Users, and groups that the reader may see. */
export const userLinks: FindLinks<Mention> = async (deps, reader, mentions) => {
  const { db } = deps;
  const names = [...new Set(mentions.map(({ value }) => asciiLower(value)))];
  const plain = names.filter((name) => !name.includes('/'));
  const users =
    plain.length === 0
      ? []
      : await db
          .selectFrom('users')
          .select(['id', 'username', 'name', 'state'])
          .where(sql<string>`lower(username)`, 'in', plain)
          .execute();
  const byName = new Map(
    users
      .filter(({ state }) => reader.admin || !HIDDEN.includes(state))
      .map((user) => [asciiLower(user.username), user]),
  );
  const others = names.filter((name) => !byName.has(name));
  const groups =
    others.length === 0
      ? []
      : await db
          .selectFrom('namespaces')
          .select(['id', 'name', 'full_path'])
          .where('kind', '=', 'group')
          .where(sql<string>`lower(full_path)`, 'in', others)
          .where(await visibleGroups(deps, reader))
          .execute();
  const byPath = new Map(groups.map((group) => [asciiLower(group.full_path), group]));
  return linked(mentions, ({ value }): MentionLink | undefined => {
    const user = byName.get(asciiLower(value));
    const group = byPath.get(asciiLower(value));
    if (user !== undefined) {
      return {
        href: `${deps.externalUrl()}/${user.username}`,
        title: user.name,
        text: `@${user.username}`,
        data: { user: user.id },
      };
    }
    if (group === undefined) return undefined;
    return {
      href: `${deps.externalUrl()}/groups/${group.full_path}`,
      title: group.name,
      text: `@${group.full_path}`,
      data: { group: group.id },
    };
  });
};
