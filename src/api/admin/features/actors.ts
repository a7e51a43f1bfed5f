import { badRequest } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';

/** Actors to switch a flag for: lists of names, separated by commas. */
export interface ActorNames {
  user?: string | undefined;
  group?: string | undefined;
  namespace?: string | undefined;
  project?: string | undefined;
  repository?: string | undefined;
}

const MAX_NAMES = 100;

function names(text: string | undefined): string[] {
  const list = [...new Set((text ?? '').split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (list.length > MAX_NAMES) throw badRequest(`Too many names. A request can name at most ${MAX_NAMES}.`);
  return list;
}

/** @throws ApiError 400 for the first name that was not found */
function all(
  type: string,
  what: string,
  requestedNames: readonly string[],
  rows: readonly { id: number; name: string }[],
): string[] {
  return requestedNames.map((name) => {
    const row = rows.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (row === undefined) throw badRequest(`${what} ${name} is not found!`);
    return `${type}:${row.id}`;
  });
}

/** The named actors as flags store them: `User:1`, `Group:2`, `Project:3`. @throws ApiError 400 for an unknown name */
export async function actorsOf(db: Db, named: ActorNames): Promise<string[]> {
  const users = names(named.user);
  const groups = names(named.group);
  const namespaces = names(named.namespace);
  const projects = names(named.project);
  const repositories = names(named.repository);
  const paths = repositories.map((path) => path.replace(/\.git$/, '').replace(/\.wiki$/, ''));
  const userRows = await db
    .selectFrom('users')
    .select(['id', 'username as name'])
    .where('username', 'in', users)
    .execute();
  const namespaceRows = await db
    .selectFrom('namespaces')
    .select(['id', 'full_path as name', 'kind'])
    .where('full_path', 'in', [...groups, ...namespaces])
    .execute();
  const projectRows = await db
    .selectFrom('projects')
    .select(['id', 'full_path as name'])
    .where('full_path', 'in', [...projects, ...paths])
    .execute();
  const onlyGroups = namespaceRows.filter(({ kind }) => kind === 'group');
  return [
    ...all('User', 'user', users, userRows),
    ...all('Group', 'group', groups, onlyGroups),
    ...all('Namespace', 'namespace', namespaces, namespaceRows),
    ...all('Project', 'project', projects, projectRows),
    ...all('Repository', 'repository', paths, projectRows),
  ];
}
