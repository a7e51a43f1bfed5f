import type { Method, Route } from './http.route.ts';

/** Maximum length of a path parameter. */
export const MAX_PARAMETER = 16_384;

/** A node of the path tree: children by fixed word, a parameter child, and routes that end here by method. */
interface Node {
  readonly words: Map<string, Node>;
  parameter: Node | undefined;
  readonly ends: Map<string, End>;
}

interface End {
  readonly route: Route;
  /** Names of the parameters, from left to right. */
  readonly names: readonly string[];
}

export interface RouteLookup {
  route: Route;
  /** Decoded values by name. */
  params: Record<string, string>;
}

const newNode = (): Node => ({ words: new Map(), parameter: undefined, ends: new Map() });

const decoded = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/**
 * The declared routes by method and path. Words take precedence over parameters; if a branch has no route for the
 * method, the next one is tried. It needs a few small objects for a route, where Fastify needs some hundred.
 */
export class RouteTable {
  readonly #root = newNode();

  /** Whether the table supports a route: each segment of its path is a word or a parameter. */
  static accepts({ path, root, method }: { path: string; root?: true; method: Method }): boolean {
    return !root && method !== 'HEAD' && path.split('/').every((segment) => /^(?::\w+|[^:*]*)$/.test(segment));
  }

  /**
   * @param path its full path
   * @throws Error for a duplicate of method and path
   */
  add(route: Route, path: string): void {
    const { method } = route.options;
    const names: string[] = [];
    let node = this.#root;
    for (const segment of path.split('/').slice(1)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        node.parameter ??= newNode();
        node = node.parameter;
      } else {
        const next = node.words.get(segment) ?? newNode();
        node.words.set(segment, next);
        node = next;
      }
    }
    if (node.ends.has(method)) throw new Error(`duplicate route ${method} ${path}`);
    node.ends.set(method, { route, names });
  }

  /** @param path path of a request without its query; repeated and trailing slashes are ignored */
  find(method: string, path: string): RouteLookup | undefined {
    const segments = path.split('/');
    let count = 0;
    for (const segment of segments) if (segment !== '') segments[count++] = decoded(segment);
    segments.length = count;
    const values: string[] = [];
    const end = search(this.#root, method, segments, 0, values);
    if (end === undefined) return undefined;
    const params: Record<string, string> = {};
    for (let index = 0; index < values.length; index += 1) params[end.names[index]!] = values[index]!;
    return { route: end.route, params };
  }
}

/** @param values values of parameters so far; complete when a route is found */
function search(
  node: Node,
  method: string,
  segments: readonly string[],
  at: number,
  values: string[],
): End | undefined {
  if (at === segments.length) return node.ends.get(method);
  const segment = segments[at]!;
  const word = node.words.get(segment);
  const end = word === undefined ? undefined : search(word, method, segments, at + 1, values);
  if (end !== undefined || node.parameter === undefined || segment.length > MAX_PARAMETER) return end;
  values.push(segment);
  const behind = search(node.parameter, method, segments, at + 1, values);
  if (behind === undefined) values.pop();
  return behind;
}
