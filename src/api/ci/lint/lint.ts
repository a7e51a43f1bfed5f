import type { Standing } from '../../../access/standing.ts';
import { compile } from '../../../ci/compile.ts';
import type { Compiled, StoredVariable } from '../../../ci/compile-request.ts';
import { variableValues } from '../../../ci/variables/variable.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import { type ConfigContent, configContent } from '../../../pipelines/config-content.ts';
import { configSources } from '../../../pipelines/config-sources.ts';
import { type PipelineRef, resolvePipelineRef } from '../../../pipelines/ref.ts';
import { isProtectedRef, mayRunOn } from '../../../pipelines/run-rights.ts';
import { predefinedVariables } from '../../../pipelines/variables/pipeline-variables.ts';
import { storedVariables } from '../../../pipelines/variables/stored.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { refusedResult } from './views.ts';

/** What is looked at: a text, or the file of the project at a commit (null: there is none). */
export type Linted = { content: string } | { fileAt: string | null };

/** What came of it, and the variables that it could speak of. */
export interface LintOutcome {
  compiled: Compiled;
  stored: readonly StoredVariable[];
}

/** Where a configuration is looked at: the ref whose variables count, and the commit whose files it includes. */
export type LintRef = Pick<PipelineRef, 'kind' | 'name'> & { sha: string | null };

const NO_SHA = '0'.repeat(40);
const NO_CONTENT = 'Please provide content of .gitlab-ci.yml';

/** Looks at a configuration alone, whatever pipelines come of it. */
export function lintConfig(deps: Deps, standing: Standing, linted: Linted, ref: LintRef): Promise<LintOutcome> {
  return compileAt(deps, standing, linted, ref, false);
}

/**
 * Simulates the pipeline of a push to a ref.
 * @param ref a branch or tag, the default branch when absent
 */
export async function lintPipeline(
  deps: Deps,
  standing: Standing,
  linted: Linted,
  ref: string | undefined,
): Promise<LintOutcome> {
  const refused = (error: string): LintOutcome => ({ compiled: refusedResult(error), stored: [] });
  const { caller, project, permissions } = standing;
  if (permissions.can('read_code') && !permissions.featureOpen('builds')) return refused('Pipelines are disabled!');
  if (caller.user === null || !permissions.can('create_pipeline')) {
    return refused('Insufficient permissions to create a new pipeline');
  }
  const repo = repositoryOf(deps, project);
  const name = ref ?? (await repo.refs.head());
  const found = name === null ? { text: 'Reference not found' } : await resolvePipelineRef(repo, name);
  if ('text' in found) return refused(found.text);
  if (!(await mayRunOn(deps, standing, found.kind, found.name))) {
    return refused(
      `You do not have sufficient permission to run a pipeline on '${found.name}'. Please select a different branch or contact your administrator for assistance.`,
    );
  }
  return compileAt(deps, standing, linted, found, true);
}

async function compileAt(
  deps: Deps,
  standing: Standing,
  linted: Linted,
  { kind, name, sha }: LintRef,
  isPipeline: boolean,
): Promise<LintOutcome> {
  const { caller, project, namespace } = standing;
  const sources = configSources(deps, {
    caller,
    project,
    changes: sha === null ? null : { sha, from: null },
  });
  const file = await contentOf(linted, standing, sources);
  if (file === null) return { compiled: refusedResult(NO_CONTENT), stored: [] };
  const protectedRef = await isProtectedRef(deps, project.id, kind, name);
  const stored = await variablesFor(deps, standing, { kind, name, protectedRef });
  const predefined = await predefinedVariables(deps, {
    project,
    namespace,
    source: 'push',
    refType: kind,
    ref: name,
    sha: sha ?? NO_SHA,
    beforeSha: null,
    refProtected: protectedRef,
    createdAt: timestamp(deps.clock),
  });
  const everywhere = stored.filter(({ environmentScope }) => environmentScope === '*');
  const compiled = await compile({
    ...file,
    context: { project: project.full_path, sha },
    sources,
    variables: variableValues(predefined, everywhere),
    inputs: {},
    isChild: false,
    pipeline: isPipeline
      ? { source: 'push', ref: name, refType: kind, projectPath: project.full_path, predefined, stored, given: [] }
      : null,
  });
  return { compiled, stored };
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
  { kind, name, protectedRef }: { kind: PipelineRef['kind']; name: string; protectedRef: boolean },
): Promise<StoredVariable[]> {
  const { caller, project, namespace, permissions } = standing;
  if (caller.user === null || !permissions.can('create_pipeline')) return [];
  const mayRun = protectedRef && (await mayRunOn(deps, standing, kind, name));
  return await storedVariables(deps.db, project, namespace, { protectedRef: mayRun });
}
