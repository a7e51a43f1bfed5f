import { type Clock, timestamp } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Source } from '../spaces.source.ts';

/**
 * Query for deploy tokens, oldest first.
 * @param source null for the whole instance
 * @param active only active, or only inactive ones; all when absent
 */
export function deployTokens(db: Db, clock: Clock, source: Source | null, active?: boolean) {
  const now = timestamp(clock);
  let query = db.selectFrom('deploy_tokens').selectAll().orderBy('id');
  if (source !== null) query = query.where('source_type', '=', source.kind).where('source_id', '=', source.id);
  if (active === undefined) return query;
  return active
    ? query.where('revoked', '=', 0).where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    : query.where((eb) => eb.or([eb('revoked', '=', 1), eb('expires_at', '<=', now)]));
}
