import { ApiError } from '../../core/core.errors.ts';
import { equalsIgnoringCase } from '../../db/like.ts';
import type { Deps } from '../../deps.ts';
import { problemAt, SeedError } from './seed.error.ts';
import { type SeedApi, SeedRefusal } from './seed-api.ts';
import type { SeedClock } from './seed-clock.ts';
import { pathText, type SeedDocument, type SeedPath } from './seed-document.ts';
import type { ExpandedSeed, Item } from './seed-expand.ts';

/** How a git repository beside the seed file is read. @returns the path of a bundle, or null if there is none */
export type BundleSource = (path: string) => Promise<string | null>;

/** Something that a seed cannot have, at the place in hand. */
export class SeedMistake extends Error {
  override name = 'SeedMistake';
}

/** Whether something was refused, by the server or because it makes no sense. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof SeedRefusal || error instanceof SeedMistake || (error instanceof ApiError && error.status < 500);

/** What is common to all that a seed makes. */
export class SeedContext {
  readonly deps: Deps;
  readonly api: SeedApi;
  readonly clock: SeedClock;
  readonly bundles: BundleSource;
  /** Whether all parameters are in force, whatever their plan: then some things are made without a request. */
  hasFullPlan = false;
  /** What is done when everything is there, in order. */
  readonly later: (() => Promise<void>)[] = [];
  /** How many objects were made, by kind. */
  readonly made = new Map<string, number>();
  readonly #document: SeedDocument;
  readonly #seed: ExpandedSeed;
  readonly #ids = new Map<string, number>();

  constructor(
    parts: { deps: Deps; api: SeedApi; clock: SeedClock; bundles: BundleSource },
    document: SeedDocument,
    seed: ExpandedSeed,
  ) {
    this.deps = parts.deps;
    this.api = parts.api;
    this.clock = parts.clock;
    this.bundles = parts.bundles;
    this.#document = document;
    this.#seed = seed;
  }

  count = (kind: string): void => {
    this.made.set(kind, (this.made.get(kind) ?? 0) + 1);
  };

  /** Works on each element of a list; a refusal becomes an error with its place. */
  async each(list: unknown, work: (item: Item, at: number) => Promise<void>, short?: string): Promise<void> {
    if (!Array.isArray(list)) return;
    for (const [at, value] of list.entries()) {
      const item = typeof value === 'string' && short !== undefined ? { [short]: value } : (value as Item);
      await this.at(this.#seed.placeOf(list, at), () => work(item, at));
    }
  }

  /** Does something that has a place in the file. @throws SeedError with the place of what is refused */
  async at<T>(path: SeedPath, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const place = { ...this.#document.placeOf(path), path: pathText(path) };
      throw new SeedError([problemAt(place, error.message)]);
    }
  }

  /** Like `later.push`, with the place of the element in hand. */
  after(list: unknown, at: number, work: () => Promise<void>): void {
    const path = this.#seed.placeOf(list as readonly unknown[], at);
    this.later.push(() => this.at(path, work));
  }

  /** @throws SeedMistake if there is no such user */
  userId = (username: string): Promise<number> =>
    this.#idOf('user', username, async (name) => {
      const users = this.deps.db.selectFrom('users').select('id');
      return (await users.where((eb) => equalsIgnoringCase(eb.ref('username'), name)).executeTakeFirst())?.id;
    });

  /** @throws SeedMistake if there is no such group */
  groupId = (path: string): Promise<number> =>
    this.#idOf('group', path, async (name) => {
      const groups = this.deps.db.selectFrom('namespaces').select('id').where('kind', '=', 'group');
      return (await groups.where((eb) => equalsIgnoringCase(eb.ref('full_path'), name)).executeTakeFirst())?.id;
    });

  /** Id of a group, or of the personal namespace of a user. @throws SeedMistake */
  namespaceId = (path: string): Promise<number> =>
    this.#idOf('namespace', path, async (name) => {
      const namespaces = this.deps.db.selectFrom('namespaces').select('id');
      return (await namespaces.where((eb) => equalsIgnoringCase(eb.ref('full_path'), name)).executeTakeFirst())?.id;
    });

  /** @throws SeedMistake if there is no such project */
  projectId = (path: string): Promise<number> =>
    this.#idOf('project', path, async (name) => {
      const projects = this.deps.db.selectFrom('projects').select('id');
      return (await projects.where((eb) => equalsIgnoringCase(eb.ref('full_path'), name)).executeTakeFirst())?.id;
    });

  /** @throws SeedMistake if there is no such custom role */
  roleId = (role: string): Promise<number> => this.#listed('custom role', role, '/member_roles', 'name');

  /** Id of a milestone of a project or its groups. @throws SeedMistake */
  milestoneId = (owner: string, title: string): Promise<number> =>
    this.#listed('milestone', title, `${owner}/milestones`, 'title', '&include_ancestors=true');

  /** Id of an object that a list below an owner has. @throws SeedMistake */
  idIn = (what: string, name: string, list: string): Promise<number> => this.#listed(what, name, list, 'name');

  #listed(what: string, name: string, list: string, key: string, query = ''): Promise<number> {
    return this.#idOf(
      what,
      `${list} ${name}`,
      async () => {
        const found = (await this.api.list(list, query)).find((each) => each[key] === name);
        return found === undefined
          ? undefined
          : Number(found.iid !== undefined && what === 'user list' ? found.iid : found.id);
      },
      name,
    );
  }

  async #idOf(
    what: string,
    key: string,
    find: (key: string) => Promise<number | undefined>,
    name = key,
  ): Promise<number> {
    const cached = `${what}:${key}`;
    const known = this.#ids.get(cached);
    if (known !== undefined) return known;
    const id = await find(key);
    if (id === undefined) throw new SeedMistake(`there is no ${what} ${name}`);
    this.#ids.set(cached, id);
    return id;
  }
}
