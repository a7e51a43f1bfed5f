import { callerInProject } from '../../access/caller-in-project.ts';
import { createActingIssue } from '../../api/planning/index.ts';
import { forbidden } from '../../core/core.errors.ts';
import type { Json } from './seed-api.ts';
import { Existing, type Owner } from './seed-collections.apply.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { applyClosedState, applyConversation } from './seed-issuables.ts';
import { actorOf, routeParams } from './seed-params.ts';

type Made = Pick<Json, 'iid'>;
type NewIssue = Parameters<typeof createActingIssue>[2];

/** Makes the issues of a project; their links come when all projects are there. */
export async function applyIssues(context: SeedContext, list: unknown, project: Owner): Promise<void> {
  if (list === undefined) return;
  const path = `${project.path}/issues`;
  const all = project.fresh ? [] : await context.api.list(path, '&sort=asc&order_by=created_at&scope=all');
  const existing = new Existing(all, ['iid', 'title']);
  await context.each(
    list,
    async (item, at) => {
      const known = existing.take({ title: item.title, ...(item.iid === undefined ? {} : { iid: item.iid }) });
      const issue = known ?? (await makeIssue(context, item, project));
      const owner: Owner = { path: `${path}/${String(issue.iid)}`, fresh: known === undefined, scope: project.path };
      await applyConversation(context, item, owner);
      if (owner.fresh) await finishIssue(context, item, owner);
      if (item.links !== undefined) context.after(list, at, () => applyLinks(context, item, owner, project));
    },
    'title',
  );
}

async function makeIssue(context: SeedContext, item: Item, project: Owner): Promise<Made> {
  context.clock.at(item.created_at);
  const params = await routeParams(context, 'POST /projects/:id/issues', item, project.path);
  const as = await actorOf(context, item, 'author');
  const made = context.hasFullPlan
    ? await makeDirectly(context, params, project, as)
    : await context.api.send<Made>('POST', `${project.path}/issues`, params, { as });
  context.count('issues');
  if (item.iid !== undefined && made.iid !== item.iid)
    throw new SeedMistake(`iid: the author may not choose numbers, and got ${String(made.iid)}`);
  return made;
}

/** Makes an issue by what its endpoint calls: a seed may have thousands. */
async function makeDirectly(
  { api, deps }: SeedContext,
  params: Record<string, unknown>,
  project: Owner,
  as: string | undefined,
): Promise<Made> {
  const { created_at: date } = params;
  const input = { ...params, ...(typeof date === 'string' ? { created_at: new Date(date).toISOString() } : {}) };
  return api.act(as, async (caller) => {
    const scope = await callerInProject(deps, caller, Number(project.path.split('/').pop()));
    if (scope?.permissions.can('create_issue') !== true)
      throw forbidden(`${caller.user.username} may not create issues`);
    return createActingIssue(deps, scope, input as NewIssue, { userAgent: null, address: '127.0.0.1' });
  });
}

async function finishIssue(context: SeedContext, item: Item, { path }: Owner): Promise<void> {
  await applyClosedState(context, item, path);
  if (item.updated_at !== undefined)
    await context.api.send('PUT', path, { updated_at: item.updated_at, title: item.title });
}

async function applyLinks(context: SeedContext, item: Item, { path, fresh }: Owner, project: Owner): Promise<void> {
  const known = fresh ? [] : await context.api.list(`${path}/links`);
  await context.each(item.links, async (link) => {
    const { target, iid } = await targetOf(context, link, project);
    if (known.some((each) => each.project_id === target && each.iid === iid)) return;
    context.clock.at(link.created_at);
    const { link_type = 'relates_to' } = link;
    try {
      await context.api.send('POST', `${path}/links`, { target_project_id: target, target_issue_iid: iid, link_type });
    } catch (error) {
      // The other one of the two has named it already.
      if ((error as { status?: number }).status !== 409) throw error;
    }
    context.count('links');
  });
}

async function targetOf(
  context: SeedContext,
  { issue }: Item,
  project: Owner,
): Promise<{ target: number; iid: number }> {
  if (typeof issue === 'number') return { target: Number(project.path.split('/').pop()), iid: issue };
  const [, path, number] = /^(.*)#(\d+)$/.exec(String(issue)) ?? [];
  if (number === undefined) throw new SeedMistake('issue must be a number, or group/project#1');
  const target = path === '' ? Number(project.path.split('/').pop()) : await context.projectId(path!);
  return { target, iid: Number(number) };
}
