import type { CallerInProject } from '../../access/caller-in-project.ts';
import { compile } from '../../ci/compile.ts';
import type { Compiled } from '../../ci/compile-request.ts';
import { inEnvironment } from '../../ci/variables/environment-scope.ts';
import { type Variable, variableValues } from '../../ci/variables/variable.ts';
import type { Deps } from '../../deps.ts';
import { planLimits } from '../../settings/settings.plan-limits.ts';
import { configSources } from '../sources/config-sources.ts';
import type { PipelineChanges } from '../sources/pipeline-sources.changes.ts';
import { userVariables } from '../variables/job-facts.ts';
import type { PipelineFacts } from '../variables/pipeline-variables.facts.ts';
import { storedVariables } from '../variables/pipeline-variables.stored.ts';
import { predefinedVariables } from '../variables/pipeline-variables.ts';
import { type ConfigContent, configContent } from './config-content.ts';
import { configLimits } from './config-limits.ts';
import type { PipelineVariableInput } from './pipeline-creation.save.ts';

export interface CompileFor {
  standing: CallerInProject;
  facts: PipelineFacts;
  variables?: readonly PipelineVariableInput[] | undefined;
  inputs?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the configuration of the project. */
  config?: ConfigContent | undefined;
  /** Reads artifacts of the parent pipeline, if there is one. */
  artifact?: Parameters<typeof configSources>[1]['artifact'] | undefined;
}

/**
 * Compiles the configuration of a project for a ref and event, with the user's variables and rights.
 * @returns null if there is no configuration
 */
export async function compileFor(
  deps: Deps,
  { standing: scope, facts, variables = [], inputs = {}, config, artifact }: CompileFor,
): Promise<{ path: string; compiled: Compiled } | null> {
  const { caller, project, namespace } = scope;
  const changes = await changesOf(deps, facts);
  const sources = configSources(deps, { caller, project, changes, ...(artifact === undefined ? {} : { artifact }) });
  const content = config ?? (await configContent(project, facts.sha, sources));
  if (content === null) return null;
  const predefined = await predefinedVariables(deps, facts);
  const ofJobs = caller.user === null ? [] : await userVariables(deps.db, caller.user.id);
  if (facts.source === 'trigger') ofJobs.push({ key: 'CI_PIPELINE_TRIGGERED', value: 'true', public: true });
  const stored = await storedVariables(deps, deps.db, project, namespace, { protectedRef: facts.refProtected });
  const input = variables.map(asVariable);
  const { source, ref, refType, sha } = facts;
  const compiled = await compile({
    ...content,
    context: { project: project.full_path, sha },
    sources,
    variables: variableValues(predefined, inEnvironment(stored, null), input),
    inputs,
    isChild: facts.source === 'parent_pipeline',
    limits: configLimits(deps),
    pipeline: {
      source,
      ref,
      refType,
      projectPath: project.full_path,
      predefined: [...predefined, ...ofJobs],
      stored,
      pipelineVariables: input,
      maxNeeds: (await planLimits(deps)).ci_needs_size_limit,
    },
  });
  return { path: content.path, compiled };
}

const asVariable = ({ key, value, variable_type, raw }: PipelineVariableInput): Variable => ({
  key,
  value,
  public: false,
  ...(variable_type === 'file' ? { file: true } : {}),
  ...(raw === 1 ? { raw: true } : {}),
});

/** Commits to compare for `rules:changes`. */
async function changesOf(deps: Deps, facts: PipelineFacts): Promise<PipelineChanges> {
  const { sha, beforeSha, mergeRequest, source } = facts;
  if (mergeRequest) return { sha, from: mergeRequest.targetSha ?? (await baseOf(deps, mergeRequest.row.id, sha)) };
  return { sha, from: source === 'push' ? beforeSha : null };
}

/** Merge base of a merge request, according to its version for the head. */
async function baseOf(deps: Deps, mergeRequestId: number, head: string): Promise<string | null> {
  const version = await deps.db
    .selectFrom('merge_request_diffs')
    .select('base_commit_sha')
    .where('merge_request_id', '=', mergeRequestId)
    .where('head_commit_sha', '=', head)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return version?.base_commit_sha ?? null;
}
