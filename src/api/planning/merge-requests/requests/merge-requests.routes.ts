import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../../http/conditional.ts';
import { route } from '../../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../../http/job-tokens.ts';
import { inProjectByUser } from '../../../api.access.ts';
import { createMergeRequestWithActions, updateMergeRequestWithActions } from '../../quick-actions/descriptions.ts';
import {
  MERGE_REQUEST_PATH,
  mergeRequestOf,
  mergeRequestReader,
  onMergeRequest,
  PATH,
  params,
} from '../lifecycle/merge-requests.access.ts';
import { destroyMergeRequest } from '../lifecycle/merge-requests.destroy.ts';
import { isUnchecked } from '../lifecycle/merge-status.ts';
import { refreshNow } from '../mergeability/refresh.ts';
import { presentMergeRequest } from '../views/merge-requests.detail-views.ts';
import { MergeRequest } from '../views/merge-requests.responses.ts';
import { CreateMergeRequest, UpdateMergeRequest } from './merge-requests.inputs.ts';

export const mergeRequestRoutes = [
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a merge request',
    description:
      'The project in the URL is the source project. Quick actions in the description are executed and removed from it.',
    access: inProjectByUser('create_merge_request_from'),
    input: CreateMergeRequest,
    success: { status: 201, schema: MergeRequest },
    errors: [400, 404, 409, 422],
    handler: async (c) => {
      const { row, scope } = await createMergeRequestWithActions(c.deps, c, c.input);
      return presentMergeRequest(c.deps, scope, row);
    },
  }),
  route({
    method: 'GET',
    path: MERGE_REQUEST_PATH,
    summary: 'Get a merge request',
    credentials: API_AND_JOB_TOKENS,
    access: mergeRequestReader,
    params,
    input: Type.Object({
      render_html: Type.Optional(Type.Boolean({ description: 'Add the title and the description as HTML.' })),
      include_diverged_commits_count: Type.Optional(Type.Boolean()),
      include_rebase_in_progress: Type.Optional(Type.Boolean()),
    }),
    success: { status: 200, schema: MergeRequest },
    errors: [404],
    handler: async (c) => {
      const mergeRequest = await mergeRequestOf(c);
      // A single merge request is refreshed first, so that its merge status is up to date.
      const row = isUnchecked(mergeRequest) ? await refreshNow(c.deps, mergeRequest.id) : mergeRequest;
      return presentMergeRequest(c.deps, c, row, {
        renderHtml: c.input.render_html === true,
        divergedCommits: c.input.include_diverged_commits_count === true,
        rebaseInProgress: c.input.include_rebase_in_progress === true,
      });
    },
  }),
  route({
    method: 'PUT',
    path: MERGE_REQUEST_PATH,
    summary: 'Update a merge request',
    description: 'Quick actions in the description are executed and removed from it.',
    access: onMergeRequest('update_merge_request'),
    input: UpdateMergeRequest,
    rules: { atLeastOne: [Object.keys(UpdateMergeRequest.properties)] },
    success: { status: 200, schema: MergeRequest },
    errors: [400, 404, 409, 422],
    handler: async (c) =>
      presentMergeRequest(c.deps, c, await updateMergeRequestWithActions(c.deps, c, c.row, c.input)),
  }),
  route({
    method: 'DELETE',
    path: MERGE_REQUEST_PATH,
    summary: 'Delete a merge request',
    access: onMergeRequest('destroy_merge_request'),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async (c) => {
      checkUnmodifiedSince(c.request, c.row.updated_at);
      await destroyMergeRequest(c.deps, c.caller, c.row);
    },
  }),
];
