import type { VariableValues } from '../../variables/variable.ts';
import { ConfigError } from '../config-error.ts';
import { isMap, newMap, type RawMap, type RawTree, Reference } from '../yaml/reference.ts';
import { textOf } from '../yaml/text-of.ts';
import type { Contexts } from './contexts.ts';
import { evaluateBlock } from './interpolation.block.ts';

const MAX_BLOCKS = 10_000;
const MAX_NODES = 500_000;
const MAX_NODE_BYTES = 1024 * 1024;
/** Maximum total length of interpolated texts. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const OPENING = '$[[';
const CLOSING = ']]';

/**
 * Replaces interpolation blocks (`$[[ inputs.name | function ]]`). A block that is a whole text keeps the type of its
 * value, and a list inside a list is flattened.
 * @throws ConfigError for an invalid block, and for too many
 */
export function interpolate(content: RawMap, contexts: Contexts, variables: VariableValues): RawMap {
  return new Interpolation(contexts, variables).tree(content) as RawMap;
}

class Interpolation {
  private readonly contexts: Contexts;
  private readonly variables: VariableValues;
  private readonly blocks = new Map<string, RawTree>();
  private nodes = 0;
  private characters = 0;

  constructor(contexts: Contexts, variables: VariableValues) {
    this.contexts = contexts;
    this.variables = variables;
  }

  tree(tree: RawTree): RawTree {
    this.visit(1);
    if (typeof tree === 'string') return this.text(tree);
    if (Array.isArray(tree)) return this.list(tree);
    if (tree instanceof Reference) return tree.path === null ? tree : new Reference(this.list(tree.path as RawTree[]));
    if (!isMap(tree)) return tree;
    const map = newMap();
    for (const key of Object.keys(tree)) {
      this.visit(1);
      map[textOf(this.text(key))] = this.tree(tree[key]!);
    }
    return map;
  }

  private list(list: readonly RawTree[]): RawTree[] {
    const result: RawTree[] = [];
    for (const item of list) {
      const value = this.tree(item);
      if (typeof item === 'string' && Array.isArray(value)) {
        this.visit(value.length);
        for (const each of value) result.push(each);
      } else result.push(value);
    }
    return result;
  }

  private visit(nodes: number): void {
    this.nodes += nodes;
    if (this.nodes > MAX_NODES) throw new ConfigError('config too large');
  }

  private text(text: string): RawTree {
    if (!text.includes(OPENING)) return text;
    if (Buffer.byteLength(text) > MAX_NODE_BYTES) throw new ConfigError('config node too large');
    const parts: string[] = [];
    let rest = 0;
    for (let start = text.indexOf(OPENING); start !== -1; ) {
      const end = text.indexOf(CLOSING, start + OPENING.length);
      if (end === -1) break;
      const inside = text.slice(start + OPENING.length, end).trim();
      if (inside.length < 2 || inside.includes('\n')) {
        start = text.indexOf(OPENING, start + OPENING.length);
        continue;
      }
      const value = this.block(inside);
      const after = end + CLOSING.length;
      // Matrix blocks are only resolved when jobs are multiplied.
      if (value !== undefined) {
        if (start === 0 && after === text.length) return value;
        parts.push(text.slice(rest, start), textOf(value));
        rest = after;
        this.characters += parts.at(-1)!.length;
        if (this.characters > MAX_CHARACTERS) throw new ConfigError('config too large');
      }
      start = text.indexOf(OPENING, after);
    }
    if (parts.length === 0) return text;
    parts.push(text.slice(rest));
    return parts.join('');
  }

  private block(inside: string): RawTree | undefined {
    if (/^matrix\./.test(inside)) return undefined;
    if (!this.blocks.has(inside)) {
      this.blocks.set(inside, evaluateBlock(inside, this.contexts, this.variables));
      if (this.blocks.size > MAX_BLOCKS) throw new ConfigError('too many interpolation blocks');
    }
    return this.blocks.get(inside);
  }
}
