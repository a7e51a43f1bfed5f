import type { Clock } from '../../../../core/clock.ts';
import { pluck } from '../../../../core/pluck.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { StatusCheckResponsesTable } from '../../../../db/tables/status-check-responses.table.ts';
import { checksOf, isFor, type StoredCheck } from './external-status-checks.checks.ts';

/** A check that is pending for longer than this counts as failed. */
const PENDING_MS = 2 * 60_000;

/** State of an applicable check for a merge request. */
export interface CheckStatus {
  check: StoredCheck;
  status: StatusCheckResponsesTable['status'];
}

/** States of the checks of merge requests for their current heads, by merge request id; three queries. */
export async function checkStatuses(
  { clock }: { clock: Clock },
  db: Db,
  mergeRequests: readonly MergeRequest[],
): Promise<Map<number, CheckStatus[]>> {
  if (mergeRequests.length === 0) return new Map();
  const checks = await checksOf(db, [...new Set(mergeRequests.map(({ project_id }) => project_id))]);
  const newest = checks.length === 0 ? [] : await newestResponses(db, mergeRequests);
  const stale = new Date(clock.now().getTime() - PENDING_MS).toISOString();
  return new Map(
    mergeRequests.map(({ id, project_id, target_branch, head_sha }) => {
      const statuses = checks
        .filter((check) => check.project_id === project_id && isFor(check, target_branch))
        .map((check): CheckStatus => {
          const response = newest.find(
            (each) =>
              each.merge_request_id === id && each.external_status_check_id === check.id && each.sha === head_sha,
          );
          const late = response?.status === 'pending' && response.created_at < stale;
          return { check, status: late ? 'failed' : (response?.status ?? 'pending') };
        });
      return [id, statuses];
    }),
  );
}

/** Newest response of each check for the head of each merge request. */
const newestResponses = (db: Db, mergeRequests: readonly MergeRequest[]) =>
  db
    .selectFrom('status_check_responses')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('status_check_responses')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('merge_request_id', 'in', pluck(mergeRequests, 'id'))
        .where('sha', 'in', [...new Set(mergeRequests.flatMap(({ head_sha }) => head_sha ?? '')), ''])
        .groupBy(['merge_request_id', 'sha', 'external_status_check_id']),
    )
    .execute();
