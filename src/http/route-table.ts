/** Maximum length of a path parameter. */
export const MAX_PARAMETER = 16_384;

/** A node of the path tree: what may follow, in the order in which it is tried, and the routes that end here. */
interface Node<T> {
  readonly words: Map<string, Node<T>>;
  /** Parameters with fixed text before or behind them. */
  affixed: Affixed<T>[] | undefined;
  parameter: Node<T> | undefined;
  /** Routes whose last parameter is the rest of the path, by method. */
  rest: Map<string, End<T>> | undefined;
  readonly ends: Map<string, End<T>>;
}

interface Affixed<T> {
  readonly before: string;
  readonly behind: string;
  readonly node: Node<T>;
}

interface End<T> {
  /** Names of the parameters, from left to right. */
  readonly names: readonly string[];
  readonly make: () => T;
  made: T | undefined;
  /** The routes of the same path, by method. */
  readonly siblings: ReadonlyMap<string, End<T>>;
}

export interface RouteLookup<T> {
  route: T;
  /** Decoded values by name. */
  params: Record<string, string>;
}

const newNode = <T>(): Node<T> => ({
  words: new Map(),
  affixed: undefined,
  parameter: undefined,
  rest: undefined,
  ends: new Map(),
});

const decoded = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const before = (mark: string, text: string): string => (text.includes(mark) ? text.slice(0, text.indexOf(mark)) : text);

/** The path of a URL, without query and fragment. */
export const pathOf = (url: string): string => before('#', before('?', url));

/** Segments of a path; repeated and trailing slashes are ignored. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/');
  let count = 0;
  for (const segment of segments) if (segment !== '') segments[count++] = decoded(segment);
  segments.length = count;
  return segments;
}

/** Any method: finds a path that has routes. */
const ANY = '*';

/**
 * The routes of the server by method and path. Words take precedence over parameters, and these over the rest of a
 * path; if a branch has no route for the method, the next one is tried. HEAD falls back to GET. A route is made at its
 * first request: a table needs a few small objects for it, where Fastify needs some hundred.
 */
export class RouteTable<T> {
  readonly #root = newNode<T>();

  /**
   * @param path its full path: segments are words, `:name`, `:name` with text before or behind it, and at the end
   *   `*name` for the rest of the path
   * @param make makes the route
   * @throws Error for a duplicate of method and path
   */
  add(method: string, path: string, make: () => T): void {
    const names: string[] = [];
    let node = this.#root;
    let ends: Map<string, End<T>> | undefined;
    for (const segment of path.split('/').slice(1)) {
      const [, before = '', kind, name = '', behind = ''] = /^([^:*]*)([:*])(\w+)(.*)$/.exec(segment) ?? [];
      if (kind !== undefined) names.push(name);
      if (kind === '*') ends = node.rest ??= new Map();
      else node = kind === undefined ? wordOf(node, segment) : parameterOf(node, before, behind);
    }
    ends ??= node.ends;
    if (ends.has(method)) throw new Error(`duplicate route ${method} ${path}`);
    ends.set(method, { names, make, made: undefined, siblings: ends });
  }

  /** @param path path of a request without its query */
  find(method: string, path: string): RouteLookup<T> | undefined {
    const values: string[] = [];
    const end = search(this.#root, method, segmentsOf(path), 0, values);
    if (end === undefined) return undefined;
    const params: Record<string, string> = {};
    for (let index = 0; index < values.length; index += 1) params[end.names[index]!] = values[index]!;
    end.made ??= end.make();
    return { route: end.made, params };
  }

  /** The methods with which a path has routes, without derived ones; undefined for an unknown path. */
  methodsOf(path: string): string[] | undefined {
    const end = search(this.#root, ANY, segmentsOf(path), 0, []);
    return end && [...end.siblings.keys()];
  }
}

function wordOf<T>(node: Node<T>, word: string): Node<T> {
  const next = node.words.get(word) ?? newNode<T>();
  node.words.set(word, next);
  return next;
}

function parameterOf<T>(node: Node<T>, before: string, behind: string): Node<T> {
  if (before === '' && behind === '') {
    node.parameter ??= newNode();
    return node.parameter;
  }
  node.affixed ??= [];
  const known = node.affixed.find((each) => each.before === before && each.behind === behind);
  if (known !== undefined) return known.node;
  const next = newNode<T>();
  node.affixed.push({ before, behind, node: next });
  return next;
}

function endOf<T>(ends: ReadonlyMap<string, End<T>>, method: string): End<T> | undefined {
  if (method === ANY) return ends.values().next().value;
  return ends.get(method) ?? (method === 'HEAD' ? ends.get('GET') : undefined);
}

/** @param values values of parameters so far; complete when a route is found */
function search<T>(
  node: Node<T>,
  method: string,
  segments: readonly string[],
  at: number,
  values: string[],
): End<T> | undefined {
  if (at === segments.length) return endOf(node.ends, method);
  const segment = segments[at]!;
  const word = node.words.get(segment);
  if (word !== undefined) {
    const end = search(word, method, segments, at + 1, values);
    if (end !== undefined) return end;
  }
  if (node.affixed !== undefined) {
    for (const { before, behind, node: next } of node.affixed) {
      if (!segment.startsWith(before) || !segment.endsWith(behind)) continue;
      if (segment.length < before.length + behind.length) continue;
      const value = segment.slice(before.length, segment.length - behind.length);
      const end = searchBehind(next, value, method, segments, at, values);
      if (end !== undefined) return end;
    }
  }
  if (node.parameter !== undefined) {
    const end = searchBehind(node.parameter, segment, method, segments, at, values);
    if (end !== undefined) return end;
  }
  const end = node.rest && endOf(node.rest, method);
  if (end !== undefined) values.push(segments.slice(at).join('/'));
  return end;
}

/** Searches behind a parameter. */
function searchBehind<T>(
  node: Node<T>,
  value: string,
  method: string,
  segments: readonly string[],
  at: number,
  values: string[],
): End<T> | undefined {
  if (value.length > MAX_PARAMETER && method !== ANY) return undefined;
  values.push(value);
  const end = search(node, method, segments, at + 1, values);
  if (end === undefined) values.pop();
  return end;
}
