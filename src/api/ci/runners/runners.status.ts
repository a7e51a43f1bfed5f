import type { SelectQueryBuilder } from 'kysely';
import type { Clock } from '../../../core/clock.ts';
import type { Schema } from '../../../db/db.schema.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';

export const RUNNER_STATES = ['online', 'offline', 'stale', 'never_contacted'] as const;
export type RunnerState = (typeof RUNNER_STATES)[number];

const ONLINE_MS = 2 * 3_600_000;
const STALE_MS = 7 * 86_400_000;

const ago = (clock: Clock, ms: number): string => new Date(clock.now().getTime() - ms).toISOString();

/** Whether a runner created by a user has requested a job yet; always true for registered runners. */
const hasBegun = ({ requested, registration }: Pick<CiRunner, 'requested' | 'registration'>): boolean =>
  requested === 1 || registration === 'registration_token';

/**
 * Returns the status of a runner or machine.
 * @param contactedAt last contact
 */
export function stateOf(
  clock: Clock,
  runner: Pick<CiRunner, 'requested' | 'registration'>,
  { createdAt, contactedAt }: { createdAt: string; contactedAt: string | null },
): RunnerState {
  if ((contactedAt ?? createdAt) <= ago(clock, STALE_MS)) return 'stale';
  if (contactedAt === null) return 'never_contacted';
  return hasBegun(runner) && contactedAt > ago(clock, ONLINE_MS) ? 'online' : 'offline';
}

/** Limits a query to runners with a status, as far as the database knows. */
export function inState<O>(
  query: SelectQueryBuilder<Schema, 'ci_runners', O>,
  clock: Clock,
  state: RunnerState,
): SelectQueryBuilder<Schema, 'ci_runners', O> {
  const [online, stale] = [ago(clock, ONLINE_MS), ago(clock, STALE_MS)];
  switch (state) {
    case 'never_contacted':
      return query.where('contacted_at', 'is', null).where('ci_runners.created_at', '>', stale);
    case 'stale':
      return query.where((eb) => eb(eb.fn.coalesce('contacted_at', 'ci_runners.created_at'), '<=', stale));
    case 'online':
      return query
        .where('contacted_at', '>', online)
        .where((eb) => eb.or([eb('requested', '=', 1), eb('registration', '=', 'registration_token')]));
    case 'offline':
      return query
        .where('contacted_at', '>', stale)
        .where((eb) =>
          eb.or([
            eb('contacted_at', '<=', online),
            eb.and([eb('requested', '=', 0), eb('registration', '!=', 'registration_token')]),
          ]),
        );
  }
}
