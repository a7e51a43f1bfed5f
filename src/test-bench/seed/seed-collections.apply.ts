import type { Json, SendOptions } from './seed-api.ts';
import { SeedRefusal } from './seed-api.ts';
import type { Collection } from './seed-collections.ts';
import type { SeedContext } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { actorOf, routeParams } from './seed-params.ts';

/** What objects belong to. */
export interface Owner {
  /** Below /api/v4, such as /projects/1; empty for the instance. */
  readonly path: string;
  /** Whether this seed has made it: then nothing of it is there. */
  readonly fresh: boolean;
  /** Path of the project or group whose names its objects use; `path` by default. */
  readonly scope?: string;
}

/** A value to compare: blanks around a text, such as a key, are no difference. */
const text = (value: unknown): string => JSON.stringify(typeof value === 'string' ? value.trim() : (value ?? null));

/** An address as answers show it. */
const withoutPassword = (address: string): string => address.replace(/:\/\/[^/@]+@/, '://*****:*****@');

/** What is there already and how it is found: each is found once. */
export class Existing {
  readonly #rows: Json[];
  readonly #keys: Collection['natural'];

  constructor(rows: readonly Json[], keys: Collection['natural']) {
    this.#rows = [...rows];
    this.#keys = keys;
  }

  /** Takes the one that an item of a seed describes, by the natural keys that it has. */
  take(item: Item): Json | undefined {
    const at = this.#rows.findIndex((row) =>
      this.#keys.every((key) => {
        const [ofSeed, ofAnswer] = typeof key === 'string' ? [key, key] : key;
        const [wanted, shown] = [text(item[ofSeed]), text(row[ofAnswer])];
        return item[ofSeed] === undefined || wanted === shown || withoutPassword(wanted) === shown;
      }),
    );
    return at === -1 ? undefined : this.#rows.splice(at, 1)[0];
  }
}

/** What an owner has of a collection. */
export async function existingOf(
  context: SeedContext,
  { key, route, list, natural }: Pick<Collection, 'key' | 'route' | 'list' | 'natural'>,
  owner: Owner,
): Promise<Existing> {
  if (owner.fresh || list === null) return new Existing([], natural);
  const path = pathOf(list ?? route.slice(route.indexOf(' ') + 1), owner);
  const rows = await context.api.list(path);
  const [only] = rows;
  return new Existing(list !== undefined && only?.[key] !== undefined ? (only[key] as Json[]) : rows, natural);
}

/** A path of the API with the owner's in place of its first parameters. */
const pathOf = (pattern: string, { path }: Owner): string => {
  const depth = path.split('/').length;
  return path === '' ? pattern : `${path}/${pattern.split('/').slice(depth).join('/')}`.replace(/\/$/, '');
};

/** Makes what an owner has of some collections, in their order, except for what is there. */
export async function applyCollections(
  context: SeedContext,
  collections: readonly Collection[],
  item: Item,
  owner: Owner,
): Promise<void> {
  for (const collection of collections) {
    const list = item[collection.key];
    if (list === undefined) continue;
    const existing = await existingOf(context, collection, owner);
    await context.each(
      list,
      async (each) => {
        if (existing.take(each) === undefined) await make(context, collection, each, owner);
      },
      collection.short,
    );
  }
}

async function make(context: SeedContext, collection: Collection, item: Item, owner: Owner): Promise<Json> {
  const { route, defaults = {}, author, closes } = collection;
  context.clock.at(item.created_at);
  const params = await routeParams(context, route, { ...defaults, ...item }, owner.scope ?? owner.path);
  if (route === 'POST /topics') params.title ??= params.name;
  if (route.endsWith('/repository/tags')) params.ref ??= await defaultBranchOf(context, owner);
  const path = pathOf(route.slice(route.indexOf(' ') + 1), owner);
  const as = await actorOf(context, item, author);
  const made = await send(context, collection, path, params, { as });
  context.count(collection.key);
  if (closes === true && item.state === 'closed')
    await context.api.send('PUT', `${path}/${String(made.id)}`, { state_event: 'close' });
  return made;
}

/** Sends what makes it, or what changes one that the server has made by itself. */
async function send(
  { api }: SeedContext,
  { update }: Collection,
  path: string,
  params: Json,
  options: SendOptions,
): Promise<Json> {
  try {
    return await api.send('POST', path, params, options);
  } catch (error) {
    if (update === undefined || !(error instanceof SeedRefusal) || error.status !== 409) throw error;
    if (update !== 'replace')
      return api.send('PUT', `${path}${update.slice(4).replace(':user_id', String(params.user_id))}`, params);
    await api.send('DELETE', `${path}/${encodeURIComponent(String(params.name))}`);
    return api.send('POST', path, params, options);
  }
}

const defaultBranchOf = async ({ api }: SeedContext, { path }: Owner): Promise<unknown> =>
  (await api.send('GET', path)).default_branch;
