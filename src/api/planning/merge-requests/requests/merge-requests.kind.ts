import type { ProjectAbility } from '../../../../access/access.abilities.ts';
import { mergeRequestFacts } from '../../../../core/event-facts.ts';
import type { MergeRequest as Row } from '../../../../db/tables/merge-requests.table.ts';
import { type IssuableOptions, onIssuable } from '../../issuables/issuables.access.ts';
import type { IssuableKind } from '../../issuables/issuables.kind.ts';
import { presentMergeRequest } from './merge-requests.detail-views.ts';
import { findMergeRequest } from './merge-requests.find.ts';
import { MergeRequest } from './merge-requests.responses.ts';

/** Merge requests in the endpoints shared with issues. */
export const MERGE_REQUEST_KIND: IssuableKind<Row> = {
  type: 'MergeRequest',
  table: 'merge_requests',
  param: 'merge_request_iid',
  noun: 'a merge request',
  read: 'read_merge_request',
  manage: 'admin_merge_request',
  follow: 'follow_merge_request',
  schema: MergeRequest,
  find: (deps, scope, iid) => findMergeRequest(deps.db, scope, iid),
  present: (deps, scope, row) => presentMergeRequest(deps, scope, row),
  recordUpdate: async (deps, db, { id, project_id }, changes, actorId) => {
    const row = await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const payload = { merge_request_id: id, project_id, merge_request: mergeRequestFacts(row), changes };
    await deps.events.record(db, 'merge_request.updated', payload, { projectId: project_id, actorId });
  },
};

/** Access for users with an ability on a merge request; the handler gets it as `row`. */
export const onMergeRequest = (ability: ProjectAbility, options: IssuableOptions<Row> = {}) =>
  onIssuable(MERGE_REQUEST_KIND, ability, options);
