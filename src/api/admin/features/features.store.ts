import { INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { badRequest } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockInstance } from '../../../db/lock-row.ts';
import type { Deps } from '../../../deps.ts';
import { type Gates, gatesText } from './gates.ts';

const KEY = 'features';
/** Maximum number of stored flags. */
const MAX_FEATURES = 1_000;

/** All stored flags, by name. */
export async function loadFeatures(db: Db): Promise<Record<string, Gates>> {
  const row = await db.selectFrom('instance_values').select('value').where('key', '=', KEY).executeTakeFirst();
  return row === undefined ? {} : parseJson<Record<string, Gates>>(row.value);
}

/**
 * Changes a flag. Concurrent changes run one after the other.
 * @param change takes the old state (undefined if the flag does not exist) and returns the new one (undefined to remove
 *   it)
 * @throws ApiError 400 if there are too many flags; whatever `change` throws
 */
export async function changeFeature(
  deps: Deps,
  name: string,
  change: (gates: Gates | undefined) => Gates | undefined,
): Promise<Gates | undefined> {
  return deps.db.transaction().execute(async (db) => {
    await lockInstance(db);
    const known = await loadFeatures(db);
    const { [name]: named, ...others } = known;
    // A flag may have the name of a property of `Object.prototype`.
    const old = Object.hasOwn(known, name) ? named : undefined;
    const gates = change(old);
    if (gates === undefined && old === undefined) return undefined;
    const features = gates === undefined ? others : { ...others, [name]: gates };
    if (Object.keys(features).length > MAX_FEATURES)
      throw badRequest(`Limit reached: a server has at most ${MAX_FEATURES} feature flags. Delete one first.`);
    const value = JSON.stringify(features);
    const updated_at = timestamp(deps.clock);
    await db
      .insertInto('instance_values')
      .values({ key: KEY, value, updated_at })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at }))
      .execute();
    await recordFeature(deps, db, name, old, gates);
    return gates;
  });
}

/** Records an audit event for a changed flag; none if nothing changed. */
async function recordFeature(deps: Deps, db: Db, flag: string, old: Gates | undefined, now: Gates | undefined) {
  const [from, to] = [old, now].map((gates) => (gates === undefined ? '' : gatesText(gates))) as [string, string];
  if (from === to) return;
  const [name, verb] =
    old === undefined
      ? (['server_feature_created', 'Set'] as const)
      : now === undefined
        ? (['server_feature_deleted', 'Removed'] as const)
        : (['server_feature_updated', 'Changed'] as const);
  await recordAudit(deps, db, {
    name,
    entity: INSTANCE,
    target: { id: null, type: 'Feature', details: flag },
    message: `${verb} the feature flag ${flag} of the server`,
    more: { change: flag, from, to },
  });
}
