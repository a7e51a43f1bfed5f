import { ExpansionError } from '../variables/expand.ts';
import { CopyBudget } from './ci-config.merge.ts';
import { resolveReferences } from './ci-config.references.ts';
import { ConfigError } from './config-error.ts';
import { addEdgeStages } from './edge-stages.ts';
import { extendAll } from './extends.ts';
import { includeAll } from './include/include.ts';
import { Loading } from './include/loading.ts';
import type { LoadedConfig, LoadRequest } from './loaded.ts';
import { readWithInputs } from './read-with-inputs.ts';
import { dumpYaml } from './yaml/dump.ts';
import { YamlError } from './yaml/yaml-error.ts';

/** Errors that are shown to the author of the configuration. */
const KNOWN = [ConfigError, YamlError, ExpansionError];

/**
 * Loads a configuration: parses it, and resolves includes, extends and references (order: section 3.6 of the platform's
 * facts). Returns at most one error, the first.
 */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  try {
    const budget = new CopyBudget();
    const { context, variables, isChild, inputs, limits } = request;
    const loading = new Loading(request.sources, variables, budget, { limits });
    const scope = { context, variables, isChild };
    const content = await readWithInputs(request.content, { inputs, component: {}, scope, loading });
    const whole = await includeAll(content, scope, loading);
    const tree = addEdgeStages(resolveReferences(extendAll(whole, budget)));
    return {
      tree,
      mergedYaml: dumpYaml(tree),
      includes: await loading.list(),
      keysWithoutText: loading.keysWithoutText,
      errors: [],
      warnings: [],
    };
  } catch (error) {
    if (!KNOWN.some((known) => error instanceof known) || !(error instanceof Error)) throw error;
    return {
      tree: null,
      mergedYaml: null,
      includes: null,
      keysWithoutText: new Set(),
      errors: [error.message],
      warnings: [],
    };
  }
}
