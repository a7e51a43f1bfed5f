import { type CopyBudget, deepMerge } from './ci-config.merge.ts';
import { ConfigError } from './config-error.ts';
import { isMap, newMap, type RawMap } from './yaml/reference.ts';

/** Maximum depth of ancestors of a job. */
const MAX_NESTING = 10;

/**
 * Resolves `extends`: the parents of a job are merged in order, and the job over them. The key itself is kept.
 * @throws ConfigError for parents that are missing, not maps, nested too deeply or circular
 */
export function extendAll(config: RawMap, budget: CopyBudget): RawMap {
  const extender = new Extender(config, budget);
  const result = newMap();
  for (const key of Object.keys(config)) result[key] = isMap(config[key]!) ? extender.extend(key) : config[key]!;
  return result;
}

class Extender {
  private readonly config: RawMap;
  private readonly budget: CopyBudget;
  private readonly done = new Map<string, { value: RawMap; generations: number }>();
  private readonly path: string[] = [];

  constructor(config: RawMap, budget: CopyBudget) {
    this.config = config;
    this.budget = budget;
  }

  /** @param key of a map */
  extend(key: string): RawMap {
    const value = this.config[key] as RawMap;
    if (!('extends' in value)) return value;
    const known = this.done.get(key);
    if (known !== undefined) {
      if (this.path.length + known.generations > MAX_NESTING + 1) throw this.tooDeep(key);
      return known.value;
    }
    const parents = parentsOf(value);
    const list = (names: string[]) => names.join(', ');
    const unknown = parents.filter((parent) => !(parent in this.config));
    if (unknown.length > 0) throw new ConfigError(`${key}: unknown keys in \`extends\` (${list(unknown)})`);
    const invalid = parents.filter((parent) => !isMap(this.config[parent]!));
    if (invalid.length > 0) throw new ConfigError(`${key}: invalid base hashes in \`extends\` (${list(invalid)})`);
    if (this.path.length > MAX_NESTING) throw new ConfigError(`${key}: nesting too deep in \`extends\``);
    if (this.path.includes(key)) throw new ConfigError(`${key}: circular dependency detected in \`extends\``);
    this.path.push(key);
    let merged = newMap();
    for (const parent of parents) merged = deepMerge(merged, this.extend(parent), this.budget);
    merged = deepMerge(merged, value, this.budget);
    this.path.pop();
    const above = parents.map((parent) => this.done.get(parent)?.generations ?? 0);
    this.done.set(key, { value: merged, generations: 1 + Math.max(0, ...above) });
    return merged;
  }

  /** Follows the longest line of ancestors to the one that is too deep. */
  private tooDeep(key: string): ConfigError {
    let name = key;
    for (let depth = this.path.length; depth <= MAX_NESTING; depth++) {
      const parents = parentsOf(this.config[name] as RawMap);
      const room = MAX_NESTING + 1 - depth;
      name = parents.find((parent) => (this.done.get(parent)?.generations ?? 0) >= room) ?? name;
    }
    return new ConfigError(`${name}: nesting too deep in \`extends\``);
  }
}

function parentsOf(value: RawMap): string[] {
  const parents = value.extends ?? null;
  if (parents === null) return [];
  return (Array.isArray(parents) ? parents : [parents]).map((parent) =>
    typeof parent === 'object' ? JSON.stringify(parent) : String(parent),
  );
}
