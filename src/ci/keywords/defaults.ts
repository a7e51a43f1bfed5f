import type { Tree, TreeMap } from '../config/loaded.ts';
import { isMap } from './checks.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import { entry, keys } from './reader.ts';
import { DEFAULTS } from './tables.ts';
import type { KeywordValues } from './words.keyword.ts';

export type Defaults = KeywordValues<typeof DEFAULTS>;

/** Keywords that are also allowed at the top level, as before `default` existed. */
const AT_TOP = ['before_script', 'image', 'services', 'after_script', 'cache'] as const;

const block = entry([keys(...DEFAULTS.names)], DEFAULTS.read);

/** A keyword that is both at the top level and in `default`. */
export function duplicateDefaults(tree: TreeMap): string | undefined {
  const written: Tree = own(tree, 'default');
  return AT_TOP.find((key) => own(tree, key) !== null && isMap(written) && own(written, key) !== null);
}

/** `default`. @param at root of the configuration */
export const readDefaults = (tree: TreeMap, at: ConfigNode): Defaults =>
  at.read(tree, 'default', block) ?? DEFAULTS.read({}, at);

/** Defaults with top-level keywords merged. */
export function withTopLevelKeys(defaults: Defaults, top: Pick<Defaults, (typeof AT_TOP)[number]>): Defaults {
  const { before_script, image, services, after_script, cache } = top;
  return {
    ...defaults,
    before_script: defaults.before_script ?? before_script,
    image: defaults.image ?? image,
    services: defaults.services ?? services,
    after_script: defaults.after_script ?? after_script,
    cache: defaults.cache ?? cache,
  };
}
