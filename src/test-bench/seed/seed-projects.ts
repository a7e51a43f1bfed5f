import type { Project } from '../../db/tables/projects.table.ts';
import { applyCollections, type Owner } from './seed-collections.apply.ts';
import { PROJECT_COLLECTIONS, PROJECT_FINISH, REPOSITORY_COLLECTIONS } from './seed-collections.ts';
import { SeedHistory } from './seed-commits.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { applyIssues } from './seed-issues.ts';
import { actorOf, routeParams } from './seed-params.ts';
import { applySettings } from './seed-settings.ts';

/** A project of a seed, with its row. */
interface SeededProject {
  readonly item: Item;
  readonly owner: Owner;
  readonly row: Project;
}

/** Makes the projects of a seed: first all of them, then what each has, in the order of the file. */
export async function applyProjects(context: SeedContext, list: unknown): Promise<void> {
  const projects: SeededProject[] = [];
  await context.each(list, async (item) => void projects.push(await applyProject(context, item)), 'path');
  await context.each(list, async (_, at) => fill(context, projects[at]!), 'path');
  for (const [at, project] of projects.entries()) context.after(list, at, () => finish(context, project));
}

async function applyProject(context: SeedContext, item: Item): Promise<SeededProject> {
  const fullPath = `${(item.namespace as string | undefined) ?? 'root'}/${String(item.path)}`;
  const known = await rowOf(context, fullPath);
  if (known === undefined) await makeProject(context, item);
  const row = known ?? (await rowOf(context, fullPath));
  if (row === undefined) throw new SeedMistake(`the project was not made at ${fullPath}`);
  return { item, row, owner: { path: `/projects/${row.id}`, fresh: known === undefined } };
}

const rowOf = ({ deps }: SeedContext, fullPath: string): Promise<Project | undefined> =>
  deps.db.selectFrom('projects').selectAll().where('full_path', '=', fullPath).executeTakeFirst();

async function makeProject(context: SeedContext, item: Item): Promise<void> {
  context.clock.at(item.created_at);
  const { namespace, ...rest } = item;
  const sent = await routeParams(context, 'POST /projects', { name: item.path, ...rest }, '');
  const { as, id } = await placeOf(context, item, namespace);
  if (id !== undefined) sent.namespace_id = id;
  await context.api.send('POST', '/projects', sent, { as });
  context.count('projects');
}

/** Who makes it and where: a personal project is made by its owner. */
async function placeOf(context: SeedContext, item: Item, namespace: unknown): Promise<{ as?: string; id?: number }> {
  const creator = await actorOf(context, item, 'creator');
  const as = creator === undefined ? {} : { as: creator };
  if (typeof namespace !== 'string') return as;
  const id = await context.namespaceId(namespace);
  const { kind } = await context.deps.db
    .selectFrom('namespaces')
    .select('kind')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return kind === 'user' ? { as: namespace } : { ...as, id };
}

async function fill(context: SeedContext, project: SeededProject): Promise<void> {
  const { item, owner, row } = project;
  await applyCollections(context, PROJECT_COLLECTIONS, item, owner);
  if (item.commits !== undefined)
    await SeedHistory.write(context, row, (history) => writeCommits(context, history, item));
  await applyCollections(context, REPOSITORY_COLLECTIONS, item, owner);
  await applyIssues(context, item.issues, owner);
}

/** Writes the commits of a project, except for those of branches that were there. */
async function writeCommits(context: SeedContext, history: SeedHistory, item: Item): Promise<void> {
  await context.each(item.commits, async (commit) => {
    if (!history.hadBranch((commit.branch as string | undefined) ?? history.main)) await history.commit(commit);
  });
}

async function finish(context: SeedContext, { item, owner }: SeededProject): Promise<void> {
  const { api, clock } = context;
  await applyCollections(context, PROJECT_FINISH, item, owner);
  await applySettings(context, item, owner);
  if (!owner.fresh) return;
  for (const username of (item.stars ?? []) as string[]) {
    await context.userId(username);
    clock.at();
    await api.send('POST', `${owner.path}/star`, undefined, { as: username });
  }
  if (item.archived === true) await api.send('POST', `${owner.path}/archive`);
}
