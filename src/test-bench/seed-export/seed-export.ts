import { stringify } from 'yaml';
import { belongingsOf } from './export-belongings.ts';
import type { LevelSource } from './export-levels.ts';
import { projectOf } from './export-projects.ts';
import { beginningOf, restOf } from './export-server.ts';
import { groupSettings } from './export-settings.ts';
import { type Answer, compact, type ExportSource, inTurn, listAll, listById, pick } from './export-source.ts';
import { usersOf } from './export-users.ts';

const HEAD = `# A seed of what was read over the API of a server, without passwords, tokens and OAuth applications. Secrets that are needed are
# called not-exported. Archives of artifacts and npm packages with more than 50 MiB are left out.
`;

const GROUP_ATTRIBUTES = ['name', 'description', 'visibility', 'created_at'];

/** Writes a seed of all that can be read of a server, YAML. */
export async function exportSeed(source: ExportSource): Promise<string> {
  const users = await listById(source, '/users?humans=true');
  const groups = await listById(source, '/groups?all_available=true');
  const projects = await listById(source, '/projects');
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
    ...(await beginningOf(source)),
    users: await usersOf(source, users),
    groups: await inTurn(groups, async ({ id }) =>
      groupOf(source, await detailed(source, `/groups/${String(id)}`), names),
    ),
    projects: await inTurn(projects, async ({ id }) =>
      projectOf(source, await detailed(source, `/projects/${String(id)}`), names),
    ),
    ...(await restOf(source)),
  };
  return HEAD + stringify(compact(seed), { lineWidth: 0, aliasDuplicateObjects: false });
}

const detailed = async (source: ExportSource, path: string): Promise<Answer> => (await source.get(path)) as Answer;

async function groupOf(source: ExportSource, group: Answer, names: LevelSource): Promise<Answer> {
  const parent = typeof group.parent_id === 'number' ? names.group(group.parent_id) : undefined;
  const path = `/groups/${String(group.id)}`;
  const owners = (await listAll(source, `${path}/members`)).filter(({ access_level }) => access_level === 50);
  const creator = owners.some(({ username }) => username === 'root') ? undefined : owners[0]?.username;
  const place = { path, isProject: false, owner: String(creator ?? 'root') };
  return compact({
    path: group.path,
    parent,
    creator,
    ...pick(group, GROUP_ATTRIBUTES),
    ...groupSettings(group),
    ...(await belongingsOf(source, group, place, names)),
  });
}
