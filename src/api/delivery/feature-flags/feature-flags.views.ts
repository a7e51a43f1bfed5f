import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { FeatureFlag as Row } from '../../../db/tables/feature-flags.table.ts';
import { type Dialect, inDialect } from '../../../http/dialect.ts';
import { strategiesOf } from './feature-flags.queries.ts';
import type { FeatureFlag } from './feature-flags.responses.ts';

/** Renders flags with three queries in total. */
export async function presentFlags(
  db: Db,
  dialect: Dialect,
  rows: readonly Row[],
): Promise<Static<typeof FeatureFlag>[]> {
  const strategies = await strategiesOf(db, pluck(rows, 'id'));
  const lists = await rowsById(db, 'feature_flag_user_lists', pluck([...strategies.values()].flat(), 'user_list_id'));
  return rows.map((row) => ({
    name: row.name,
    description: row.description,
    active: row.active === 1,
    version: 'new_version_flag' as const,
    created_at: row.created_at,
    updated_at: row.updated_at,
    scopes: [],
    strategies: (strategies.get(row.id) ?? []).map(({ id, name, parameters, scopes, user_list_id }) => {
      const list = user_list_id === null ? undefined : lists.get(user_list_id);
      return {
        id,
        name: inDialect<string>(dialect, 'strategy_name', name),
        parameters: parseJson<Record<string, string>>(parameters),
        scopes: scopes.map(({ id, environment_scope }) => ({ id, environment_scope })),
        user_list:
          list === undefined ? null : { id: list.id, iid: list.iid, name: list.name, user_xids: list.user_xids },
      };
    }),
  }));
}

/** Renders a single flag. */
export const presentFlag = async (db: Db, dialect: Dialect, row: Row): Promise<Static<typeof FeatureFlag>> =>
  (await presentFlags(db, dialect, [row]))[0]!;
