/** Maximum length of a path parameter. */
export const MAX_PARAMETER = 16_384;

/** A node of the path tree: what may follow, in the order in which it is tried, and the routes that end here. */
interface Node {
  readonly words: Map<string, Node>;
  /** Parameters with fixed text before or behind them. */
  affixed: Affixed[] | undefined;
  parameter: Node | undefined;
  /** Routes whose last parameter is the rest of the path, by method. */
  rest: Map<string, End> | undefined;
  readonly ends: Map<string, End>;
}

interface Affixed {
  readonly before: string;
  readonly behind: string;
  readonly node: Node;
}

interface End {
  /** Names of the parameters, from left to right. */
  readonly names: readonly string[];
  /** Number of the route. */
  readonly index: number;
  /** The routes of the same path, by method. */
  readonly siblings: ReadonlyMap<string, End>;
}

export interface RouteLookup<T> {
  route: T;
  /** Decoded values by name. */
  params: Record<string, string>;
}

const newNode = (): Node => ({
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

/** The paths of routes by number; tables of the same routes can share it. */
export class PathTree {
  readonly root = newNode();
  readonly #known = new Map<string, number>();

  /** The number of a route, which is entered if it is new. */
  indexOf(method: string, path: string): number {
    const key = `${method} ${path}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const index = this.#known.size;
    this.#enter(method, path, index);
    this.#known.set(key, index);
    return index;
  }

  #enter(method: string, path: string, index: number): void {
    const names: string[] = [];
    let node = this.root;
    let ends: Map<string, End> | undefined;
    for (const segment of path.split('/').slice(1)) {
      const [, before = '', kind, name = '', behind = ''] = /^([^:*]*)([:*])(\w+)(.*)$/.exec(segment) ?? [];
      if (kind !== undefined) names.push(name);
      if (kind === '*') ends = node.rest ??= new Map();
      else node = kind === undefined ? wordOf(node, segment) : parameterOf(node, before, behind);
    }
    ends ??= node.ends;
    if (ends.has(method)) throw new Error(`duplicate route ${method} ${path}`);
    ends.set(method, { names, index, siblings: ends });
  }
}

/**
 * The routes of the server by method and path. Words take precedence over parameters, and these over the rest of a
 * path; if a branch has no route for the method, the next one is tried. HEAD falls back to GET. A route is made at its
 * first request: a table needs a few small objects for it, where Fastify needs some hundred.
 */
export class RouteTable<T> {
  readonly #tree: PathTree;
  readonly #makes: (() => T)[] = [];
  readonly #made: T[] = [];

  /** @param tree shared with other tables that have the same routes */
  constructor(tree = new PathTree()) {
    this.#tree = tree;
  }

  /**
   * @param path its full path: segments are words, `:name`, `:name` with text before or behind it, and at the end
   *   `*name` for the rest of the path
   * @param make makes the route
   * @throws Error for a duplicate of method and path
   */
  add(method: string, path: string, make: () => T): void {
    const index = this.#tree.indexOf(method, path);
    if (this.#makes[index] !== undefined) throw new Error(`duplicate route ${method} ${path}`);
    this.#makes[index] = make;
  }

  /** @param path path of a request without its query */
  find(method: string, path: string): RouteLookup<T> | undefined {
    const values: string[] = [];
    const end = search(this.#tree.root, method, segmentsOf(path), 0, values);
    if (end === undefined) return undefined;
    const params: Record<string, string> = {};
    for (let index = 0; index < values.length; index += 1) params[end.names[index]!] = values[index]!;
    this.#made[end.index] ??= this.#makes[end.index]!();
    return { route: this.#made[end.index]!, params };
  }

  /** The methods with which a path has routes, without derived ones; undefined for an unknown path. */
  methodsOf(path: string): string[] | undefined {
    const end = search(this.#tree.root, ANY, segmentsOf(path), 0, []);
    return end && [...end.siblings.keys()];
  }
}

function wordOf(node: Node, word: string): Node {
  const next = node.words.get(word) ?? newNode();
  node.words.set(word, next);
  return next;
}

function parameterOf(node: Node, before: string, behind: string): Node {
  if (before === '' && behind === '') {
    node.parameter ??= newNode();
    return node.parameter;
  }
  node.affixed ??= [];
  const known = node.affixed.find((each) => each.before === before && each.behind === behind);
  if (known !== undefined) return known.node;
  const next = newNode();
  node.affixed.push({ before, behind, node: next });
  return next;
}

function endOf(ends: ReadonlyMap<string, End>, method: string): End | undefined {
  if (method === ANY) return ends.values().next().value;
  return ends.get(method) ?? (method === 'HEAD' ? ends.get('GET') : undefined);
}

/** @param values values of parameters so far; complete when a route is found */
function search(
  node: Node,
  method: string,
  segments: readonly string[],
  at: number,
  values: string[],
): End | undefined {
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
function searchBehind(
  node: Node,
  value: string,
  method: string,
  segments: readonly string[],
  at: number,
  values: string[],
): End | undefined {
  if (value.length > MAX_PARAMETER && method !== ANY) return undefined;
  values.push(value);
  const end = search(node, method, segments, at + 1, values);
  if (end === undefined) values.pop();
  return end;
}
