import type { PipelineContext } from '../compile-request.ts';
import type { JobSeed } from '../job-seed.ts';
import type { EnvironmentConfig, JobConfig, JobOptions, PipelineConfig, Rule, When } from '../pipeline-config.ts';
import { ExpansionError } from '../variables/expand.ts';
import { type Variable, variableValues } from '../variables/variable.ts';
import { type JobLayer, type PipelineVariables, yamlVariables } from './evaluation.pipeline-variables.ts';
import { firstMatch } from './evaluation.rules.ts';
import { matchesExcept, matchesOnly, onlyOf } from './policies.ts';
import { RuleError, type RuleFiles } from './rule-files.ts';
import type { VariableScope } from './scope.ts';

/** Context for evaluating the jobs of a pipeline. */
export interface JobEvaluationContext {
  config: PipelineConfig;
  context: PipelineContext;
  variables: PipelineVariables;
  /** Top-level variables, including those of the workflow rule. */
  topLevel: readonly Variable[];
  files: RuleFiles;
}

/** A job in the pipeline, null for an excluded job, or an error. */
export type JobDecision = { seed: JobSeed; circles: string[][] } | { error: string } | null;

/** Evaluates whether the pipeline contains a job, and its attributes. @param stageIndex index of its stage */
export async function seedJob(job: JobConfig, stageIndex: number, context: JobEvaluationContext): Promise<JobDecision> {
  try {
    return await decide(job, stageIndex, context);
  } catch (error) {
    if (error instanceof RuleError) return { error: `Failed to parse rule for ${job.name}: ${error.message}` };
    if (error instanceof ExpansionError) return { error: `${job.name}: ${error.message}` };
    throw error;
  }
}

async function decide(job: JobConfig, stageIndex: number, context: JobEvaluationContext): Promise<JobDecision> {
  const { variables } = context;
  const yaml = yamlOf(job, context.topLevel);
  const layer = withEnvironment(job, yaml, variables);
  const scope = variables.jobScope(layer);
  let rule: Rule | null = null;
  if (job.rules !== null) {
    rule = await firstMatch(job.rules, scope, context.files);
    if (rule === null) return null;
  } else if (!(await isIn(job, context, scope))) {
    return null;
  }
  const when = rule?.when ?? job.when;
  if (when === 'never') return null;
  const added = yamlVariables(rule?.variables ?? []);
  const whole = added.length === 0 ? layer : withEnvironment(job, [...yaml, ...added], variables);
  const final = added.length === 0 ? scope : variables.jobScope(whole);
  const seed: JobSeed = {
    name: job.name,
    kind: job.kind,
    stage: job.stage,
    stageIndex,
    when,
    startIn: when === 'delayed' ? (rule?.startIn ?? job.startIn) : null,
    allowFailure: allowFailure(job, rule, when),
    tags: tags(job, final),
    needs: rule?.needs ?? job.needs,
    variables: [...variableValues(whole.yaml).values()],
    environment: environment(job, whole, final),
    resourceGroup: job.resourceGroup === null ? null : final.expand(job.resourceGroup).trim() || null,
    interruptible: rule?.interruptible ?? job.interruptible,
    coverage: job.coverage,
    options: options(job.options, rule, final),
  };
  return { seed, circles: final.circularReferences() };
}

async function isIn(
  job: JobConfig,
  { config, context, files }: JobEvaluationContext,
  scope: VariableScope,
): Promise<boolean> {
  const only = onlyOf(job, config.workflow);
  if (only !== null && !(await matchesOnly(only, context, scope, files))) return false;
  return job.except === null || !(await matchesExcept(job.except, context, scope, files));
}

/** YAML variables of a job, lowest precedence first. */
function yamlOf({ inheritVariables, variables, parallel }: JobConfig, topLevel: readonly Variable[]): Variable[] {
  const inherited =
    typeof inheritVariables === 'boolean'
      ? topLevel.filter(() => inheritVariables)
      : topLevel.filter(({ key }) => inheritVariables.includes(key));
  const place: Variable[] = [];
  if (parallel !== null) {
    const { index, total, matrix } = parallel;
    const values = { ...matrix, CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(total) };
    for (const [key, value] of Object.entries(values)) place.push({ key, value, public: true });
  }
  return [...inherited, ...yamlVariables(variables), ...place];
}

/** Adds the environment name to the layer of a job, which determines further variables. */
function withEnvironment(job: JobConfig, yaml: readonly Variable[], variables: PipelineVariables): JobLayer {
  if (job.environment === null) return { job, yaml, environment: null };
  const scope = variables.jobScope({ job, yaml, environment: null });
  const { name, action, deploymentTier } = job.environment;
  const tier = deploymentTier === null ? null : scope.expand(deploymentTier);
  return { job, yaml, environment: { name: scope.expand(name), action, deploymentTier: tier } };
}

/** The environment of a job; its URL may depend on variables of the running job. */
function environment(job: JobConfig, layer: JobLayer, scope: VariableScope): EnvironmentConfig | null {
  if (job.environment === null || layer.environment === null) return null;
  const { url, autoStopIn } = job.environment;
  return {
    ...job.environment,
    ...layer.environment,
    url: url === null ? null : scope.expand(url, 'kept'),
    autoStopIn: autoStopIn === null ? null : scope.expand(autoStopIn),
  };
}

/** A manual job is optional, unless a rule made it manual. */
function allowFailure(job: JobConfig, rule: Rule | null, when: When): boolean {
  const decided = rule?.allowFailure ?? job.allowFailure;
  if (decided !== null) return decided === true;
  return when === 'manual' && (rule === null || rule.when === null);
}

/** Maximum total size of the tags of a job in bytes: PostgreSQL limits the size of index entries. */
const MAX_TAGS = 2_000;

/** @throws ExpansionError if the tags exceed the limit */
function tags(job: JobConfig, scope: VariableScope): string[] {
  const expanded = job.tags.map((tag) => scope.expand(tag).trim());
  const unique = [...new Set(expanded)].filter((tag) => tag !== '');
  if (Buffer.byteLength(unique.join()) <= MAX_TAGS) return unique;
  throw new ExpansionError(`tags are too long (maximum is ${MAX_TAGS} bytes together)`);
}

/** Expands variables in the options; unknown ones are left for the runner. */
function options(jobOptions: JobOptions, rule: Rule | null, scope: VariableScope): JobOptions {
  const expand = (text: string) => scope.expand(text, 'kept');
  const { trigger, pages, allowFailureExitCodes } = jobOptions;
  const ofRule = rule?.allowFailure ?? null;
  return {
    ...jobOptions,
    allowFailureExitCodes:
      ofRule === null ? allowFailureExitCodes : typeof ofRule === 'object' ? ofRule.exitCodes : null,
    idTokens: Object.fromEntries(
      Object.entries(jobOptions.idTokens).map(([name, { aud }]) => [name, { aud: aud.map(expand) }]),
    ),
    pages: pages && { ...pages, pathPrefix: pages.pathPrefix === null ? null : expand(pages.pathPrefix) },
    trigger: trigger && {
      ...trigger,
      project: trigger.project === null ? null : expand(trigger.project),
      branch: trigger.branch === null ? null : expand(trigger.branch),
    },
  };
}
