import { Type } from 'typebox';
import { route } from '../../http/route.ts';
import { inProjectByUser } from '../access.ts';
import { presentMergeRequest } from '../merge-requests/detail.ts';
import { findMergeRequest } from '../merge-requests/find.ts';
import { MergeRequest } from '../merge-requests/schema.ts';
import { acceptMergeRequest, cancelAutomaticMerge } from './service.ts';

const PATH = '/projects/:id/merge_requests/:merge_request_iid';
const Iid = Type.Object({
  merge_request_iid: Type.Integer({ description: 'Number of the merge request within the project.' }),
});
const member = inProjectByUser('read_project');

export const mergingRoutes = [
  route({
    method: 'PUT',
    path: `${PATH}/merge`,
    summary: 'Merge a merge request',
    access: member,
    params: Iid,
    input: Type.Object({
      merge_commit_message: Type.Optional(Type.String({ description: 'Message of the merge commit.' })),
      squash_commit_message: Type.Optional(Type.String({ description: 'Message of the squash commit.' })),
      should_remove_source_branch: Type.Optional(Type.Boolean({ description: 'Remove the source branch.' })),
      merge_when_pipeline_succeeds: Type.Optional(Type.Boolean({ description: 'Old name of `auto_merge`.' })),
      auto_merge: Type.Optional(Type.Boolean({ description: 'Merge as soon as everything that is open has passed.' })),
      sha: Type.Optional(Type.String({ description: 'Head of the source branch; refused when it is another one.' })),
      squash: Type.Optional(Type.Boolean({ description: 'Make one commit of all.' })),
      skip_merge_train: Type.Optional(Type.Boolean()),
    }),
    success: { status: 200, schema: MergeRequest },
    errors: [401, 404, 405, 409, 422],
    handler: async (c) => {
      const row = await findMergeRequest(c.deps.db, c, c.params.merge_request_iid);
      const { merge_when_pipeline_succeeds, auto_merge, skip_merge_train: _, ...options } = c.input;
      const auto = auto_merge === true || merge_when_pipeline_succeeds === true;
      await acceptMergeRequest(c.deps, c, row, { ...options, auto });
      return presentMergeRequest(c.deps, c, await findMergeRequest(c.deps.db, c, row.iid));
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/cancel_merge_when_pipeline_succeeds`,
    summary: 'Cancel an automatic merge',
    access: member,
    params: Iid,
    success: { status: 201, schema: Type.Object({ status: Type.String() }) },
    errors: [401, 404, 405, 406],
    handler: async (c) => {
      const row = await findMergeRequest(c.deps.db, c, c.params.merge_request_iid);
      await cancelAutomaticMerge(c.deps, c, row);
      return { status: 'success' };
    },
  }),
];
