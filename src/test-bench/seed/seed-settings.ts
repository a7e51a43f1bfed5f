import { type Json, SeedRefusal } from './seed-api.ts';
import type { Owner } from './seed-collections.apply.ts';
import type { SeedContext } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { apiParams } from './seed-params.ts';

/** Sets what a group or project has once: push rule, integrations, custom attributes, settings of approvals. */
export async function applySettings(context: SeedContext, item: Item, owner: Owner): Promise<void> {
  const { api, clock } = context;
  const { path, fresh } = owner;
  if (item.push_rule !== undefined && (fresh || (await api.find(`${path}/push_rule`)) === null)) {
    clock.at();
    await orPut(context, `${path}/push_rule`, item.push_rule as Json);
  }
  for (const [key, value] of Object.entries((item.custom_attributes ?? {}) as Item)) {
    const known = fresh ? null : await api.find(`${path}/custom_attributes/${encodeURIComponent(key)}`);
    if (known?.value !== String(value))
      await api.send('PUT', `${path}/custom_attributes/${encodeURIComponent(key)}`, { value: String(value) });
  }
  if (item.approvals !== undefined && fresh) await api.send('POST', `${path}/approvals`, item.approvals);
  const active = fresh || item.integrations === undefined ? [] : await api.list(`${path}/integrations`);
  for (const [slug, settings] of Object.entries((item.integrations ?? {}) as Item)) {
    if (active.some((each) => each.slug === slug)) continue;
    clock.at();
    const params = await apiParams(context, (settings ?? {}) as Item, path);
    await api.send('PUT', `${path}/integrations/${encodeURIComponent(slug)}`, params);
    context.count('integrations');
  }
}

/** Makes it, or changes the one that the server has made by itself. */
async function orPut({ api }: SeedContext, path: string, params: Json): Promise<void> {
  try {
    await api.send('POST', path, params);
  } catch (error) {
    if (!(error instanceof SeedRefusal) || error.status === 403) throw error;
    await api.send('PUT', path, params);
  }
}
