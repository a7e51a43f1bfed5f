import type { CallerInProject } from '../../access/caller-in-project.ts';
import type { Compiled } from '../../ci/compile-request.ts';
import type { PipelineSeed } from '../../ci/job-seed.ts';
import type { PipelineSource } from '../../ci/pipeline-sources.ts';
import { retryDelayOf } from '../../core/retry-later.ts';
import { bit } from '../../db/columns.ts';
import type { Deps } from '../../deps.ts';
import { entryAt } from '../../git/trees/index.ts';
import { perMinute } from '../../settings/throttles.ts';
import { maySetVariables } from '../pipelines.run-rights.ts';
import { parentArtifacts } from '../sources/parent-artifacts.ts';
import { compileFor } from './compile-for.ts';
import { ownConfigPath } from './config-content.ts';
import { checkSize, TooManyJobs } from './job-limits.ts';
import type { Creation, PipelineRequest } from './pipeline-creation.request.ts';
import { type NewPipeline, saveEmptyPipeline, savePipeline } from './pipeline-creation.save.ts';
import { type Subject, subjectOf } from './pipeline-creation.subject.ts';
import { rememberFilter } from './workflow-filter.ts';

/** Sources for which an invalid configuration creates a failed pipeline, since no caller receives the errors. */
const KEEPS_ERRORS: readonly PipelineSource[] = [
  'push',
  'merge_request_event',
  'schedule',
  'trigger',
  'pipeline',
  'parent_pipeline',
];
/** Sources for which the commit message can skip the jobs. */
const SKIPPABLE: readonly PipelineSource[] = ['push', 'merge_request_event'];
const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;
/** Whether a commit message requests to skip the jobs. */
export const hasSkipDirective = (message: string): boolean => SKIP.test(message);
const MAX_INPUTS = 20;
const MAX_KEY = 255;
const MAX_DEPLOYMENTS = 500;

const refusal = (...texts: string[]): Creation => ({ pipeline: null, texts, filtered: false });

const TOO_OFTEN = 'Too many pipelines created in the last minute. Try again later.';

/**
 * Creates a pipeline: checks the user's rights, compiles the configuration for the ref and event, inserts pipeline and
 * jobs, and starts the jobs that can run.
 * @throws Busy if resources for compiling are lacking; then nothing was inserted
 */
export async function createPipeline(deps: Deps, request: PipelineRequest): Promise<Creation> {
  const subject = await subjectOf(deps, request);
  if ('text' in subject) return refusal(subject.text);
  if (isTooOften(deps, request, subject)) return refusal(TOO_OFTEN);
  const text = variablesRefusal(subject.standing, request);
  if (text !== null) return refusal(text);
  const made = newPipeline(request, subject);
  const skipped = await isSkipped(request, subject);
  // A merge request without jobs has no pipeline.
  if (skipped && request.source !== 'merge_request_event') return saveSkipped(deps, made);
  if (Object.keys(request.inputs ?? {}).length > MAX_INPUTS) {
    return refusal(`There cannot be more than ${MAX_INPUTS} inputs`);
  }
  const artifact = request.upstream?.child ? parentArtifacts(deps, request.upstream.pipelineId) : undefined;
  const compiled = await compileFor(deps, { ...request, ...subject, artifact }).catch((error: unknown) => {
    // The same request is retried.
    if (retryDelayOf(error) !== null) deps.limiter.takeBack('pipelines_create', limiterKey(request, subject));
    throw error;
  });
  if (compiled === null) return refusal('Missing CI config file');
  if (skipped && compiled.compiled.evaluated?.seed != null) return saveSkipped(deps, made);
  await rememberOwn(deps, subject, compiled);
  return entered(deps, request, made, compiled);
}

/** Caches the reason why the project's own configuration created no pipeline. */
async function rememberOwn(
  deps: Deps,
  { repo, facts: { project, sha } }: Subject,
  { path, compiled }: { path: string; compiled: Compiled },
): Promise<void> {
  if (compiled.evaluated?.reason !== 'filtered_by_workflow' || path !== ownConfigPath(project)) return;
  const entry = await entryAt(repo, sha, path);
  if (entry?.type === 'blob') rememberFilter(deps, entry.oid, compiled);
}

/**
 * Whether a user exceeds the rate limit for pipelines of one commit; downstream and scheduled pipelines are not
 * counted.
 */
function isTooOften({ limiter, settings }: Deps, request: PipelineRequest, subject: Subject): boolean {
  if (['schedule', 'pipeline', 'parent_pipeline'].includes(request.source)) return false;
  const limit = perMinute(settings.now.pipeline_limit_per_project_user_sha);
  return !limiter.allows('pipelines_create', limiterKey(request, subject), limit);
}

