import { INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { badRequest } from '../../../core/core.errors.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockInstance } from '../../../db/lock-row.ts';
import type { Deps } from '../../../deps.ts';
import { type Gates, gatesText } from './gates.ts';

const KEY = 'features';
/** Flags that are kept. */
const MAX_FEATURES = 1_000;

/** All flags that somebody has set, by their names. */
export async function loadFeatures(db: Db): Promise<Record<string, Gates>> {
  const row = await db.selectFrom('instance_values').select('value').where('key', '=', KEY).executeTakeFirst();
  return row === undefined ? {} : parseJson<Record<string, Gates>>(row.value);
}

/**
 * Changes a flag; two changes wait for each other.
 * @param change gives what the flag is from now on, undefined to remove it; gets undefined where there is none
 * @throws ApiError 400 past the flags that are kept; what `change` throws
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
    // A flag may be called as what every object has.
    const old = Object.hasOwn(known, name) ? named : undefined;
    const gates = change(old);
    if (gates === undefined && old === undefined) return undefined;
    const features = gates === undefined ? others : { ...others, [name]: gates };
    if (Object.keys(features).length > MAX_FEATURES) throw badRequest(`there are ${MAX_FEATURES} features already`);
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

/** What a flag was and is, in words; nothing where both are the same. */
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
