import { setTimeout as pause } from 'node:timers/promises';
import type { Project } from '../../db/tables/projects.table.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { readJobRules } from '../jobs/job-outcome.ts';
import { findBench } from '../test-bench.ts';
import { unpackBundle } from './seed-bundles.ts';
import { applyCollections, type Owner } from './seed-collections.apply.ts';
import { PROJECT_COLLECTIONS, PROJECT_FINISH, REPOSITORY_COLLECTIONS } from './seed-collections.ts';
import { SeedHistory } from './seed-commits.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { applyIssues } from './seed-issues.ts';
import { applyMergeRequests, type PassingBranches, writeSourceBranches } from './seed-merge-requests.ts';
import { applyPackages } from './seed-packages.ts';
import { actorOf, routeParams } from './seed-params.ts';
import { applyPipelines } from './seed-pipelines.ts';
import { applySettings } from './seed-settings.ts';

const FORK_PAUSE_MS = 20;
const FORK_TRIES = 1_500;

/** A project of a seed, with its row. */
interface SeededProject {
  readonly item: Item;
  readonly owner: Owner;
  readonly row: Project;
  readonly passing: PassingBranches;
}

/** Makes the projects of a seed: first all with their histories, then what each has, in the order of the file. */
export async function applyProjects(context: SeedContext, list: unknown): Promise<void> {
  const projects: SeededProject[] = [];
  await context.each(list, async (item) => void projects.push(await applyProject(context, item)), 'path');
  await context.each(list, (_, at) => fill(context, projects[at]!), 'path');
  for (const [at, project] of projects.entries()) context.after(list, at, () => finish(context, project));
}

async function applyProject(context: SeedContext, item: Item): Promise<SeededProject> {
  const fullPath = `${(item.namespace as string | undefined) ?? 'root'}/${String(item.path)}`;
  const known = await rowOf(context, fullPath);
  if (known === undefined) await (item.forked_from === undefined ? makeProject : makeFork)(context, item);
  const row = known ?? (await rowOf(context, fullPath));
  if (row === undefined) throw new SeedMistake(`the project was not made at ${fullPath}`);
  const owner = { path: `/projects/${row.id}`, fresh: known === undefined };
  await applyCollections(context, PROJECT_COLLECTIONS, item, owner);
  const passing = await writeHistory(context, item, owner, row);
  return { item, row, owner, passing };
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

/** Makes a fork and waits for its copy. */
async function makeFork(context: SeedContext, item: Item): Promise<void> {
  const { api, clock, deps } = context;
  clock.at(item.created_at);
  const origin = await context.projectId(String(item.forked_from));
  const { as, id } = await placeOf(context, item, item.namespace);
  const { name = item.path, path, visibility, description } = item;
  const params = { name, path, visibility, description, ...(id === undefined ? {} : { namespace_id: id }) };
  const { id: fork } = await api.send('POST', `/projects/${origin}/fork`, params, { as });
  context.count('projects');
  for (let tries = 0; tries < FORK_TRIES; tries += 1) {
    await deps.jobs.drain();
    const { import_status: status } = await api.send('GET', `/projects/${String(fork)}`);
    if (status === 'finished' || status === 'none') return setRest(context, item, `/projects/${String(fork)}`);
    if (status === 'failed') break;
    await pause(FORK_PAUSE_MS);
  }
  throw new SeedMistake('forked_from: the fork was not copied');
}

/** What a fork is made with, and what comes with its history. */
const OF_FORKS = new Set(['name', 'path', 'namespace', 'visibility', 'description', 'default_branch']);

/** Sets what a fork cannot be made with. */
async function setRest(context: SeedContext, item: Item, path: string): Promise<void> {
  const rest = Object.fromEntries(Object.entries(item).filter(([key]) => !OF_FORKS.has(key)));
  const params = await routeParams(context, 'PUT /projects/:id', rest, path);
  if (Object.keys(params).length > 0) await context.api.send('PUT', path, params);
}

/** Writes all commits of a project: those imported, its own, and those of its merge requests. */
async function writeHistory(context: SeedContext, item: Item, owner: Owner, row: Project): Promise<PassingBranches> {
  const { commits, merge_requests: mergeRequests } = item;
  let passing: PassingBranches = { names: new Set(), targets: new Map() };
  if (item.import === undefined && commits === undefined && mergeRequests === undefined) return passing;
  await SeedHistory.write(context, row, async (history) => {
    if (item.import !== undefined && owner.fresh) history.adopt(await imported(context, String(item.import), row));
    await context.each(commits, async (commit) => {
      if (!history.hadBranch((commit.branch as string | undefined) ?? history.main)) await history.commit(commit);
    });
    passing = await writeSourceBranches(context, history, mergeRequests, owner);
  });
  return passing;
}

async function imported(context: SeedContext, path: string, row: Project): Promise<Map<string, string>> {
  const bundle = await context.bundles(path);
  if (bundle === null) throw new SeedMistake(`import: there is no repository ${path}`);
  return unpackBundle(repositoryOf(context.deps, row), bundle);
}

async function fill(context: SeedContext, { item, owner, row, passing }: SeededProject): Promise<void> {
  await applyCollections(context, REPOSITORY_COLLECTIONS, item, owner);
  await applyIssues(context, item.issues, owner);
  const main = (await repositoryOf(context.deps, row).refs.head()) ?? 'main';
  await applyMergeRequests(context, item.merge_requests, { ...owner, main, targets: passing.targets });
  for (const branch of passing.names)
    await context.api.send('DELETE', `${owner.path}/repository/branches/${encodeURIComponent(branch)}`);
  await applyPipelines(context, item.pipelines, row, owner);
  await applyPackages(context, item.packages, owner);
}

/** Sets how the jobs of a project end by themselves, unless they do so already. */
async function applyJobRules(context: SeedContext, rules: unknown, projectId: number): Promise<void> {
  if (rules === undefined) return;
  const bench = findBench(context.deps);
  if (bench === null) throw new SeedMistake('jobs: only a server with a test bench ends jobs: start it with --bench');
  const before = JSON.stringify(await bench.jobs.rules(projectId));
  if (before === JSON.stringify(readJobRules(rules))) return;
  await bench.jobs.setRules(projectId, rules);
  context.count('job_rules');
}

async function finish(context: SeedContext, { item, owner, row }: SeededProject): Promise<void> {
  const { api, clock } = context;
  await applyCollections(context, PROJECT_FINISH, item, owner);
  await applySettings(context, item, owner);
  await applyJobRules(context, item.jobs, row.id);
  if (!owner.fresh) return;
  for (const username of (item.stars ?? []) as string[]) {
    await context.userId(username);
    clock.at();
    await api.send('POST', `${owner.path}/star`, undefined, { as: username });
  }
  if (item.archived === true) await api.send('POST', `${owner.path}/archive`);
}
