import { expandText } from '../../variables/expand.ts';
import type { VariableValues } from '../../variables/variable.ts';
import { ConfigError } from '../config-error.ts';
import { isMap, newMap, type RawMap, type RawTree } from '../yaml/reference.ts';
import { IncludeRules } from './include.rules.ts';
import { withoutSlashes } from './included-file.ts';
import type { Loading, Scope } from './loading.ts';
import { isWebAddress } from './other-files.ts';

/** Maximum number of files below the folder of a wildcard. */
const MAX_PATHS = 20_000;

/** @returns the applicable entries of `include`, each naming one file, with variables expanded. @throws ConfigError */
export async function locationsOf(include: RawTree, scope: Scope, loading: Loading): Promise<RawMap[]> {
  const entries = (Array.isArray(include) ? include.flat(10) : [include]).filter((entry) => entry !== null);
  const locations: RawMap[] = [];
  let rules: IncludeRules | null = null;
  for (const entry of entries.map((entry) => normalized(entry, scope.variables))) {
    rules ??= new IncludeRules(scope, loading);
    if (!(await rules.allow(entry.rules))) continue;
    for (const location of await singles(entry, scope, loading)) {
      locations.push(expanded(location, scope.variables));
      // Further entries need no processing: exceeding the limit is an error.
      if (locations.length > loading.limits.includes) return locations;
    }
  }
  return locations;
}

function normalized(entry: RawTree, variables: VariableValues): RawMap {
  if (typeof entry === 'string') {
    const location = expandText(entry, variables);
    const map = newMap();
    map[isWebAddress(location) ? 'remote' : 'local'] = location;
    return map;
  }
  if (!isMap(entry)) throw new ConfigError('Each include must be a hash or a string');
  return entry;
}

async function singles(entry: RawMap, scope: Scope, loading: Loading): Promise<RawMap[]> {
  const { project = null, file = null, local } = entry;
  const withKey = (key: string, value: RawTree): RawMap => Object.assign(newMap(), entry, { [key]: value });
  if (project !== null) {
    const files = (Array.isArray(file) ? file : [file]).filter((each) => each !== null);
    if (files.length === 0)
      throw new ConfigError('include config must specify the file where to fetch the config from');
    return files.map((each) => withKey('file', each));
  }
  if (typeof local !== 'string' || !local.includes('*')) return [entry];
  if (scope.context.project === null) return [entry];
  const paths = await matching(withoutSlashes(local), scope, loading);
  return paths.map((path) => withKey('local', path));
}

/** Files that match a wildcard: `*` within a folder, `**` across folders. */
async function matching(pattern: string, scope: Scope, loading: Loading): Promise<string[]> {
  const folder = pattern.slice(0, pattern.lastIndexOf('/', pattern.indexOf('*')) + 1);
  const ending = /\*([^*/]*)$/.exec(pattern)?.[1] ?? '';
  const glob = `${escapeGlob(folder)}**/*${escapeGlob(ending)}`;
  const paths = await loading.sources.paths(scope.context, [glob], MAX_PATHS);
  const parts = pattern
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.+?' : part === '*' ? '[^/]*' : RegExp.escape(part)));
  // Bounds the work for patterns with many wildcards.
  if (parts.length > 21) throw new ConfigError(`Local file \`${loading.mask(pattern)}\` has too many wildcards!`);
  const wildcard = new RegExp(`^${parts.join('')}$`, 's');
  return paths.filter((path) => path.length <= 1000 && wildcard.test(path));
}

const escapeGlob = (text: string): string => text.replaceAll(/[\\?[\]{}]/g, '\\$&');

/** Expands variables in the values of an entry, except in `rules` and `inputs`. */
function expanded(entry: RawMap, variables: VariableValues): RawMap {
  const result = newMap();
  for (const [key, value] of Object.entries(entry)) {
    if (typeof value === 'string') result[key] = expandText(value, variables);
    else if (Array.isArray(value) && key !== 'rules')
      result[key] = value.map((each) => (typeof each === 'string' ? expandText(each, variables) : each));
    else result[key] = value;
  }
  return result;
}
