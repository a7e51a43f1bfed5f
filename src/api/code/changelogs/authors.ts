import { lineageIds } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { effectiveMemberships } from '../../../access/effective-memberships.ts';
import { findNamespace } from '../../../access/lookup.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { today } from '../../../core/clock.ts';
import { asciiLower } from '../../../db/like.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { usersWithAddresses } from '../../identity/index.ts';

const BATCH = 500;

/** Author of a commit in template data. */
export interface Author {
  reference: string;
  /** Whether they are not a member of the project. */
  contributor: boolean;
  /** Whether to credit them: contributors, and members of groups in `include_groups`. */
  credit: boolean;
}

/**
 * Finds users by the email addresses of authors.
 * @param includeGroups full paths of groups whose members are always credited; groups hidden from the caller are
 * ignored
 * @returns authors by address in lower case
 */
export async function authorsOf(
  deps: Deps,
  caller: Caller,
  project: Project,
  emails: readonly string[],
  includeGroups: readonly string[],
): Promise<Map<string, Author>> {
  const users = new Map<string, { id: number; username: string }>();
  const distinct = [...new Set(emails.map(asciiLower))];
  for (let at = 0; at < distinct.length; at += BATCH) {
    for (const { email, ...user } of await usersWithAddresses(deps.db, distinct.slice(at, at + BATCH))) {
      users.set(email, user);
    }
  }
  const ids = [...new Set([...users.values()].map(({ id }) => id))];
  const day = today(deps.clock);
  const members = (await effectiveMemberships(deps.db, [project.id], ids, day)).get(project.id);
  const credited = await membersOfGroups(deps, await visibleLineages(deps, caller, includeGroups), ids, day);
  return new Map(
    [...users].map(([email, { id, username }]) => {
      const contributor = members?.has(id) !== true;
      return [email, { reference: `@${username}`, contributor, credit: contributor || credited.has(id) }];
    }),
  );
}

/** Returns the ids of groups that the caller may see, and of their ancestors. */
async function visibleLineages(deps: Deps, caller: Caller, paths: readonly string[]): Promise<number[]> {
  const groups = await Promise.all(
    paths.map(async (path) => {
      const group = await findNamespace(deps, path, 'group');
      if (group === undefined || asciiLower(group.full_path) !== asciiLower(path)) return [];
      return (await groupPermissions(deps, caller, group)).can('read_group') ? lineageIds(group.lineage) : [];
    }),
  );
  return [...new Set(groups.flat())];
}

async function membersOfGroups(
  { db }: Deps,
  groups: readonly number[],
  users: readonly number[],
  day: string,
): Promise<Set<number>> {
  const ids = new Set<number>();
  for (let at = 0; at < users.length && groups.length > 0; at += BATCH) {
    const rows = await db
      .selectFrom('members')
      .select('user_id')
      .where('source_type', '=', 'group')
      .where('source_id', 'in', groups)
      .where('user_id', 'in', users.slice(at, at + BATCH))
      .where('state', '=', 'active')
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', day)]))
      .execute();
    for (const { user_id } of rows) ids.add(user_id);
  }
  return ids;
}
