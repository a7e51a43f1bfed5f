import { applyCollections, type Owner } from './seed-collections.apply.ts';
import { GROUP_COLLECTIONS, GROUP_FINISH } from './seed-collections.ts';
import type { SeedContext } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { actorOf, routeParams } from './seed-params.ts';
import { applySettings } from './seed-settings.ts';

/** Makes the groups of a seed, each with its subgroups, in the order of the file. @param parent full path */
export async function applyGroups(context: SeedContext, list: unknown, parent?: string): Promise<void> {
  await context.each(list, (item, at) => applyGroup(context, item, { list, at, parent }), 'path');
}

interface Place {
  list: unknown;
  at: number;
  parent: string | undefined;
}

async function applyGroup(context: SeedContext, item: Item, { list, at, parent: outer }: Place): Promise<void> {
  const parent = (item.parent as string | undefined) ?? outer;
  const fullPath = parent === undefined ? String(item.path) : `${parent}/${String(item.path)}`;
  const known = await context.api.find(`/groups/${encodeURIComponent(fullPath)}?with_projects=false`);
  const id = known === null ? await makeGroup(context, item, parent) : Number(known.id);
  const owner: Owner = { path: `/groups/${id}`, fresh: known === null };
  await applyCollections(context, GROUP_COLLECTIONS, item, owner);
  context.after(list, at, async () => {
    await applyCollections(context, GROUP_FINISH, item, owner);
    await applySettings(context, item, owner);
  });
  await applyGroups(context, item.subgroups, fullPath);
}

async function makeGroup(context: SeedContext, item: Item, parent: string | undefined): Promise<number> {
  context.clock.at(item.created_at);
  const sent = await routeParams(context, 'POST /groups', { name: item.path, ...item }, '');
  if (parent !== undefined) sent.parent_id = await context.groupId(parent);
  const { id } = await context.api.send('POST', '/groups', sent, { as: await actorOf(context, item, 'creator') });
  context.count('groups');
  return Number(id);
}
