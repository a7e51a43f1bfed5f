import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { route } from '../../../http/http.route.ts';
import { Enum, Nullable, pagination } from '../../../http/http.schema.ts';
import { inProject, inProjectByUser, requireProjectAbility } from '../../api.access.ts';
import { usersById } from '../../identity/index.ts';
import { CommitSha, findCommit } from '../commits/commits.find.ts';
import { projectUrl } from '../commits/commits.views.ts';
import { commitStatuses } from './commit-statuses.queries.ts';
import { CommitStatus } from './commit-statuses.responses.ts';
import { REPORTED_STATES } from './commit-statuses.state.ts';
import { presentStatus } from './commit-statuses.views.ts';
import { reportStatus } from './commit-statuses.writes.ts';

export const commitStatusRoutes = [
  route({
    method: 'GET',
    path: '/projects/:id/repository/commits/:sha/statuses',
    summary: 'List the statuses of a commit',
    description: 'Jobs and external statuses. Jobs are listed for callers who may see pipelines.',
    access: inProject('read_commit_status'),
    params: Type.Object(CommitSha),
    input: Type.Object({
      ref: Type.Optional(Type.String({ description: 'Only statuses of this branch or tag.' })),
      stage: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      pipeline_id: Type.Optional(Type.Integer()),
      all: Type.Optional(Type.Boolean({ default: false, description: 'Include replaced statuses.' })),
      order_by: Type.Optional(Enum(['id', 'pipeline_id'], { default: 'id' })),
      sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
      ...pagination,
    }),
    success: { status: 200, schema: Type.Array(CommitStatus) },
    errors: [400, 404],
    handler: async (c) => {
      const { deps, project, permissions, input } = c;
      requireProjectAbility(permissions, 'read_code', c.caller);
      const { commit } = await findCommit(deps, project, c.params.sha);
      const filters = {
        ref: input.ref,
        stage: input.stage,
        name: input.name,
        pipelineId: input.pipeline_id,
        all: input.all === true,
        jobs: permissions.can('read_pipeline'),
        orderBy: input.order_by ?? 'id',
        sort: input.sort ?? 'asc',
      };
      return c.page(commitStatuses(deps.db, project.id, commit.oid, filters), async (rows) => {
        const authors = await usersById(deps.db, pluck(rows, 'user_id'));
        const webUrl = projectUrl(deps, project);
        return rows.map((row) => presentStatus(deps, row, authors.get(row.user_id)!, webUrl));
      });
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/statuses/:sha',
    summary: 'Set the status of a commit',
    access: inProjectByUser('create_commit_status'),
    params: Type.Object(CommitSha),
    input: Type.Object({
      state: Enum(REPORTED_STATES),
      ref: Type.Optional(Type.String({ description: 'Branch or tag; found through the commit when absent.' })),
      name: Type.Optional(
        Type.String({ description: 'Name that distinguishes this status from others; `default` when absent.' }),
      ),
      context: Type.Optional(Type.String({ description: 'Same as `name`.' })),
      target_url: Type.Optional(Nullable(Type.String({ description: 'URL with details; http or https.' }))),
      description: Type.Optional(Nullable(Type.String())),
      coverage: Type.Optional(Nullable(Type.Number({ description: 'Code coverage in percent.' }))),
      pipeline_id: Type.Optional(Type.Integer({ description: 'Pipeline of the commit to add the status to.' })),
    }),
    success: { status: 201, schema: CommitStatus },
    errors: [400, 403, 404, 422],
    handler: async ({ deps, project, permissions, caller, params, input }) => {
      requireProjectAbility(permissions, 'read_code', caller);
      const { repo, commit } = await findCommit(deps, project, params.sha);
      const report = {
        sha: commit.oid,
        state: input.state,
        ref: input.ref || undefined,
        name: input.name || input.context || 'default',
        targetUrl: input.target_url === '' ? null : input.target_url,
        description: input.description === '' ? null : input.description,
        coverage: input.coverage,
        pipelineId: input.pipeline_id,
      };
      const status = await reportStatus(deps, { project, repo, permissions, caller, report });
      return presentStatus(deps, status, caller.user, projectUrl(deps, project));
    },
  }),
];
