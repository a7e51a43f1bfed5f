import type { SeedContext } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { isLevel, LEVELS, parametersOf, REFERENCES } from './seed-fields.ts';

/** The parameters that seeds have by name, by the keys of seeds. */
const BY_KEY = new Map(Object.entries(REFERENCES).map(([parameter, { key }]) => [key, parameter]));

type Resolve = (context: SeedContext, name: string, owner: string) => Promise<number>;

const OF_NAMES: Readonly<Record<string, Resolve>> = {
  assignees: (context, name) => context.userId(name),
  reviewers: (context, name) => context.userId(name),
  users: (context, name) => context.userId(name),
  user: (context, name) => context.userId(name),
  groups: (context, name) => context.groupId(name),
  group: (context, name) => context.groupId(name),
  parent: (context, name) => context.groupId(name),
  namespace: (context, name) => context.namespaceId(name),
  milestone: (context, title, owner) => context.milestoneId(owner, title),
  member_role: (context, name) => context.roleId(name),
  target_project: (context, path) => context.projectId(path),
  protected_branches: (context, name, owner) => context.idIn('protected branch', name, `${owner}/protected_branches`),
  user_list: (context, name, owner) => context.idIn('user list', name, `${owner}/feature_flags_user_lists`),
};

/**
 * What a seed has by name as the API takes it: ids and numbers of levels.
 * @param owner path of the project or group that it belongs to, such as /projects/1
 * @throws SeedMistake for a name that there is not
 */
export async function apiParams(context: SeedContext, item: Item, owner: string): Promise<Record<string, unknown>> {
  const params: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    const parameter = BY_KEY.get(key);
    if (parameter !== undefined && isNames(value)) {
      const resolve = (name: string) => OF_NAMES[key]!(context, name, owner);
      params[parameter] = Array.isArray(value)
        ? await inTurn(value as string[], resolve)
        : await resolve(value as string);
    } else if (isLevel(key)) {
      params[key] = Array.isArray(value) ? value.map(levelOf) : levelOf(value);
    } else {
      params[key] = await nested(context, value, owner);
    }
  }
  return params;
}

/**
 * As `apiParams`, without what a route does not take.
 * @param route such as `POST /projects/:id/labels`
 */
export function routeParams(
  context: SeedContext,
  route: string,
  item: Item,
  owner: string,
): Promise<Record<string, unknown>> {
  const known = parametersOf(route);
  const taken = Object.entries(item).filter(([key]) => known.has(BY_KEY.get(key) ?? key));
  return apiParams(context, Object.fromEntries(taken), owner);
}

const isNames = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));

async function inTurn<T, R>(values: readonly T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

async function nested(context: SeedContext, value: unknown, owner: string): Promise<unknown> {
  if (Array.isArray(value)) return inTurn(value, (each) => nested(context, each, owner));
  return typeof value === 'object' && value !== null ? apiParams(context, value as Item, owner) : value;
}

function levelOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const level = LEVELS[value];
  // Settings with the same ending are words of their own, such as `issues_access_level: enabled`.
  return level ?? value;
}

/** The name of an item's user. @throws SeedMistake if there is no such user */
export async function actorOf(context: SeedContext, item: Item, key: string | undefined): Promise<string | undefined> {
  const name = key === undefined ? undefined : item[key];
  if (typeof name !== 'string') return undefined;
  await context.userId(name);
  return name;
}
