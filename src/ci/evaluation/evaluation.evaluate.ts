import type { PipelineContext } from '../compile-request.ts';
import type { EvaluatedPipeline, JobSeed, NoPipeline } from '../job-seed.ts';
import type { AutoCancel, PipelineConfig, Rule } from '../pipeline-config.ts';
import type { ConfigSources, SourceContext } from '../sources.ts';
import { ExpansionError } from '../variables/expand.ts';
import { maskText } from '../variables/expansion.mask.ts';
import { circularText } from '../variables/expansion.order.ts';
import { needsErrors } from './evaluation.needs.ts';
import { PipelineVariables, yamlVariables } from './evaluation.pipeline-variables.ts';
import { firstMatch } from './evaluation.rules.ts';
import { RuleError, RuleFiles } from './rule-files.ts';
import { type JobEvaluationContext, seedJob } from './seed-job.ts';

const DOCS = 'https://docs.gitlab.com/ci/yaml/';
const link = (words: string, anchor: string) =>
  `<a href="${DOCS}#${anchor}" target="_blank" rel="noopener noreferrer">${words}</a>`;

/** `errors` of a valid configuration that creates no pipeline for a ref and event. */
const NOTHING: Record<Exclude<NoPipeline, 'invalid'>, string> = {
  filtered_by_workflow: `The pipeline did not run. Review the ${link('workflow:rules', 'workflowrules')} configuration for the pipeline.`,
  filtered_by_rules: `The resulting pipeline would have been empty. Review the ${link('rules', 'rules')} configuration for the relevant jobs.`,
};

const MAX_NAME = 255;
/** Maximum number of jobs with reported errors. */
const MAX_ERRORS = 100;
/** Stages that alone do not create a pipeline. */
const SIDE_STAGES = ['.pre', '.post'];

/**
 * Evaluates a configuration for a ref, event and caller: applies rules and expands variables. Used for creating
 * pipelines and for lint with `dry_run` (part 1, 4.6).
 * @param source commit for `exists` rules
 */
export async function evaluate(
  config: PipelineConfig,
  context: PipelineContext,
  sources: ConfigSources,
  source: SourceContext,
): Promise<EvaluatedPipeline> {
  const variables = new PipelineVariables(context);
  const files = new RuleFiles(sources, source);
  try {
    return await decide(config, context, variables, files);
  } catch (error) {
    if (error instanceof RuleError) return invalid([`Failed to parse rule for workflow: ${error.message}`], variables);
    if (error instanceof ExpansionError) return invalid([`workflow: ${error.message}`], variables);
    throw error;
  }
}

async function decide(
  config: PipelineConfig,
  context: PipelineContext,
  variables: PipelineVariables,
  files: RuleFiles,
): Promise<EvaluatedPipeline> {
  const { workflow } = config;
  const written = yamlVariables(config.variables);
  let rule: Rule | null = null;
  if (workflow.rules !== null) {
    rule = await firstMatch(workflow.rules, variables.pipelineScope(written), files);
    if (rule === null || rule.when === 'never') return nothing('filtered_by_workflow');
  }
  const topLevel = [...written, ...yamlVariables(rule?.variables ?? [])];
  const { jobs, errors } = await decideJobs({ config, context, variables, topLevel, files });
  if (errors.length > 0) return invalid([errors.join('\n')], variables);
  if (jobs.every(({ stage }) => SIDE_STAGES.includes(stage))) return nothing('filtered_by_rules');
  const name = workflow.name && variables.pipelineScope(topLevel).expand(workflow.name).trim();
  if (name !== null && [...name].length > MAX_NAME) {
    const text = `Failed to build pipeline metadata! Name is too long (maximum is ${MAX_NAME} characters)`;
    return invalid([text], variables);
  }
  const autoCancel = mergeAutoCancel(workflow.autoCancel, rule?.autoCancel ?? null);
  const seed = { name: name === '' ? null : name, autoCancel, stages: config.stages, jobs };
  return { seed, reason: null, errors: [], warnings: [] };
}

/** The jobs of the pipeline, stage by stage, and their errors. */
async function decideJobs(context: JobEvaluationContext): Promise<{ jobs: JobSeed[]; errors: string[] }> {
  const { config } = context;
  const errors: string[] = [];
  const decided: { seed: JobSeed; circles: string[][] }[] = [];
  const places = new Map(config.stages.map((stage, place) => [stage, place]));
  const inOrder = config.jobs.toSorted((one, other) => places.get(one.stage)! - places.get(other.stage)!);
  for (const job of inOrder) {
    if (errors.length >= MAX_ERRORS) break;
    const answer = await seedJob(job, places.get(job.stage)!, context);
    if (answer === null) continue;
    if ('error' in answer) errors.push(answer.error);
    else decided.push(answer);
  }
  const present = new Set(decided.map(({ seed }) => seed.name));
  for (const { seed, circles } of decided) {
    if (errors.length >= MAX_ERRORS) break;
    errors.push(...needsErrors(seed.name, seed.needs ?? [], present, context.context.maxNeeds));
    if (circles.length > 0) errors.push(`${seed.name}: ${circularText(circles)}`);
    seed.needs = seed.needs?.filter((need) => present.has(need.job)) ?? null;
  }
  return { jobs: decided.map(({ seed }) => seed), errors };
}

const mergeAutoCancel = (workflow: AutoCancel, rule: AutoCancel | null): AutoCancel => ({
  onNewCommit: rule?.onNewCommit ?? workflow.onNewCommit,
  onJobFailure: rule?.onJobFailure ?? workflow.onJobFailure,
});

const nothing = (reason: keyof typeof NOTHING): EvaluatedPipeline => ({
  seed: null,
  reason,
  errors: [NOTHING[reason]],
  warnings: [],
});

const invalid = (errors: readonly string[], variables: PipelineVariables): EvaluatedPipeline => ({
  seed: null,
  reason: 'invalid',
  errors: errors.map((text) => maskText(text, variables.masked())),
  warnings: [],
});
