import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { MergeRequest as Row } from '../../../../db/tables/merge-requests.table.ts';
import type { IssuableKind } from '../../issuables/issuables.kind.ts';
import { MERGE_REQUEST_LOOKUP } from '../lifecycle/merge-requests.access.ts';
import { presentMergeRequest } from './merge-requests.detail-views.ts';
import { MergeRequest } from './merge-requests.responses.ts';

/** Merge requests in the endpoints shared with issues. */
export const MERGE_REQUEST_KIND: IssuableKind<Row> = {
  ...MERGE_REQUEST_LOOKUP,
  table: 'merge_requests',
  manage: 'admin_merge_request',
  follow: 'follow_merge_request',
  schema: MergeRequest,
  present: (deps, scope, row) => presentMergeRequest(deps, scope, row),
  recordUpdate: async (deps, db, { id, project_id }, changes, actorId) => {
    const row = await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const payload = { merge_request_id: id, project_id, merge_request: mergeRequestFacts(row), changes };
    await deps.events.record(db, 'merge_request.updated', payload, { projectId: project_id, actorId });
  },
};
