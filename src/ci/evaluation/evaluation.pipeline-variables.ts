import { environmentSlug, guessTier } from '../ci.environments.ts';
import type { PipelineContext } from '../compile-request.ts';
import type { ConfigVariable, EnvironmentConfig, JobConfig } from '../pipeline-config.ts';
import { groupName, slug } from '../slugs.ts';
import type { Variable } from '../variables/variable.ts';
import { type Layer, layerOf, mayBeCircular, StoredLayers } from './evaluation.layer.ts';
import { ExpansionBudget, VariableScope } from './scope.ts';

/** Variables of a job, above those of its pipeline. */
export interface JobLayer {
  job: JobConfig;
  /** YAML variables, lowest precedence first. */
  yaml: readonly Variable[];
  environment: Pick<EnvironmentConfig, 'name' | 'action' | 'deploymentTier'> | null;
}

/** Variables of a pipeline and its jobs in their precedence. */
export class PipelineVariables {
  readonly #context: PipelineContext;
  readonly #predefined: Layer;
  readonly #pipelineVariables: Layer;
  readonly #stored: StoredLayers;
  readonly #budget = new ExpansionBudget();
  /** Whether circles are possible without YAML variables: then all variables are checked for each job. */
  readonly #mayCircle: boolean;

  constructor(context: PipelineContext) {
    this.#context = context;
    this.#predefined = layerOf(context.predefined);
    this.#pipelineVariables = layerOf(context.pipelineVariables);
    this.#stored = new StoredLayers(context.stored);
    this.#mayCircle = mayBeCircular([...context.predefined, ...context.stored, ...context.pipelineVariables]);
  }

  /** Variables visible to `workflow`. @param yaml top-level variables */
  pipelineScope(yaml: readonly Variable[]): VariableScope {
    const layers = [this.#predefined, layerOf(yaml), this.#stored.for(null), this.#pipelineVariables];
    return new VariableScope(layers, this.#budget);
  }

  /** Variables visible to a job. */
  jobScope(layer: JobLayer): VariableScope {
    const { yaml, environment } = layer;
    const stored = this.#stored.for(environment?.name ?? null);
    const ofYaml = inLayers(yaml);
    const layers = [this.#predefined, jobFacts(layer), ...ofYaml, stored, this.#pipelineVariables];
    return new VariableScope(layers, this.#budget, this.#mayCircle ? layers : ofYaml);
  }

  /** All masked variables. */
  *masked(): Generator<Variable> {
    for (const variable of this.#context.stored) if (variable.masked === true) yield variable;
    for (const variable of this.#context.pipelineVariables) if (variable.masked === true) yield variable;
  }
}

/**
 * A value that refers to its own name means the previous variable of that name, so variables of a name are in separate
 * layers.
 */
function inLayers(variables: readonly Variable[]): Layer[] {
  const layers: Map<string, Variable>[] = [];
  for (const variable of variables) {
    let layer = layers.length - 1;
    while (layer >= 0 && !layers[layer]!.has(variable.key)) layer -= 1;
    const values = layers[layer + 1] ?? new Map<string, Variable>();
    values.set(variable.key, variable);
    layers[layer + 1] = values;
  }
  return layers.map((values) => layerOf(values.values()));
}

/** Predefined variables of a job that are known before it exists; computed on demand. */
function jobFacts({ job, environment }: JobLayer): Layer {
  const { parallel } = job;
  const facts = new Map<string, () => string>([
    ['CI_JOB_NAME', () => job.name],
    ['CI_JOB_NAME_SLUG', () => slug(job.name)],
    ['CI_JOB_GROUP_NAME', () => groupName(job.name)],
    ['CI_JOB_STAGE', () => job.stage],
    ['CI_NODE_TOTAL', () => String(parallel?.total ?? 1)],
  ]);
  if (parallel !== null) facts.set('CI_NODE_INDEX', () => String(parallel.index));
  if (environment !== null) {
    const { name, action, deploymentTier } = environment;
    facts.set('CI_ENVIRONMENT_NAME', () => name);
    facts.set('CI_ENVIRONMENT_SLUG', () => environmentSlug(name));
    facts.set('CI_ENVIRONMENT_ACTION', () => action);
    facts.set('CI_ENVIRONMENT_TIER', () => deploymentTier ?? guessTier(name));
  }
  return {
    get(key) {
      const value = facts.get(key)?.();
      return value === undefined ? undefined : { key, value, raw: true, public: true };
    },
    referring: [],
  };
}

/** Converts YAML variables to job variables. */
export const yamlVariables = (variables: readonly ConfigVariable[]): Variable[] =>
  variables.map(({ key, value, raw }) => ({ key, value, raw, public: true }));
