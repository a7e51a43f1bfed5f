import type { Json } from './seed-api.ts';
import { Existing, type Owner } from './seed-collections.apply.ts';
import type { SeedHistory } from './seed-commits.ts';
import type { SeedContext } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { applyConversation, closeIfWanted } from './seed-issuables.ts';
import { actorOf, routeParams } from './seed-params.ts';

/** What a project has of merge requests, by the branches and titles that tell them apart. */
async function existingOf({ api }: SeedContext, { fresh, path }: Owner): Promise<Existing> {
  const all = fresh ? [] : await api.list(`${path}/merge_requests`, '&sort=asc&order_by=created_at&scope=all');
  return new Existing(all, ['source_branch', 'title']);
}

const keyOf = (item: Item): Item => ({ source_branch: item.source_branch, title: titleOf(item) });

/** The title: made of the source branch if there is none, marked if it is a draft. */
function titleOf({ title, source_branch: branch, draft }: Item): string {
  const text = typeof title === 'string' ? title : String(branch).replaceAll(/[-_/]+/g, ' ');
  return draft === true && !/^draft:/i.test(text) ? `Draft: ${text}` : text;
}

/** Writes the branches of merge requests that are not there yet. */
export async function writeSourceBranches(
  context: SeedContext,
  history: SeedHistory,
  list: unknown,
  project: Owner,
): Promise<void> {
  const existing = await existingOf(context, project);
  await context.each(list, async (item) => {
    if (existing.take(keyOf(item)) !== undefined || item.source_project !== undefined) return;
    const branch = item.source_branch as string;
    const target = (item.target_branch as string | undefined) ?? history.main;
    const hadIt = history.hadBranch(branch);
    await context.each(item.commits, async (commit) => {
      if (!hadIt) await history.commit({ start_branch: target, author: item.author, ...commit }, branch);
    });
    await history.ensureBranch(branch, target, item.author);
  });
}

/** Makes the merge requests of a project, in the state that the seed tells. */
export async function applyMergeRequests(
  context: SeedContext,
  list: unknown,
  project: Owner & { main: string },
): Promise<void> {
  if (list === undefined) return;
  const existing = await existingOf(context, project);
  await context.each(list, async (item) => {
    const known = existing.take(keyOf(item));
    const row = known ?? (await make(context, item, project));
    const path = `${project.path}/merge_requests/${String(row.iid)}`;
    const owner: Owner = { path, fresh: known === undefined, scope: project.path };
    if (owner.fresh) await addRules(context, item, owner);
    await applyConversation(context, item, owner, row.diff_refs as Json | undefined);
    if (owner.fresh) await decide(context, item, owner);
  });
}

async function make(context: SeedContext, item: Item, project: Owner & { main: string }): Promise<Json> {
  context.clock.at(item.created_at);
  const route = 'POST /projects/:id/merge_requests';
  const whole = { target_branch: project.main, ...item, title: titleOf(item) };
  const params = await routeParams(context, route, whole, project.path);
  const from = item.source_project as string | undefined;
  const source = from === undefined ? project.path : `/projects/${await context.projectId(from)}`;
  if (from !== undefined) params.target_project_id = Number(project.path.split('/').pop());
  const as = await actorOf(context, item, 'author');
  const made = await context.api.send('POST', `${source}/merge_requests`, params, { as });
  context.count('merge_requests');
  return made;
}

async function addRules(context: SeedContext, item: Item, { path, scope = path }: Owner): Promise<void> {
  await context.each(item.approval_rules, async (rule) => {
    const route = 'POST /projects/:id/merge_requests/:merge_request_iid/approval_rules';
    await context.api.send('POST', `${path}/approval_rules`, await routeParams(context, route, rule, scope));
  });
}

/** Approves it, and closes or merges it. */
async function decide(context: SeedContext, item: Item, { path }: Owner): Promise<void> {
  const { api, clock } = context;
  for (const username of (item.approved_by ?? []) as string[]) {
    await context.userId(username);
    clock.at();
    await api.send('POST', `${path}/approve`, undefined, { as: username });
  }
  await closeIfWanted(context, item, path);
  if (item.state !== 'merged') return;
  clock.at(item.merged_at);
  await api.send('PUT', `${path}/merge`, {}, { as: await actorOf(context, item, 'merged_by') });
}
