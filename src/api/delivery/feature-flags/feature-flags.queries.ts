import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { FeatureFlagScope } from '../../../db/tables/feature-flag-scopes.table.ts';
import type { FeatureFlagStrategy } from '../../../db/tables/feature-flag-strategies.table.ts';
import type { FeatureFlag } from '../../../db/tables/feature-flags.table.ts';

/** A strategy with its scopes. */
export interface ScopedStrategy extends FeatureFlagStrategy {
  scopes: FeatureFlagScope[];
}

/** Query for the flags of a project, by name, for counts and pages. @param active all when absent */
export function flagsOf(db: Db, projectId: number, active?: boolean) {
  const query = db.selectFrom('feature_flags').selectAll().where('project_id', '=', projectId).orderBy('name');
  return active === undefined ? query : query.where('active', '=', active ? 1 : 0);
}

/** @throws ApiError 404 */
export async function findFlag(db: Db, projectId: number, name: string): Promise<FeatureFlag> {
  const flag = await flagsOf(db, projectId).where('name', '=', name).executeTakeFirst();
  if (flag === undefined) throw notFound();
  return flag;
}

/** Loads the strategies of flags, oldest first, by flag id. */
export async function strategiesOf(db: Db, flagIds: readonly number[]): Promise<Map<number, ScopedStrategy[]>> {
  const byFlag = new Map<number, ScopedStrategy[]>();
  if (flagIds.length === 0) return byFlag;
  const strategies = await db
    .selectFrom('feature_flag_strategies')
    .selectAll()
    .where('feature_flag_id', 'in', [...flagIds])
    .orderBy('id')
    .execute();
  const byId = new Map<number, ScopedStrategy>();
  for (const row of strategies) {
    const strategy = { ...row, scopes: [] };
    byId.set(row.id, strategy);
    byFlag.set(row.feature_flag_id, [...(byFlag.get(row.feature_flag_id) ?? []), strategy]);
  }
  const scopes = await db
    .selectFrom('feature_flag_scopes')
    .innerJoin('feature_flag_strategies', 'feature_flag_strategies.id', 'feature_flag_scopes.strategy_id')
    .selectAll('feature_flag_scopes')
    .where('feature_flag_strategies.feature_flag_id', 'in', [...flagIds])
    .orderBy('feature_flag_scopes.id')
    .execute();
  for (const scope of scopes) byId.get(scope.strategy_id)?.scopes.push(scope);
  return byFlag;
}