const limiterKey = ({ userId, projectId }: PipelineRequest, { facts }: Subject) =>
  `${projectId}:${userId}:${facts.sha}`;

async function entered(
  deps: Deps,
  { source }: PipelineRequest,
  made: NewPipeline,
  { path, compiled }: { path: string; compiled: Compiled },
): Promise<Creation> {
  const { evaluated } = compiled;
  const columns = { ...made.columns, config_path: path };
  if (evaluated?.seed == null) {
    const filtered = evaluated !== null && evaluated.reason !== 'invalid' && evaluated.reason !== null;
    const texts = compiled.errors.length > 0 ? compiled.errors : (evaluated?.errors ?? []);
    if (filtered || !KEEPS_ERRORS.includes(source)) return { pipeline: null, texts, filtered };
    return { pipeline: await saveFailed(deps, { ...made, columns }, 'config_error', texts), texts, filtered };
  }
  try {
    return await withJobs(deps, source, { ...made, columns }, evaluated.seed);
  } catch (error) {
    if (!(error instanceof TooManyJobs)) throw error;
    const texts = [error.message];
    return { pipeline: await saveFailed(deps, { ...made, columns }, error.reason, texts), texts, filtered: false };
  }
}

/** Inserts a pipeline with its jobs. @throws TooManyJobs */
async function withJobs(deps: Deps, source: PipelineSource, made: NewPipeline, seed: PipelineSeed): Promise<Creation> {
  await checkSize(deps, seed.jobs.length);
  const deployments = seed.jobs.filter(({ environment }) => environment?.action === 'start').length;
  if (deployments > MAX_DEPLOYMENTS) {
    const texts = [`Pipeline has too many deployments! Requested ${deployments}, but the limit is ${MAX_DEPLOYMENTS}.`];
    if (!KEEPS_ERRORS.includes(source)) return refusal(...texts);
    const failed = await saveFailed(deps, made, 'deployments_limit_exceeded', texts);
    return { pipeline: failed, texts, filtered: false };
  }
  return { pipeline: await savePipeline(deps, made, seed), texts: [], filtered: false };
}

const saveSkipped = async (deps: Deps, made: NewPipeline): Promise<Creation> => ({
  pipeline: await saveEmptyPipeline(deps, made, { status: 'skipped' }),
  texts: [],
  filtered: false,
});

const saveFailed = (deps: Deps, made: NewPipeline, failure_reason: string, texts: readonly string[]) =>
  saveEmptyPipeline(deps, made, { status: 'failed', failure_reason, yaml_errors: texts.join('\n') });

function variablesRefusal(scope: CallerInProject, { source, variables = [] }: PipelineRequest): string | null {
  if (variables.length === 0) return null;
  // Forwarded variables come from a configuration, which does not limit them.
  if (variables.some(({ key }) => key.length > MAX_KEY)) {
    return `Names of variables are too long (maximum is ${MAX_KEY} characters)`;
  }
  const ofServer = source === 'parent_pipeline' || source === 'schedule';
  if (!ofServer && !maySetVariables(scope)) return 'Insufficient permissions to set pipeline variables';
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { key } of variables) (seen.has(key) ? twice : seen).add(key);
  if (twice.size === 0) return null;
  return `Duplicate variable name${twice.size > 1 ? 's' : ''}: ${[...twice].join(', ')}`;
}

async function isSkipped({ source, skip }: PipelineRequest, { repo, facts }: Subject): Promise<boolean> {
  if (!SKIPPABLE.includes(source)) return false;
  if (skip) return true;
  return hasSkipDirective((await repo.objects.commit(facts.sha))?.message ?? '');
}

function newPipeline(request: PipelineRequest, { standing: scope, facts, ref }: Subject): NewPipeline {
  const { source, mergeRequest, upstream, schedule, triggerId, origin, variables = [] } = request;
  return {
    project: scope.project,
    userId: request.userId,
    variables,
    columns: {
      ref,
      source,
      sha: facts.sha,
      tag: bit(facts.refType === 'tag'),
      before_sha: facts.beforeSha,
      source_sha: mergeRequest?.sourceSha ?? null,
      target_sha: mergeRequest?.targetSha ?? null,
      merge_request_id: mergeRequest?.row.id ?? null,
      protected: bit(facts.refProtected),
      upstream_job_id: upstream?.jobId ?? null,
      upstream_pipeline_id: upstream?.pipelineId ?? null,
      parent_id: upstream?.child ? upstream.pipelineId : null,
      schedule_id: schedule?.id ?? null,
      trigger_id: triggerId ?? null,
      origin: origin ?? null,
    },
  };
}
