import { ConfigError } from './config-error.ts';
import type { Tree, TreeMap } from './loaded.ts';
import { isMap, newMap, type RawMap, type RawTree, Reference } from './yaml/reference.ts';
import { tooBig } from './yaml/yaml-error.ts';

/** Maximum depth of references that lead to references. */
const MAX_NESTING = 10;
/**
 * Maximum weight of a configuration, counting shared parts repeatedly: 1 for each value, and 1 for each 32 characters.
 */
const MAX_WEIGHT = 500_000;
const CHARACTERS = 32;

/** @returns the configuration with all `!reference` tags resolved. @throws ConfigError, YamlError */
export function resolveReferences(config: RawMap): TreeMap {
  return new Resolver(config).resolve(config) as TreeMap;
}

/** A resolved value with its total weight. */
interface Resolved {
  value: Tree;
  weight: number;
}

class Resolver {
  private readonly config: RawMap;
  private readonly maps = new Map<object, Resolved>();
  private readonly references = new Map<string, Resolved & { nesting: number }>();
  private readonly open: string[] = [];
  /** Depth of references below the last resolved value. */
  private nesting = 0;

  constructor(config: RawMap) {
    this.config = config;
  }

  resolve(tree: RawTree): Tree {
    return this.at(tree).value;
  }

  private at(tree: RawTree): Resolved {
    if (typeof tree === 'string') return { value: tree, weight: weightOf(tree) };
    if (typeof tree !== 'object' || tree === null) return { value: tree, weight: 1 };
    if (tree instanceof Reference) return this.follow(tree);
    const known = this.maps.get(tree);
    if (known !== undefined) return known;
    let weight = 1;
    const add = (value: RawTree): Tree => {
      const resolved = this.at(value);
      weight += resolved.weight;
      if (weight > MAX_WEIGHT) throw tooBig();
      return resolved.value;
    };
    let value: Tree;
    const before = this.nesting;
    this.nesting = 0;
    if (Array.isArray(tree)) value = tree.map(add);
    else {
      value = newMap<Tree>();
      for (const key of Object.keys(tree)) {
        weight += weightOf(key);
        value[key] = add(tree[key]!);
      }
    }
    const resolved = { value, weight };
    // Values with references of their own are resolved at each place, because their depth counts.
    if (this.nesting === 0) this.maps.set(tree, resolved);
    this.nesting = Math.max(this.nesting, before);
    return resolved;
  }

  private follow({ path }: Reference): Resolved {
    if (path === null || path.length === 0 || !path.every((key) => typeof key === 'string'))
      throw new ConfigError(`!reference ${inspect(path)} is not valid`);
    const place = JSON.stringify(path);
    const known = this.references.get(place);
    if (known !== undefined) {
      if (this.open.length + known.nesting > MAX_NESTING) throw tooDeep(path);
      this.nesting = Math.max(this.nesting, known.nesting);
      return known;
    }
    if (this.open.includes(place)) throw new ConfigError(`!reference ${inspect(path)} is part of a circular chain`);
    if (this.open.length >= MAX_NESTING) throw tooDeep(path);
    this.open.push(place);
    const before = this.nesting;
    this.nesting = 0;
    let target: RawTree | undefined = this.config;
    for (const key of path as string[]) {
      if (target instanceof Reference) target = this.follow(target).value as RawTree;
      target = target !== undefined && isMap(target) ? target[key] : undefined;
    }
    const resolved = target === undefined || target === null ? null : this.at(target);
    if (resolved === null || resolved.value === null || resolved.value === false)
      throw new ConfigError(`!reference ${inspect(path)} could not be found`);
    const nesting = this.nesting + 1;
    this.open.pop();
    this.references.set(place, { ...resolved, nesting });
    this.nesting = Math.max(before, nesting);
    return resolved;
  }
}

const weightOf = (text: string): number => 1 + Math.floor(text.length / CHARACTERS);

const tooDeep = (path: readonly unknown[]) =>
  new ConfigError(`!reference ${inspect(path)} is nested more than ${MAX_NESTING} levels deep`);

/** Formats a list like Ruby. */
const inspect = (path: readonly unknown[] | null): string =>
  path === null ? 'nil' : `[${path.map((key) => (key === null ? 'nil' : JSON.stringify(key))).join(', ')}]`;
