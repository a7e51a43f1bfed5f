import { Type } from 'typebox';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { badRequest, forbidden, notFound } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { Enum, Filled, Instant, pagination } from '../../../http/http.schema.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitFiles } from '../../../repositories/commit-files.ts';
import { inProject, type ProjectScope, pusher } from '../../api.access.ts';
import { CommitAction, readActions } from './actions.ts';
import { commitDetail } from './commits.detail-views.ts';
import { findCommitId } from './commits.find.ts';
import { commitPage } from './commits.list.ts';
import { CommitDetail, CommitListEntry } from './commits.responses.ts';

const readable = inProject('read_code', { anonymous: true });

export const commitsRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits',
    summary: 'List commits',
    access: readable,
    cacheable: [],
    input: Type.Object({
      ref_name: Type.Optional(
        Type.String({ description: 'Branch, tag or revision range; the default branch when absent.' }),
      ),
      since: Type.Optional(Instant({ description: 'Only commits after or at this time.' })),
      until: Type.Optional(Instant({ description: 'Only commits before or at this time.' })),
      path: Type.Optional(Type.String({ description: 'Only commits that changed this path.' })),
      author: Type.Optional(
        Type.String({
          description: 'Basic regular expression for name and email of the author, case-insensitive.',
        }),
      ),
      all: Type.Optional(Type.Boolean({ description: 'All branches and tags; `ref_name` is ignored.' })),
      with_stats: Type.Optional(Type.Boolean({ description: 'Include the number of changed lines.' })),
      first_parent: Type.Optional(Type.Boolean({ description: 'Follow only the first parent of merge commits.' })),
      order: Type.Optional(Enum(['default', 'topo'], { default: 'default' })),
      trailers: Type.Optional(Type.Boolean({ description: 'Parse and include Git trailers.' })),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(CommitListEntry) },
    errors: [400, 404],
    handler: async (c) => {
      const { deps, project, input } = c;
      const filters = {
        refName: input.ref_name,
        all: input.all,
        path: input.path,
        author: input.author,
        since: input.since,
        until: input.until,
        firstParent: input.first_parent,
        order: input.order,
        trailers: input.trailers,
        withStats: input.with_stats,
      };
      return c.page((page) => commitPage(deps, project, repositoryOf(deps, project), filters, page));
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/repository/commits',
    summary: 'Create a commit with several actions on files',
    access: pusher,
    bodyLimit: 'file',
    input: Type.Object({
      branch: Filled({
        description: 'Branch to commit to. With `start_branch` or `start_sha` it may be a new branch.',
      }),
      commit_message: Filled(),
      actions: Type.Array(CommitAction, { maxItems: 10_000 }),
      start_branch: Type.Optional(Type.String({ description: 'Branch to start the new branch from.' })),
      start_sha: Type.Optional(Type.String({ description: 'Commit to start the new branch from.' })),
      start_project: Type.Optional(
        Type.String({ description: 'Id or path of the project to start from; this project when absent.' }),
      ),
      author_email: Type.Optional(Type.String()),
      author_name: Type.Optional(Type.String()),
      stats: Type.Optional(Type.Boolean({ default: true, description: 'Include the number of changed lines.' })),
      force: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Overwrite the branch, starting from `start_branch` or `start_sha`.',
        }),
      ),
      allow_empty: Type.Optional(Type.Boolean({ default: false, description: 'Allow a commit without changes.' })),
    }),
    rules: { mutuallyExclusive: [['start_branch', 'start_sha']] },
    success: { status: 201, schema: CommitDetail },
    errors: [400, 413],
    handler: async (c) => {
      const { input, project, deps } = c;
      if (input.actions.length === 0 && !input.allow_empty) {
        throw badRequest('Provide at least one action, or set allow_empty to true');
      }
      const oid = await commitFiles(deps, {
        project,
        actor: c.actor,
        branch: input.branch,
        message: input.commit_message,
        actions: await readActions(input.actions),
        authorName: input.author_name,
        authorEmail: input.author_email,
        startBranch: input.start_branch || undefined,
        startSha: input.start_sha || undefined,
        startProject: input.start_project ? await findStartProject(c, input.start_project) : undefined,
        force: input.force,
        allowEmpty: input.allow_empty,
        notAllowed: 403,
      });
      return commitDetail(deps, c, repositoryOf(deps, project), oid, input.stats !== false, true);
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha',
    summary: 'Get a commit',
    credentials: API_AND_JOB_TOKENS,
    access: readable,
    cacheable: [],
    params: Type.Object({ sha: Type.String({ description: 'Commit, branch or tag.' }) }),
    input: Type.Object({
      stats: Type.Optional(Type.Boolean({ default: true, description: 'Include the number of changed lines.' })),
    }),
    success: { status: 200, schema: CommitDetail },
    errors: [404],
    handler: async (c) => {
      const { deps, project, params, input } = c;
      const { repo, oid } = await findCommitId(deps, project, params.sha);
      return commitDetail(deps, c, repo, oid, input.stats !== false);
    },
  }),
];

/**
 * Returns the project to start a commit from: one in the same fork network that the caller may read.
 * @throws ApiError 404 if it is hidden, 403 if it is not in the fork network
 */
async function findStartProject(c: BaseContext & ProjectScope, idOrPath: string): Promise<Project> {
  const project = await findProject(c.deps, idOrPath);
  if (project === undefined) throw notFound('Project');
  const rights = await projectPermissions(c.deps, c.caller, project.project, project.namespace);
  if (!rights.can('read_project') || !rights.can('read_code')) throw notFound('Project');
  if (project.project.fork_root_id !== c.project.fork_root_id) {
    throw forbidden(`Project is not included in the fork network for ${c.project.full_path}`);
  }
  return project.project;
}
