import { Type } from 'typebox';
import type { ProjectAbility } from '../../../../access/access.abilities.ts';
import { forbidden } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { inProject, inProjectByUser, type ProjectScope } from '../../../api.access.ts';
import { type IssuableOptions, onIssuable } from '../../issuables/issuables.access.ts';
import type { IssuableKind } from '../../issuables/issuables.kind.ts';
import { findMergeRequest } from './merge-requests.find.ts';

export const PATH = '/projects/:id/merge_requests';
export const MERGE_REQUEST_PATH = `${PATH}/:merge_request_iid`;

/** Access for callers who may read merge requests, including anonymous ones of public projects. */
export const mergeRequestReader = inProject('read_merge_request', { anonymous: true });
/** Access for signed-in users who may read merge requests. */
export const mergeRequestWriter = inProjectByUser('read_merge_request');

export const MergeRequestIid = {
  merge_request_iid: Type.Integer({ description: 'Number of the merge request in the project.' }),
};
export const params = Type.Object(MergeRequestIid);

/** How shared endpoints find a merge request. */
export const MERGE_REQUEST_LOOKUP = {
  type: 'MergeRequest',
  param: 'merge_request_iid',
  noun: 'a merge request',
  read: 'read_merge_request',
  find: (deps, scope, iid) => findMergeRequest(deps.db, scope, iid),
} as const satisfies Partial<IssuableKind<MergeRequest>>;

/** Access for users with an ability on a merge request; the handler gets it as `row`. */
export const onMergeRequest = (ability: ProjectAbility, options: IssuableOptions<MergeRequest> = {}) =>
  onIssuable<MergeRequest>(MERGE_REQUEST_LOOKUP, ability, options);

interface Asked extends ProjectScope {
  deps: Deps;
  params: { merge_request_iid: number };
}

/** Finds the merge request of the path. @throws ApiError 404 */
export const mergeRequestOf = (c: Asked) => findMergeRequest(c.deps.db, c, c.params.merge_request_iid);

/**
 * Finds the merge request for routes that show commits and files.
 * @throws ApiError 403 if the caller may not read code, 404
 */
export async function diffReader(c: Asked) {
  const row = await mergeRequestOf(c);
  if (!c.permissions.can('read_code')) throw forbidden();
  return row;
}
