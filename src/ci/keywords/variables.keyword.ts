import type { Tree } from '../config/loaded.ts';
import type { ConfigVariable } from '../pipeline-config.ts';
import { BOOLEAN, isBlank, isMap, isScalar, SCALAR, STRINGS, WORDS } from './checks.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import { eachOf, entry, type Reader } from './reader.ts';

type Detail = 'value' | 'description' | 'expand' | 'options';

const CHECKS = [
  ['value', SCALAR],
  ['description', WORDS],
  ['expand', BOOLEAN],
  ['options', STRINGS],
] as const;

/** @param details allowed attributes besides the value; if none, a variable must be a plain value */
function detailed(details: readonly Detail[]): Reader<Omit<ConfigVariable, 'key'>> {
  const rules = (config: Tree, at: ConfigNode) => {
    if (!isMap(config)) return;
    for (const [key, check] of CHECKS) {
      const value = own(config, key);
      const text = value === null ? null : check(value);
      if (text !== null) at.field(`config_${key}`, text);
    }
    const extra = Object.keys(config).filter((key) => !details.some((detail) => detail === key));
    if (details.length === 0) at.config('must be a string');
    else if (extra.length > 0) at.config(`uses invalid data keys: ${extra.join(', ')}`);
    const options = own(config, 'options');
    const value = own(config, 'value');
    if (Array.isArray(options) && !isBlank(options) && !options.includes(value)) {
      at.config('value must be present in options');
    }
  };
  return entry([rules], (config) => {
    const description = own(config, 'description');
    const options = own(config, 'options') as string[] | null;
    return {
      value: String(own(config, 'value') ?? ''),
      raw: own(config, 'expand') === false,
      ...(description === null ? {} : { description: String(description) }),
      ...(options === null ? {} : { options }),
    };
  });
}

/** `variables` of the top level, a job, a rule or a service. @param details allowed attributes besides the value */
export function variables(details: readonly Detail[]): Reader<ConfigVariable[]> {
  const complex = detailed(details);
  const each = eachOf((value, at) => {
    if (value === null || isMap(value)) return complex(value ?? {}, at);
    if (isScalar(value)) return { value: String(value), raw: false };
    at.tell('variable definition must be either a string or a hash');
    return null;
  });
  return (value, at) => each(value, at)?.map(([key, variable]) => ({ key, ...variable })) ?? null;
}

/** Variables without attributes. */
export const plainVariables = variables([]);
