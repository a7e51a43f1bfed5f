import { recordMerge } from '../../api/planning/index.ts';
import type { Json } from './seed-api.ts';
import { Existing, type Owner } from './seed-collections.apply.ts';
import type { SeedHistory } from './seed-commits.ts';
import type { SeedContext } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { applyClosedState, applyConversation } from './seed-issuables.ts';
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

/** Branches that are there only until their merge requests are made. */
export interface PassingBranches {
  readonly names: Set<string>;
  /** Targets before the merges that the history holds: the merge requests have their diffs from these. */
  readonly targets: Map<Item, string>;
}

/** Writes the branches of merge requests that are not there yet. @returns those that are to go again */
export async function writeSourceBranches(
  context: SeedContext,
  history: SeedHistory,
  list: unknown,
  project: Owner,
): Promise<PassingBranches> {
  const existing = await existingOf(context, project);
  const passing: PassingBranches = { names: new Set(), targets: new Map() };
  await context.each(list, async (item) => {
    if (existing.take(keyOf(item)) !== undefined || item.source_project !== undefined) return;
    const branch = item.source_branch as string;
    const target = (item.target_branch as string | undefined) ?? history.main;
    const hadIt = history.hadBranch(branch);
    await context.each(item.commits, async (commit) => {
      if (!hadIt) await history.commit({ start_branch: target, author: item.author, ...commit }, branch);
    });
    await goBeforeMerge(history, item, passing);
    if (history.hasBranch(branch)) return;
    if (typeof item.sha === 'string' && (await history.branchAt(branch, item.sha))) passing.names.add(branch);
    else await history.ensureBranch(branch, target, item.author);
  });
  return passing;
}

interface TargetProject extends Owner {
  /** Its default branch. */
  readonly main: string;
  readonly targets: PassingBranches['targets'];
}

const mergeOf = ({ merge_commit_sha, squash_commit_sha }: Item): string | undefined =>
  (merge_commit_sha ?? squash_commit_sha) as string | undefined;

/** For a merge that the history holds: makes a branch where the target was before it. */
async function goBeforeMerge(history: SeedHistory, item: Item, { names, targets }: PassingBranches): Promise<void> {
  const merge = mergeOf(item);
  const parent = merge === undefined ? null : await history.parentOf(merge);
  if (parent === null) return;
  const branch = `before-merge-${names.size + 1}`;
  await history.branchAt(branch, parent);
  names.add(branch);
  targets.set(item, branch);
}

/** Makes the merge requests of a project, in the state that the seed tells. */
export async function applyMergeRequests(context: SeedContext, list: unknown, project: TargetProject): Promise<void> {
  if (list === undefined) return;
  const existing = await existingOf(context, project);
  await context.each(list, async (item) => {
    const known = existing.take(keyOf(item));
    const row = known ?? (await make(context, item, project));
    const path = `${project.path}/merge_requests/${String(row.iid)}`;
    const owner: Owner = { path, fresh: known === undefined, scope: project.path };
    if (owner.fresh) await addRules(context, item, owner);
    await applyConversation(context, item, owner, row.diff_refs as Json | undefined);
    if (owner.fresh) await decide(context, item, owner, (item.target_branch as string | undefined) ?? project.main);
  });
}

async function make(context: SeedContext, item: Item, project: TargetProject): Promise<Json> {
  context.clock.at(item.created_at);
  const route = 'POST /projects/:id/merge_requests';
  const before = project.targets.get(item);
  const target = before === undefined ? {} : { target_branch: before };
  const whole = { target_branch: project.main, ...item, title: titleOf(item), ...target };
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
async function decide(context: SeedContext, item: Item, { path }: Owner, target: string): Promise<void> {
  const { api, clock } = context;
  for (const username of (item.approved_by ?? []) as string[]) {
    await context.userId(username);
    clock.at();
    await api.send('POST', `${path}/approve`, undefined, { as: username });
  }
  await applyClosedState(context, item, path);
  if (item.state !== 'merged') return;
  clock.at(item.merged_at);
  if (mergeOf(item) !== undefined) await markAsMerged(context, item, path, target);
  else await api.send('PUT', `${path}/merge`, {}, { as: await actorOf(context, item, 'merged_by') });
}

/** Records a merge that the history holds already. */
async function markAsMerged(
  { api, deps, userId }: SeedContext,
  item: Item,
  path: string,
  target: string,
): Promise<void> {
  const { id, sha } = await api.send('GET', path);
  const by = await userId((item.merged_by as string | undefined) ?? 'root');
  const cause = {
    type: 'merge',
    merge_request_id: Number(id),
    head_sha: String(sha),
    merge_commit_sha: (item.merge_commit_sha as string | undefined) ?? null,
    squash_commit_sha: (item.squash_commit_sha as string | undefined) ?? null,
  } as const;
  await deps.db.transaction().execute(async (db) => {
    await db.updateTable('merge_requests').set({ target_branch: target }).where('id', '=', Number(id)).execute();
    await recordMerge(deps, db, cause, by);
  });
}
