import type { Db } from '../../../db/db.schema.ts';
import type { StrategyName } from '../../../db/tables/feature-flag-strategies.table.ts';
import type { ScopedStrategy } from './feature-flags.queries.ts';

/** A validated strategy. */
export interface CheckedStrategy {
  id: number | undefined;
  name: StrategyName;
  /** As JSON. */
  parameters: string;
  user_list_id: number | null;
  scopes: readonly { id: number | undefined; environment_scope: string }[];
}

/** Ids of removed rows. */
const removedIds = (before: readonly { id: number }[], after: readonly { id: number | undefined }[]): number[] => {
  const remaining = new Set(after.map(({ id }) => id));
  return before.flatMap(({ id }) => (remaining.has(id) ? [] : [id]));
};

/**
 * Saves the strategies of a flag with a few statements, regardless of their number. Call it in a transaction that has
 * locked the flags of the project.
 */
export async function saveStrategies(
  db: Db,
  flagId: number,
  before: readonly ScopedStrategy[],
  after: readonly CheckedStrategy[],
): Promise<void> {
  const removed = removedIds(before, after);
  if (removed.length > 0) await db.deleteFrom('feature_flag_strategies').where('id', 'in', removed).execute();
  const updated = after.flatMap(({ id, name, parameters, user_list_id }) =>
    id === undefined ? [] : [{ id, feature_flag_id: flagId, name, parameters, user_list_id }],
  );
  if (updated.length > 0) {
    await db
      .insertInto('feature_flag_strategies')
      .values(updated)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          name: eb.ref('excluded.name'),
          parameters: eb.ref('excluded.parameters'),
          user_list_id: eb.ref('excluded.user_list_id'),
        })),
      )
      .execute();
  }
  const ids = await insertNew(
    db,
    flagId,
    after.filter(({ id }) => id === undefined),
  );
  const placed = after.map((strategy) => ({ ...strategy, id: strategy.id ?? ids.shift()! }));
  await saveScopes(db, before, placed);
}

/** @returns their ids, in the order of the strategies */
async function insertNew(db: Db, flagId: number, strategies: readonly CheckedStrategy[]): Promise<number[]> {
  if (strategies.length === 0) return [];
  const rows = await db
    .insertInto('feature_flag_strategies')
    .values(
      strategies.map(({ name, parameters, user_list_id }) => ({
        feature_flag_id: flagId,
        name,
        parameters,
        user_list_id,
      })),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

async function saveScopes(
  db: Db,
  before: readonly ScopedStrategy[],
  after: readonly (CheckedStrategy & { id: number })[],
): Promise<void> {
  const known = new Map(before.map(({ id, scopes }) => [id, scopes]));
  const removed = after.flatMap(({ id, scopes }) => removedIds(known.get(id) ?? [], scopes));
  if (removed.length > 0) await db.deleteFrom('feature_flag_scopes').where('id', 'in', removed).execute();
  const all = after.flatMap(({ id: strategy_id, scopes }) =>
    scopes.map(({ id, environment_scope }) => ({ id, strategy_id, environment_scope })),
  );
  const updated = all.flatMap(({ id, ...row }) => (id === undefined ? [] : [{ id, ...row }]));
  if (updated.length > 0) {
    await db
      .insertInto('feature_flag_scopes')
      .values(updated)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({ environment_scope: eb.ref('excluded.environment_scope') })),
      )
      .execute();
  }
  const added = all.flatMap(({ id, ...row }) => (id === undefined ? [row] : []));
  if (added.length > 0) await db.insertInto('feature_flag_scopes').values(added).execute();
}
