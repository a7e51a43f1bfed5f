import type { Standing } from '../../../access/standing.ts';
import { compile } from '../../../ci/compile.ts';
import type { Compiled, StoredVariable } from '../../../ci/compile-request.ts';
import { inEnvironment } from '../../../ci/variables/environment-scope.ts';
import { variableValues } from '../../../ci/variables/variable.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import { compileFor } from '../../../pipelines/creation/compile-for.ts';
import { type ConfigContent, configContent } from '../../../pipelines/creation/config-content.ts';
import { type PipelineRef, resolvePipelineRef } from '../../../pipelines/creation/ref.ts';
import { isProtectedRef, mayRunOn } from '../../../pipelines/run-rights.ts';
import { configSources } from '../../../pipelines/sources/config-sources.ts';
import type { PipelineFacts } from '../../../pipelines/variables/facts.ts';
import { predefinedVariables } from '../../../pipelines/variables/pipeline-variables.ts';
import { storedVariables } from '../../../pipelines/variables/stored.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { refusedResult } from './views.ts';

/** What is looked at: a text, or the file of the project at a commit (null: there is none). */
export type Linted = { content: string } | { fileAt: string | null };

/** Where a configuration is looked at: the ref whose variables count, and the commit whose files it includes. */
export type LintRef = Pick<PipelineRef, 'kind' | 'name'> & { sha: string | null };

const NO_SHA = '0'.repeat(40);
const NO_CONTENT = 'Please provide content of .gitlab-ci.yml';

/** Looks at a configuration alone, whatever pipelines come of it. */
export async function lintConfig(deps: Deps, standing: Standing, linted: Linted, ref: LintRef): Promise<Compiled> {
  const { caller, project } = standing;
  const sources = configSources(deps, { caller, project, changes: null });
  const file = await contentOf(linted, standing, sources);
  if (file === null) return refusedResult(NO_CONTENT);
  const facts = await factsOf(deps, standing, ref);
  const predefined = await predefinedVariables(deps, facts);
  const stored = await variablesFor(deps, standing, facts);
  return await compile({
    ...file,
    context: { project: project.full_path, sha: ref.sha },
    sources,
    variables: variableValues(predefined, inEnvironment(stored, null)),
    inputs: {},
    isChild: false,
    pipeline: null,
  });
}

/**
 * Simulates the pipeline of a push to a ref.
 * @param name of a branch or tag, the default branch when absent
 */
export async function lintPipeline(
  deps: Deps,
  standing: Standing,
  linted: Linted,
  name: string | undefined,
): Promise<Compiled> {
  const { caller, project, permissions } = standing;
  if (!permissions.featureOpen('builds')) return refusedResult('Pipelines are disabled!');
  if (caller.user === null || !permissions.can('create_pipeline')) {
    return refusedResult('Insufficient permissions to create a new pipeline');
  }
  const repo = repositoryOf(deps, project);
  const asked = name ?? (await repo.refs.head());
  const ref = asked === null ? { text: 'Reference not found' } : await resolvePipelineRef(repo, asked);
  if ('text' in ref) return refusedResult(ref.text);
  if (!(await mayRunOn(deps, standing, ref.kind, ref.name))) {
    return refusedResult(
      `You do not have sufficient permission to run a pipeline on '${ref.name}'. Please select a different branch or contact your administrator for assistance.`,
    );
  }
  const config = await contentOf(linted, standing, configSources(deps, { caller, project, changes: null }));
  if (config === null) return refusedResult(NO_CONTENT);
  const made = await compileFor(deps, { standing, facts: await factsOf(deps, standing, ref), config });
  return made?.compiled ?? refusedResult(NO_CONTENT);
}

async function factsOf(
  deps: Deps,
  { project, namespace }: Standing,
  { kind, name, sha }: LintRef,
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

async function contentOf(
  linted: Linted,
  { project }: Standing,
  sources: ReturnType<typeof configSources>,
): Promise<ConfigContent | null> {
  if ('content' in linted) return { content: linted.content, path: '.gitlab-ci.yml' };
  return linted.fileAt === null ? null : await configContent(project, linted.fileAt, sources);
}

/** Kept variables, for those alone whose pipelines could have them, too: an include can send a value anywhere. */
async function variablesFor(
  deps: Deps,
  standing: Standing,
  { refType, ref, refProtected }: PipelineFacts,
): Promise<StoredVariable[]> {
  const { caller, project, namespace, permissions } = standing;
  if (caller.user === null || !permissions.can('create_pipeline')) return [];
  const protectedRef = refProtected && (await mayRunOn(deps, standing, refType === 'tag' ? 'tag' : 'branch', ref));
  return await storedVariables(deps.db, project, namespace, { protectedRef });
}
