import { Type } from 'typebox';
import { unauthorized } from '../../../../core/core.errors.ts';
import { route } from '../../../../http/http.route.ts';
import { canMergeInto } from '../../../../repositories/repository.protections.ts';
import { inProject } from '../../../api.access.ts';
import { onMergeRequest } from '../lifecycle/merge-requests.access.ts';
import { findMergeRequest } from '../lifecycle/merge-requests.find.ts';
import { presentMergeRequest } from '../views/merge-requests.detail-views.ts';
import { MergeRequest } from '../views/merge-requests.responses.ts';
import { updateMergeRef } from './merge-ref.ts';
import { requestRebase, sourceActor } from './merging.rebase.ts';
import { acceptMergeRequest, cancelAutomaticMerge } from './merging.writes.ts';

const PATH = '/projects/:id/merge_requests/:merge_request_iid';
const Iid = Type.Object({
  merge_request_iid: Type.Integer({ description: 'Number of the merge request within the project.' }),
});
/** Callers who may see the project get 401 instead of 404 if they may not merge. */
const sees = 'read_project';
const merger = onMergeRequest('merge_merge_request', {
  sees,
  refusal: () => unauthorized(),
  further: (deps, scope) => canMergeInto(deps, scope, scope.project.id, scope.row.target_branch),
});
const canceller = onMergeRequest('cancel_automatic_merge', {
  sees,
  refusal: () => unauthorized(),
  further: async (deps, scope) =>
    scope.row.author_id === scope.caller.user.id ||
    canMergeInto(deps, scope, scope.project.id, scope.row.target_branch),
});
const rebaser = onMergeRequest('rebase_merge_request', {
  sees,
  further: async (deps, { caller, row }) => (await sourceActor(deps, caller, row)) !== undefined,
});

export const mergingRoutes = [
  route({
    method: 'PUT',
    path: `${PATH}/merge`,
    summary: 'Merge a merge request',
    access: merger,
    input: Type.Object({
      merge_commit_message: Type.Optional(Type.String({ description: 'Message of the merge commit.' })),
      squash_commit_message: Type.Optional(Type.String({ description: 'Message of the squash commit.' })),
      should_remove_source_branch: Type.Optional(Type.Boolean({ description: 'Remove the source branch.' })),
      merge_when_pipeline_succeeds: Type.Optional(Type.Boolean({ description: 'Old name of `auto_merge`.' })),
      auto_merge: Type.Optional(Type.Boolean({ description: 'Merge automatically when all checks have passed.' })),
      sha: Type.Optional(
        Type.String({ description: 'Expected head of the source branch; the request fails if the head differs.' }),
      ),
      squash: Type.Optional(Type.Boolean({ description: 'Squash all commits into one.' })),
      skip_merge_train: Type.Optional(Type.Boolean()),
    }),
    success: { status: 200, schema: MergeRequest },
    errors: [401, 404, 405, 409, 422],
    handler: async (c) => {
      const { row } = c;
      const { merge_when_pipeline_succeeds, auto_merge, skip_merge_train: _, ...options } = c.input;
      const auto = auto_merge === true || merge_when_pipeline_succeeds === true;
      await acceptMergeRequest(c.deps, c, row, { ...options, auto });
      return presentMergeRequest(c.deps, c, await findMergeRequest(c.deps.db, c, row.iid));
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/cancel_merge_when_pipeline_succeeds`,
    operationId: 'cancelProjectMergeRequestAutoMerge',
    summary: 'Cancel an automatic merge',
    access: canceller,
    success: { status: 201, schema: Type.Object({ status: Type.String() }) },
    errors: [401, 404, 405, 406],
    handler: async (c) => {
      await cancelAutomaticMerge(c.deps, c.caller, c.row);
      return { status: 'success' };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/rebase`,
    summary: 'Rebase the source branch onto the target branch',
    description:
      'The rebase runs in the background; `rebase_in_progress` and `merge_error` of the merge request show its state.',
    access: rebaser,
    input: Type.Object({
      skip_ci: Type.Optional(
        Type.Boolean({ default: false, description: 'Do not create a pipeline for the new head.' }),
      ),
    }),
    success: { status: 202, schema: Type.Object({ rebase_in_progress: Type.Boolean() }) },
    errors: [403, 404, 405, 409],
    handler: async (c) => {
      await requestRebase(c.deps, c.caller, c.row, c.input.skip_ci === true);
      return { rebase_in_progress: true };
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/merge_ref`,
    summary: 'Create a merge commit of the head and the target branch on a separate ref',
    description: 'Updates `refs/merge-requests/:iid/merge` only.',
    access: inProject('read_project', { anonymous: true }),
    params: Iid,
    success: { status: 200, schema: Type.Object({ commit_id: Type.String() }) },
    errors: [400, 404],
    handler: async (c) => {
      const row = await findMergeRequest(c.deps.db, c, c.params.merge_request_iid);
      return { commit_id: await updateMergeRef(c.deps, c.project, row) };
    },
  }),
];
