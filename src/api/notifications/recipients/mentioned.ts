import { sql } from 'kysely';
import { jobCaller } from '../../../access/job-caller.ts';
import { visibleGroups } from '../../../access/visible-groups.ts';
import { mentionedNames } from '../../../core/core.references.ts';
import { parseJson } from '../../../db/columns.ts';
import { asciiLower } from '../../../db/like.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Candidate, candidates } from './candidate.ts';
import type { ProjectContext } from './project-context.ts';
import { activeMemberIds } from './recipients.members.ts';

/** Maximum number of names in a text to look up. */
const MAX_NAMES = 100;

/** Project and author of a text. */
export interface MentionSource {
  place: ProjectContext;
  actor: Pick<User, 'id'> | null;
}

/**
 * Users mentioned in a text: users, members of groups that the author may see and that allow mentions
 * (`@group/subgroup`), and all members of the project (`@all`).
 * @param before the previous text, whose mentions do not count
 */
export async function mentionedIn(deps: Deps, where: MentionSource, text: string, before = ''): Promise<Candidate[]> {
  const known = before === '' ? new Set<string>() : mentionedNames(before);
  const names = [...mentionedNames(text)].filter((name) => !known.has(name)).slice(0, MAX_NAMES);
  if (names.length === 0) return [];
  const users = names.filter((name) => !name.includes('/')).map(asciiLower);
  const rows = await deps.db
    .selectFrom('users')
    .select('id')
    .where(sql<string>`lower(username)`, 'in', users)
    .execute();
  const groupIds = await groupsNamed(deps, where, names);
  const everybody = names.includes('all');
  const { project, groupIds: above } = where.place;
  const sources = everybody
    ? { projectId: project.id, groupIds: [...new Set([...groupIds, ...above])] }
    : { projectId: null, groupIds };
  const members = groupIds.length === 0 && !everybody ? [] : await activeMemberIds(deps, sources);
  return candidates([...rows.map(({ id }) => id), ...members], 'mention', 'mentioned');
}

async function groupsNamed(deps: Deps, { actor }: MentionSource, names: readonly string[]): Promise<number[]> {
  const rows = await deps.db
    .selectFrom('namespaces')
    .select(['id', 'settings'])
    .where('kind', '=', 'group')
    .where('in_deletion', '=', 0)
    .where(sql<string>`lower(full_path)`, 'in', names.map(asciiLower))
    .execute();
  const open = rows.filter(({ settings }) => parseJson<GroupSettings>(settings).mentions_disabled !== true);
  const author = open.length === 0 || actor === null ? undefined : await jobCaller(deps, actor.id);
  if (author === undefined) return [];
  const ids = open.map(({ id }) => id);
  const seen = deps.db.selectFrom('namespaces').select('id').where('id', 'in', ids);
  return (await seen.where(await visibleGroups(deps, author)).execute()).map(({ id }) => id);
}

interface GroupSettings {
  mentions_disabled?: boolean | null;
}
