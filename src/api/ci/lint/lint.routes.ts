import type { CallerInProject } from '../../../access/caller-in-project.ts';
import type { Compiled } from '../../../ci/compile-request.ts';
import { ApiError, notFound, unauthorized } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { type Revision, resolveRevision } from '../../../git/repository/index.ts';
import { type Access, type BaseContext, route } from '../../../http/http.route.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { inProject, inProjectByUser, type ProjectScope } from '../../api.access.ts';
import { lintContent, lintOfProject } from './lint.inputs.ts';
import { LintResult } from './lint.responses.ts';
import { lintConfig, lintPipeline } from './lint.ts';
import { presentLint, responseSize } from './lint.views.ts';

const PATH = '/projects/:id/ci/lint';
const success = { status: 200, schema: LintResult } as const;

const readable = inProject('read_code', { anonymous: true });

/** Callers who may read the code; 401 for anonymous callers who may not. */
const reader: Access<ProjectScope> = {
  ...readable,
  check: async (request) => {
    try {
      return await readable.check(request);
    } catch (error) {
      const stranger = request.caller.credential.kind === 'none';
      if (stranger && error instanceof ApiError && error.status === 404) throw unauthorized();
      throw error;
    }
  },
};

/** Size in characters up to which a response takes no share of memory, and bytes per character while it is sent. */
const SMALL = 500_000;
const BYTES = 4;

/** Sends the response once memory is available. @throws ApiError 429, 503 if too many requests wait */
async function answer(
  c: Pick<BaseContext, 'hold'>,
  compiled: Compiled,
  options: { includeJobs: boolean; dryRun: boolean },
) {
  const size = responseSize(compiled, options);
  if (size > SMALL) await c.hold(size * BYTES);
  return presentLint(compiled, options);
}

/**
 * Returns the requested revision, or the head of the default branch; null in an empty repository.
 * @throws ApiError 404 if the commit does not exist
 */
async function revisionOf(
  deps: Deps,
  { project }: CallerInProject,
  name: string | undefined,
): Promise<Revision | null> {
  const revision = await resolveRevision(repositoryOf(deps, project), name ?? 'HEAD');
  if (revision === null && name !== undefined) throw notFound('Commit');
  return revision;
}

/** Routes for linting CI configurations (part 1, section 4.6). */
export const lintRoutes = [
  route({
    method: 'GET',
    path: PATH,
    operationId: 'lintProjectConfiguration',
    summary: 'Check the CI configuration of a project',
    description:
      'An invalid configuration is a successful response with `valid` set to false. Variables of the project apply for callers who may start a pipeline.',
    access: reader,
    input: lintOfProject,
    rules: {
      mutuallyExclusive: [
        ['sha', 'content_ref'],
        ['ref', 'dry_run_ref'],
      ],
    },
    success,
    expensive: true,
    handler: async (c) => {
      const { deps, caller, project, namespace, permissions, input } = c;
      const scope = { caller, project, namespace, permissions };
      const { dry_run: dryRun = false, include_jobs: includeJobs = false } = input;
      const linted = { at: await revisionOf(deps, scope, input.content_ref ?? input.sha) };
      if (linted.at === null) throw notFound('Repository');
      const compiled = dryRun
        ? await lintPipeline(deps, scope, linted, input.dry_run_ref ?? input.ref)
        : await lintConfig(deps, scope, linted);
      return await answer(c, compiled, { includeJobs, dryRun });
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    operationId: 'lintConfigurationInProject',
    summary: 'Check a CI configuration in the context of a project',
    description:
      'An invalid configuration is a successful response with `valid` set to false. Local includes are read from the project.',
    access: inProjectByUser('create_pipeline'),
    input: lintContent,
    success,
    expensive: true,
    handler: async (c) => {
      const { deps, caller, project, namespace, permissions, input } = c;
      const scope = { caller, project, namespace, permissions };
      const { content, dry_run: dryRun = false, include_jobs: includeJobs = false } = input;
      const linted = { content, at: await revisionOf(deps, scope, undefined) };
      const compiled = dryRun
        ? await lintPipeline(deps, scope, linted, input.ref)
        : await lintConfig(deps, scope, linted);
      return await answer(c, compiled, { includeJobs, dryRun });
    },
  }),
];
