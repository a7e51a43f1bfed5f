type Token =
  | { kind: 'char'; char: string }
  | { kind: 'any' }
  | { kind: 'star' }
  | { kind: 'set'; negated: boolean; ranges: readonly (readonly [string, string])[] };

/** Parses one component of a pattern. */
function tokensOf(component: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < component.length; at += 1) {
    const char = component[at]!;
    if (char === '\\' && at + 1 < component.length) {
      at += 1;
      tokens.push({ kind: 'char', char: component[at]! });
    } else if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (char === '?') {
      tokens.push({ kind: 'any' });
    } else {
      const close = char === '[' ? component.indexOf(']', at + 2) : -1;
      if (close === -1) {
        tokens.push({ kind: 'char', char });
      } else {
        tokens.push(setOf(component.slice(at + 1, close)));
        at = close;
      }
    }
  }
  return tokens;
}

function setOf(text: string): Token {
  const negated = text[0] === '!' || text[0] === '^';
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < text.length; at += 1) {
    const from = text[at]!;
    if (text[at + 1] === '-' && at + 2 < text.length) {
      ranges.push([from, text[at + 2]!]);
      at += 2;
    } else {
      ranges.push([from, from]);
    }
  }
  return { kind: 'set', negated, ranges };
}

function fits(token: Token | undefined, char: string): boolean {
  switch (token?.kind) {
    case 'char':
      return token.char === char;
    case 'any':
      return true;
    case 'set':
      return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
    default:
      return false;
  }
}

/** Quadratic time at most: only the last star is ever retried. */
function matches(tokens: readonly Token[], name: string): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let resume = 0;
  while (inName < name.length) {
    if (tokens[at]?.kind === 'star') {
      star = at;
      resume = inName;
      at += 1;
    } else if (fits(tokens[at], name[inName]!)) {
      at += 1;
      inName += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      inName = resume;
    } else {
      return false;
    }
  }
  while (tokens[at]?.kind === 'star') at += 1;
  return at === tokens.length;
}

class Node {
  readonly literals = new Map<string, Node>();
  readonly globs = new Map<string, { tokens: readonly Token[]; node: Node }>();
  /** Node after a `**`, which matches any number of folders. */
  folders: Node | undefined;
  /** Whether any folder leads back to this node. */
  loops = false;
  /** Numbers of the patterns that end here. */
  readonly ends: number[] = [];
}

const literalOf = (tokens: readonly Token[]): string | undefined =>
  tokens.every((token) => token.kind === 'char') ? tokens.map((token) => token.char).join('') : undefined;

/**
 * Matches many path patterns at once, in shell syntax: `*` and `?` within a name, `[a-z]`, a backslash as escape, and
 * `**` between slashes for any number of folders. Common parts of patterns are compared once, so the work for a path
 * does not grow with the number of plain patterns.
 */
export class PathGlobs {
  readonly #root = new Node();
  #steps = 0;

  /** Number of comparisons so far, for work limits. */
  get steps(): number {
    return this.#steps;
  }

  /** @param pattern relative to the root, without a leading slash; @param number result of `match` for the pattern */
  add(pattern: string, number: number): void {
    const components = pattern.split('/');
    let node = this.#root;
    for (const [index, component] of components.entries()) {
      node = component === '**' && index < components.length - 1 ? folders(node) : child(node, component);
    }
    node.ends.push(number);
  }

  /** Numbers of the matching patterns, unordered. @param path relative to the root, without a leading slash */
  match(path: string): number[] {
    let nodes = reach([this.#root]);
    for (const name of path.split('/')) {
      const next = new Set<Node>();
      for (const node of nodes) {
        this.#steps += 1 + node.globs.size;
        if (node.loops) next.add(node);
        const literal = node.literals.get(name);
        if (literal !== undefined) next.add(literal);
        for (const { tokens, node: glob } of node.globs.values()) if (matches(tokens, name)) next.add(glob);
      }
      if (next.size === 0) return [];
      nodes = reach(next);
    }
    return [...nodes].flatMap(({ ends }) => ends);
  }
}

function folders(node: Node): Node {
  // Consecutive `**` are equivalent to one.
  if (node.loops) return node;
  node.folders ??= new Node();
  node.folders.loops = true;
  return node.folders;
}

function child(node: Node, component: string): Node {
  const tokens = tokensOf(component);
  const literal = literalOf(tokens);
  if (literal !== undefined) {
    const known = node.literals.get(literal) ?? new Node();
    node.literals.set(literal, known);
    return known;
  }
  const known = node.globs.get(component) ?? { tokens, node: new Node() };
  node.globs.set(component, known);
  return known.node;
}

/** The nodes, and those reachable if a `**` matches no folder. */
function reach(nodes: Iterable<Node>): Set<Node> {
  const reached = new Set<Node>();
  for (const node of nodes) {
    reached.add(node);
    if (node.folders !== undefined) reached.add(node.folders);
  }
  return reached;
}
