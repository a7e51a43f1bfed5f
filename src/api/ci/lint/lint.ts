import type { CallerInProject } from '../../../access/caller-in-project.ts';
import { compile } from '../../../ci/compile.ts';
import type { Compiled, StoredVariable } from '../../../ci/compile-request.ts';
import { inEnvironment } from '../../../ci/variables/environment-scope.ts';
import { variableValues } from '../../../ci/variables/variable.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { refWith } from '../../../git/history/index.ts';
import type { Revision } from '../../../git/repository/index.ts';
import { compileFor } from '../../../pipelines/creation/compile-for.ts';
import { type ConfigContent, configContent } from '../../../pipelines/creation/config-content.ts';
import { configLimits } from '../../../pipelines/creation/config-limits.ts';
import { checkSize, TooManyJobs } from '../../../pipelines/creation/job-limits.ts';
import { type PipelineRef, resolvePipelineRef } from '../../../pipelines/creation/ref.ts';
import { isProtectedRef, mayRunOn } from '../../../pipelines/pipelines.run-rights.ts';
import { configSources } from '../../../pipelines/sources/config-sources.ts';
import type { PipelineFacts } from '../../../pipelines/variables/pipeline-variables.facts.ts';
import { storedVariables } from '../../../pipelines/variables/pipeline-variables.stored.ts';
import { predefinedVariables } from '../../../pipelines/variables/pipeline-variables.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { refusedResult } from './lint.views.ts';

type Ref = Pick<PipelineRef, 'kind' | 'name'>;

/** The configuration to lint and its context. */
export interface LintRequest {
  /** Configuration that replaces the file of the project. */
  content?: string;
  /** Commit to read files from and the requested ref; null in an empty repository. */
  at: Revision | null;
}

const BRANCH_OR_TAG = /^refs\/(heads|tags)\/(.+)$/s;
const NO_SHA = '0'.repeat(40);
const NO_CONTENT = 'Please provide content of .gitlab-ci.yml';
const DETACHED =
  'Could not validate configuration. The configuration originates from an external project or a commit not associated with a Git reference (a detached commit)';

/** Lints a configuration without simulating a pipeline. */
export async function lintConfig(deps: Deps, scope: CallerInProject, request: LintRequest): Promise<Compiled> {
  const { caller, project } = scope;
  const sources = configSources(deps, { caller, project, changes: null });
  const source = await find(deps, scope, request, sources);
  if ('refusal' in source) return refusedResult(source.refusal);
  const { file, ref } = source;
  const sha = request.at?.oid ?? null;
  const facts = await factsOf(deps, scope, ref, sha);
  const predefined = await predefinedVariables(deps, facts);
  const stored = await variablesFor(deps, scope, facts);
  return await compile({
    ...file,
    context: { project: project.full_path, sha },
    sources,
    variables: variableValues(predefined, inEnvironment(stored, null)),
    inputs: {},
    isChild: false,
    limits: configLimits(deps),
    pipeline: null,
  });
}

/**
 * Simulates the pipeline of a push to a ref.
 * @param name branch or tag; the default branch when absent
 */
export async function lintPipeline(
  deps: Deps,
  scope: CallerInProject,
  request: LintRequest,
  name: string | undefined,
): Promise<Compiled> {
  const { caller, project, permissions } = scope;
  if (!permissions.featureOpen('builds')) return refusedResult('Pipelines are disabled!');
  if (caller.user === null || !permissions.can('create_pipeline')) {
    return refusedResult('Insufficient permissions to create a new pipeline');
  }
  const repo = repositoryOf(deps, project);
  const refName = name ?? (await repo.refs.head());
  const ref = refName === null ? { text: 'Reference not found' } : await resolvePipelineRef(repo, refName);
  if ('text' in ref) return refusedResult(ref.text);
  if (!(await mayRunOn(deps, scope, ref.kind, ref.name))) {
    return refusedResult(
      `You do not have sufficient permission to run a pipeline on '${ref.name}'. Please select a different branch or contact your administrator for assistance.`,
    );
  }
  const source = await find(deps, scope, request, configSources(deps, { caller, project, changes: null }));
  if ('refusal' in source) return refusedResult(source.refusal);
  const facts = await factsOf(deps, scope, ref, ref.sha);
  const made = await compileFor(deps, { standing: scope, facts, config: source.file });
  if (made === null) return refusedResult(NO_CONTENT);
  const error = await sizeError(deps, made.compiled);
  return error === null ? made.compiled : { ...made.compiled, errors: [error] };
}

/** Returns the error for a pipeline with too many jobs; null if its size is allowed. */
async function sizeError(deps: Deps, { errors, evaluated }: Compiled): Promise<string | null> {
  if (errors.length > 0 || evaluated?.seed == null) return null;
  try {
    await checkSize(deps, evaluated.seed.jobs.length);
    return null;
  } catch (error) {
    if (error instanceof TooManyJobs) return error.message;
    throw error;
  }
}

async function factsOf(
  deps: Deps,
  { project, namespace }: CallerInProject,
  { kind, name }: Ref,
  sha: string | null,
): Promise<PipelineFacts> {
  return {
    project,
    namespace,
    source: 'push',
    refType: kind,
    ref: name,
    sha: sha ?? NO_SHA,
    beforeSha: null,
    refProtected: await isProtectedRef(deps, project.id, kind, name),
    createdAt: timestamp(deps.clock),
  };
}

/**
 * Returns the configuration to lint. Configurations from other projects are refused: with an include they could send
 * stored secrets anywhere.
 */
async function find(
  deps: Deps,
  { project }: CallerInProject,
  { content, at }: LintRequest,
  sources: ReturnType<typeof configSources>,
): Promise<{ file: ConfigContent; ref: Ref } | { refusal: string }> {
  const text = content === undefined ? null : { content, path: '.gitlab-ci.yml' };
  const file = text ?? (at && (await configContent(project, at.oid, sources)));
  if (file === null) return { refusal: NO_CONTENT };
  const ref = await refOf(deps, project, at);
  return ref === null ? { refusal: DETACHED } : { file, ref };
}

/**
 * Returns the ref whose variables apply: the requested one, else one that contains the commit; null if there is none.
 */
async function refOf(deps: Deps, project: Project, at: Revision | null): Promise<Ref | null> {
  const repo = repositoryOf(deps, project);
  if (at === null) return { kind: 'branch', name: (await repo.refs.head()) ?? 'main' };
  const full = at.ref !== null && BRANCH_OR_TAG.test(at.ref) ? at.ref : await refWith(repo, at.oid);
  const [, folder, name] = BRANCH_OR_TAG.exec(full ?? '') ?? [];
  return name === undefined ? null : { kind: folder === 'tags' ? 'tag' : 'branch', name };
}

/** Loads stored variables only for callers who could run a pipeline with them: an include can send values anywhere. */
async function variablesFor(
  deps: Deps,
  scope: CallerInProject,
  { refType, ref, refProtected }: PipelineFacts,
): Promise<StoredVariable[]> {
  const { caller, project, namespace, permissions } = scope;
  if (caller.user === null || !permissions.can('create_pipeline')) return [];
  const protectedRef = refProtected && (await mayRunOn(deps, scope, refType === 'tag' ? 'tag' : 'branch', ref));
  return await storedVariables(deps, deps.db, project, namespace, { protectedRef });
}
