/** An object of the API. */
export type Answer = Record<string, unknown>;

/** Reads from the API of a server. */
export interface ExportSource {
  /** The JSON at a path below /api/v4; null if it is not there or closed to the caller. */
  get(path: string): Promise<unknown>;
  /** The bytes at a path below /api/v4; null as above. */
  bytes(path: string): Promise<Buffer | null>;
  /** Writes branches and tags of a project to a bundle. @returns how the seed names it; null if there are none */
  bundle(fullPath: string): Promise<string | null>;
}

const PAGE = 100;

/** All objects of a list, none if there is no such list. @param path with its query */
export async function listAll(source: ExportSource, path: string): Promise<Answer[]> {
  const all: Answer[] = [];
  for (let page = 1; ; page += 1) {
    const some = await source.get(`${path}${path.includes('?') ? '&' : '?'}per_page=${PAGE}&page=${page}`);
    if (!Array.isArray(some)) return all;
    all.push(...(some as Answer[]));
    if (some.length < PAGE) return all;
  }
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** What is left of an object without values that say nothing. */
export const compact = (object: Answer): Answer =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)));

/** Some keys of an object, without values that say nothing. */
export const pick = (object: Answer, keys: readonly string[]): Answer =>
  compact(Object.fromEntries(keys.map((key) => [key, object[key]])));

/** Flags that are set. */
export const flags = (object: Answer, keys: readonly string[]): Answer =>
  Object.fromEntries(keys.filter((key) => object[key] === true).map((key) => [key, true]));

/** The username of a user in an answer; the administrator is who acts if nobody is named. */
export const usernameOf = (user: unknown): string | undefined => {
  const name = (user as Answer | null | undefined)?.username;
  return typeof name === 'string' && name !== 'root' ? name : undefined;
};

/** Usernames of users in an answer. */
export const usernames = (users: unknown): string[] =>
  ((users ?? []) as Answer[]).flatMap(({ username }) => (typeof username === 'string' ? [username] : []));
