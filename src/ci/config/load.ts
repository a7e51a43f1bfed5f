import { ConfigError } from './config-error.ts';
import { readConfigFile } from './documents.ts';
import { addEdgeStages } from './edge-stages.ts';
import { extendAll } from './extends.ts';
import type { LoadedConfig, LoadRequest } from './loaded.ts';
import { CopyBudget } from './merge.ts';
import { resolveReferences } from './references.ts';
import { dumpYaml } from './yaml/dump.ts';
import { YamlError } from './yaml/yaml-error.ts';

/**
 * Makes a configuration whole: reads it, includes, extends and refers (order: section 3.6 of the platform's facts). At most one
 * error comes back, the first.
 */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  try {
    const budget = new CopyBudget();
    const { content } = readConfigFile(request.content);
    const tree = addEdgeStages(resolveReferences(extendAll(content, budget)));
    return { tree, mergedYaml: dumpYaml(tree), includes: [], errors: [], warnings: [] };
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof YamlError)) throw error;
    return { tree: null, mergedYaml: null, includes: null, errors: [error.message], warnings: [] };
  }
}
