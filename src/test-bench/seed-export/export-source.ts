/** An object of the API. */
export type Answer = Record<string, unknown>;

/** Reads from the API of a server. */
export interface ExportSource {
  /** The JSON at a path below /api/v4, or at one of /-/; null if it is not there or closed to the caller. */
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

/** As `listAll`, in the order in which they were made. */
export const listById = async (source: ExportSource, path: string): Promise<Answer[]> =>
  (await listAll(source, path)).sort((one, other) => Number(one.id) - Number(other.id));

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

/** Keys of an object whose values are others than the defaults, where there are any. */
export const differing = (object: Answer, keys: Iterable<string>, defaults: Readonly<Answer>): Answer =>
  Object.fromEntries(
    [...keys]
      .filter(
        (key) => object[key] !== undefined && JSON.stringify(object[key]) !== JSON.stringify(defaults[key] ?? null),
      )
      .map((key) => [key, object[key]]),
  );

/** Does something with values one by one. */
export async function inTurn<T, R>(values: readonly T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

/** An object without keys of nothing; undefined if nothing is left. */
export function unlessEmpty(object: Answer): Answer | undefined {
  const left = compact(object);
  return Object.keys(left).length === 0 ? undefined : left;
}

/** The content of a file as a seed has it. */
export function textOrBase64(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !text.includes('\0') ? text : { base64: bytes.toString('base64') };
}

/** The username of a user in an answer; the administrator is who acts if nobody is named. */
export const usernameOf = (user: unknown): string | undefined => {
  const name = (user as Answer | null | undefined)?.username;
  return typeof name === 'string' && name !== 'root' ? name : undefined;
};

/** Usernames of users in an answer. */
export const usernames = (users: unknown): string[] =>
  ((users ?? []) as Answer[]).flatMap(({ username }) => (typeof username === 'string' ? [username] : []));
