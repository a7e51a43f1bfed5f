import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../../../../db/db.schema.ts';
import type { MergeRequest, MergeStatus } from '../../../../db/tables/merge-requests.table.ts';

/** New `merge_status` after an update of the source or target branch (part 1, section 4.4). */
export function uncheckedStatus(eb: ExpressionBuilder<Schema, 'merge_requests'>) {
  return eb
    .case()
    .when('merge_status', 'in', ['preparing', 'can_be_merged', 'checking'])
    .then<MergeStatus>('unchecked')
    .when('merge_status', 'in', ['cannot_be_merged', 'cannot_be_merged_rechecking'])
    .then<MergeStatus>('cannot_be_merged_recheck')
    .else(eb.ref('merge_status'))
    .end();
}

/** Whether the mergeability of an open merge request is not yet known. */
export const isUnchecked = ({ state, merge_status }: Pick<MergeRequest, 'state' | 'merge_status'>): boolean =>
  state === 'opened' && merge_status !== 'can_be_merged' && merge_status !== 'cannot_be_merged';
