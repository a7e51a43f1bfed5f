import { deepMerge } from '../ci-config.merge.ts';
import { ConfigError } from '../config-error.ts';
import { readWithInputs } from '../read-with-inputs.ts';
import { newMap, type RawMap } from '../yaml/reference.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { KINDS, prepareFiles } from './include.prepare.ts';
import type { IncludedFile } from './included-file.ts';
import type { Loading, Scope } from './loading.ts';

/**
 * Merges the includes of a file in order, and the file over them.
 * @throws ConfigError with the first problem of an include
 */
export async function includeAll(content: RawMap, scope: Scope, loading: Loading): Promise<RawMap> {
  const { include = null } = content;
  if (include === null || (Array.isArray(include) && include.length === 0)) return without(content, 'include');
  const files = await prepareFiles(include, scope, loading, { kinds: KINDS, listed: true });
  let merged = newMap();
  const contents: (RawMap | null)[] = [];
  for (const file of files) contents.push(file.problem === null ? await expand(file, loading) : null);
  files.forEach((file, place) => {
    if (file.problem !== null) throw new ConfigError(file.problem);
    merged = deepMerge(merged, contents[place]!, loading.budget);
  });
  return without(deepMerge(merged, content, loading.budget), 'include');
}

/** Content of an included file with its own includes; null with its `problem` set on failure. */
async function expand(file: IncludedFile, loading: Loading): Promise<RawMap | null> {
  const scope = file.nestedScope();
  let content: RawMap;
  try {
    content = await readWithInputs(file.content, {
      inputs: file.inputs(),
      component: file.componentContext(),
      scope,
      loading,
    });
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof YamlError)) throw error;
    file.problem = `\`${file.name}\`: ${loading.mask(error.message)}`;
    return null;
  }
  const whole = Object.keys(content).length === 0 ? content : await includeAll(content, scope, loading);
  if (Object.keys(whole).length === 0) file.problem = `Included file \`${file.name}\` does not have valid YAML syntax!`;
  return whole;
}

function without(map: RawMap, key: string): RawMap {
  if (!(key in map)) return map;
  const { [key]: _, ...rest } = map;
  return Object.assign(newMap(), rest);
}
