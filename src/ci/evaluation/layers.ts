import type { PipelineContext } from '../compile-request.ts';
import { environmentSlug, guessTier } from '../environments.ts';
import type { ConfigVariable, EnvironmentConfig, JobConfig } from '../pipeline-config.ts';
import { groupName, slug } from '../slugs.ts';
import { inEnvironment } from '../variables/environment-scope.ts';
import { type Variable, type VariableValues, variableValues } from '../variables/variable.ts';
import { ExpansionBudget, VariableScope } from './scope.ts';

/** What a job has by itself, over the variables of its pipeline. */
export interface JobLayer {
  job: JobConfig;
  /** Of the YAML, those of lower precedence first. */
  yaml: readonly Variable[];
  environment: Pick<EnvironmentConfig, 'name' | 'action' | 'deploymentTier'> | null;
}

/** The variables of a pipeline in their precedence, and of each of its jobs. */
export class PipelineVariables {
  readonly #predefined: VariableValues;
  readonly #given: VariableValues;
  readonly #stored: PipelineContext['stored'];
  readonly #storedFor = new Map<string | null, VariableValues>();
  readonly #budget = new ExpansionBudget();

  constructor({ predefined, stored, given }: PipelineContext) {
    this.#predefined = variableValues(predefined);
    this.#given = variableValues(given);
    this.#stored = stored;
  }

  /** What `workflow` sees. @param yaml those at the top level */
  pipelineScope(yaml: readonly Variable[]): VariableScope {
    const layers = [this.#predefined, variableValues(yaml), this.#storedOf(null), this.#given];
    return new VariableScope(layers, this.#budget);
  }

  /** What a job sees. */
  jobScope(layer: JobLayer): VariableScope {
    const { yaml, environment } = layer;
    const stored = this.#storedOf(environment?.name ?? null);
    const layers = [this.#predefined, variableValues(jobFacts(layer)), ...inLayers(yaml), stored, this.#given];
    return new VariableScope(layers, this.#budget);
  }

  /** All of them that are masked. */
  *masked(): Generator<Variable> {
    for (const variable of this.#stored) if (variable.masked === true) yield variable;
    for (const variable of this.#given.values()) if (variable.masked === true) yield variable;
  }

  /** Those kept with the project and above it for an environment; of one name the one of the narrowest scope. */
  #storedOf(environment: string | null): VariableValues {
    const known = this.#storedFor.get(environment);
    if (known !== undefined) return known;
    const values = variableValues(inEnvironment(this.#stored, environment));
    this.#storedFor.set(environment, values);
    return values;
  }
}

/** A value that refers to its own name means the one before it: each of a name stands in a layer of its own. */
function inLayers(variables: readonly Variable[]): VariableValues[] {
  const layers: Map<string, Variable>[] = [];
  for (const variable of variables) {
    let layer = layers.length - 1;
    while (layer >= 0 && !layers[layer]!.has(variable.key)) layer -= 1;
    const values = layers[layer + 1] ?? new Map<string, Variable>();
    values.set(variable.key, variable);
    layers[layer + 1] = values;
  }
  return layers;
}

/** The predefined variables that are known of a job before there is one. */
function jobFacts({ job, environment }: JobLayer): Variable[] {
  const facts: Record<string, string> = {
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slug(job.name),
    CI_JOB_GROUP_NAME: groupName(job.name),
    CI_JOB_STAGE: job.stage,
    CI_NODE_TOTAL: String(job.parallel?.total ?? 1),
  };
  if (job.parallel !== null) facts.CI_NODE_INDEX = String(job.parallel.index);
  if (environment !== null) {
    facts.CI_ENVIRONMENT_NAME = environment.name;
    facts.CI_ENVIRONMENT_SLUG = environmentSlug(environment.name);
    facts.CI_ENVIRONMENT_ACTION = environment.action;
    facts.CI_ENVIRONMENT_TIER = environment.deploymentTier ?? guessTier(environment.name);
  }
  return Object.entries(facts).map(([key, value]) => ({ key, value, raw: true, public: true }));
}

/** Variables of the YAML as those of a job. */
export const yamlVariables = (variables: readonly ConfigVariable[]): Variable[] =>
  variables.map(({ key, value, raw }) => ({ key, value, raw, public: true }));
