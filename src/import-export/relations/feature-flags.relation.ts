import { parseJson } from '../../db/columns.ts';
import { PAGE, pagedRelation } from './relation.ts';

/** User lists of the feature flags of a project. */
export const userLists = pagedRelation('operations_feature_flags_user_lists', async ({ db, portable }, after) => {
  const rows = await db
    .selectFrom('feature_flag_user_lists')
    .select(['id', 'iid', 'name', 'user_xids', 'created_at', 'updated_at'])
    .where('project_id', '=', portable.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return rows.map((row) => ({ key: row.id, object: row }));
});

/** Feature flags of a project with their strategies. The client token is secret and not exported. */
export const featureFlags = pagedRelation('operations_feature_flags', async ({ db, portable }, after) => {
  const flags = await db
    .selectFrom('feature_flags')
    .select(['id', 'name', 'description', 'active', 'created_at', 'updated_at'])
    .where('project_id', '=', portable.id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute();
  const strategies = await db
    .selectFrom('feature_flag_strategies as strategy')
    .leftJoin('feature_flag_user_lists as list', 'list.id', 'strategy.user_list_id')
    .select(['strategy.id', 'strategy.feature_flag_id', 'strategy.name', 'strategy.parameters', 'list.iid as list_iid'])
    .where('strategy.feature_flag_id', 'in', idsOf(flags))
    .orderBy('strategy.id')
    .execute();
  const scopes = await db
    .selectFrom('feature_flag_scopes')
    .select(['strategy_id', 'environment_scope'])
    .where('strategy_id', 'in', idsOf(strategies))
    .orderBy('id')
    .execute();
  const scopesOf = Map.groupBy(scopes, ({ strategy_id }) => strategy_id);
  const strategyObjects = strategies.map(({ id, feature_flag_id, name, parameters, list_iid }) => ({
    feature_flag_id,
    object: {
      ...{ name, parameters: parseJson(parameters) },
      scopes: (scopesOf.get(id) ?? []).map(({ environment_scope }) => ({ environment_scope })),
      ...(list_iid === null ? {} : { user_list: { iid: list_iid } }),
    },
  }));
  const strategiesOf = Map.groupBy(strategyObjects, ({ feature_flag_id }) => feature_flag_id);
  return flags.map(({ active, ...row }) => ({
    key: row.id,
    object: {
      ...row,
      active: active === 1,
      strategies: (strategiesOf.get(row.id) ?? []).map(({ object }) => object),
    },
  }));
});

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);
