import type { Db } from '../db/db.schema.ts';
import type { FeatureFlag } from '../db/tables/feature-flags.table.ts';
import type { Deps } from '../deps.ts';
import { changesOf, type WatchedAttributes } from './changes.audit.ts';
import { type AuditEntry, project, recordAudit } from './record.audit.ts';

/** A feature flag with its strategies as text. */
export interface FlagFacts extends FeatureFlag {
  strategies: string;
}

const updated = 'feature_flag_updated';
const WATCHED: WatchedAttributes<FlagFacts> = {
  name: { name: updated, as: 'name' },
  description: { name: updated, as: 'description' },
  active: { name: updated, as: 'active', flag: true },
  strategies: { name: updated, as: 'strategies' },
};

const entryOf = (
  { id, project_id, name }: FeatureFlag,
  entry: Pick<AuditEntry, 'name' | 'message' | 'more'>,
): AuditEntry => ({
  ...entry,
  entity: project(project_id),
  target: { id, type: 'Operations::FeatureFlag', details: name },
});

/** Records, in the transaction, that a feature flag was created or deleted. */
export function recordFlag(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  happened: 'created' | 'deleted',
  flag: FeatureFlag,
): Promise<void> {
  const message = `${happened === 'created' ? 'Created' : 'Deleted'} feature flag ${flag.name}`;
  return recordAudit(deps, db, entryOf(flag, { name: `feature_flag_${happened}`, message }));
}

/** Records changes of a feature flag, in the transaction. */
export const recordFlagChanges = (
  deps: Pick<Deps, 'clock'>,
  db: Db,
  before: FlagFacts,
  after: FlagFacts,
): Promise<void> =>
  recordAudit(
    deps,
    db,
    changesOf(before, after, WATCHED).map((entry) => entryOf(after, entry)),
  );
