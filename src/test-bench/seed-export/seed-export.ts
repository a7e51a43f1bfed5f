import { stringify } from 'yaml';
import { levelName } from './export-levels.ts';
import { belongingsOf, projectOf } from './export-projects.ts';
import { type Answer, compact, type ExportSource, flags, listAll, pick } from './export-source.ts';

const HEAD = `# A seed of what was read over the API of a server: no passwords, tokens, secrets, integrations and deploy keys.
`;

/** The id that comes first, as in a seed. */
const byId = (one: Answer, other: Answer): number => Number(one.id) - Number(other.id);

const GROUP_ATTRIBUTES = ['name', 'description', 'visibility', 'created_at'];

/** Writes a seed of all that can be read of a server, YAML. */
export async function exportSeed(source: ExportSource): Promise<string> {
  const users = (await listAll(source, '/users?humans=true')).sort(byId);
  const groups = (await listAll(source, '/groups?all_available=true')).sort(byId);
  const projects = (await listAll(source, '/projects')).sort(byId);
  const of = (all: readonly Answer[], key: string) => {
    const byId = new Map(all.map((one) => [Number(one.id), String(one[key])]));
    return (id: number) => byId.get(id);
  };
  const names = {
    user: of(users, 'username'),
    group: of(groups, 'full_path'),
    project: of(projects, 'path_with_namespace'),
  };
  const seed = {
    member_roles: (await listAll(source, '/member_roles')).sort(byId).map(roleOf),
    topics: (await listAll(source, '/topics')).sort(byId).map((topic) => pick(topic, ['name', 'title', 'description'])),
    users: await usersOf(source, users),
    groups: await inTurn(groups, async (group) => groupOf(source, group, names.group)),
    projects: await inTurn(projects, async ({ id }) =>
      projectOf(source, (await source.get(`/projects/${String(id)}`)) as Answer, names),
    ),
    broadcast_messages: (await listAll(source, '/broadcast_messages')).sort(byId).map((message) => ({
      ...pick(message, ['message', 'starts_at', 'ends_at', 'broadcast_type', 'theme', 'target_path']),
      ...flags(message, ['dismissable']),
    })),
  };
  return HEAD + stringify(compact(seed), { lineWidth: 0, aliasDuplicateObjects: false });
}

async function inTurn<T, R>(values: readonly T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

function roleOf(role: Answer): Answer {
  const abilities = Object.keys(role).filter((key) => role[key] === true);
  return {
    ...pick(role, ['name', 'description']),
    base_access_level: levelName(role.base_access_level),
    ...flags(role, abilities),
  };
}

const USER_ATTRIBUTES = [
  'username',
  'name',
  'email',
  'bio',
  'location',
  'job_title',
  'organization',
  'pronouns',
  'website_url',
  'public_email',
  'note',
  'created_at',
];

async function usersOf(source: ExportSource, users: readonly Answer[]): Promise<Answer[]> {
  return inTurn(
    users.filter(({ username }) => username !== 'root'),
    async (user) => {
      const keys = await listAll(source, `/users/${String(user.id)}/keys`);
      return compact({
        ...pick(user, USER_ATTRIBUTES),
        admin: user.is_admin === true ? true : undefined,
        ...flags(user, ['external', 'private_profile']),
        state: ['blocked', 'deactivated', 'banned'].includes(String(user.state)) ? user.state : undefined,
        keys: keys.sort(byId).map((key) => pick(key, ['title', 'key', 'expires_at', 'created_at'])),
      });
    },
  );
}

async function groupOf(
  source: ExportSource,
  group: Answer,
  pathOf: (id: number) => string | undefined,
): Promise<Answer> {
  const parent = typeof group.parent_id === 'number' ? pathOf(group.parent_id) : undefined;
  const path = `/groups/${String(group.id)}`;
  const owners = (await listAll(source, `${path}/members`)).filter(({ access_level }) => access_level === 50);
  const creator = owners.some(({ username }) => username === 'root') ? undefined : owners[0]?.username;
  return compact({
    path: group.path,
    parent,
    creator,
    ...pick(group, GROUP_ATTRIBUTES),
    ...(await belongingsOf(source, path, false, String(creator ?? 'root'))),
  });
}
