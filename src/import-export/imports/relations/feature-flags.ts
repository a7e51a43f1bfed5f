import { nextIid } from '../../../db/iids.ts';
import type { Db } from '../../../db/schema.ts';
import { countChange } from '../../../feature-flags/client.ts';
import { isTooLong, MOST_CHARACTERS } from '../../../feature-flags/room.ts';
import {
  descriptionErrors,
  isStrategyName,
  keptStrategyName,
  MOST_FLAGS,
  nameErrors,
  strategyErrors,
  type WantedStrategy,
} from '../../../feature-flags/rules.ts';
import { areUserIds, USER_IDS_RULE } from '../../../feature-flags/user-ids.ts';
import type { Importing, Writer } from '../importing.ts';
import { filled, flag, type Given, iid, integer, isGiven, objects, text, Unfit } from '../take.ts';
import { dates } from './rows.ts';

const EVERYWHERE = '*';

/** @throws Unfit where all together have become too long */
async function requireRoom({ place }: Importing, db: Db): Promise<void> {
  if (await isTooLong(db, place.id)) {
    throw new Unfit(`the feature flags are too long together (maximum is ${MOST_CHARACTERS} characters)`);
  }
}

/** Lists of users whom feature flags name. */
export const userListWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const { place, deps } = importing;
    const rows = given.map((each) => {
      const user_xids = text(each.user_xids) ?? '';
      if (!areUserIds(user_xids)) throw new Unfit(`user_xids ${USER_IDS_RULE}`);
      const name = filled(each.name, 'the name of a user list');
      return { project_id: place.id, iid: iid(each.iid), name, user_xids, ...dates(importing, each) };
    });
    await countChange(db, deps.clock, place.id);
    await db.insertInto('feature_flag_user_lists').values(rows).execute();
    const highest = Math.max(...rows.map((row) => row.iid));
    await nextIid(db, { source_type: 'project', source_id: place.id, usage: 'feature_flag_user_lists' }, highest);
    await requireRoom(importing, db);
  },
};

const listOf = ({ user_list }: Given): number | null => (isGiven(user_list) ? integer(user_list.iid, 1) : null);

/** Ids of user lists of the project by their numbers. */
async function listIds({ place }: Importing, db: Db, strategies: readonly Given[]): Promise<Map<number, number>> {
  const iids = [...new Set(strategies.flatMap((each) => listOf(each) ?? []))];
  const rows = await db
    .selectFrom('feature_flag_user_lists')
    .select(['id', 'iid'])
    .where('project_id', '=', place.id)
    .where('iid', 'in', iids)
    .execute();
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

/** A strategy that names a list which did not come has a number that no list has. */
const NO_LIST = 0;

function wantedOf(given: Given, lists: ReadonlyMap<number, number>): WantedStrategy {
  const list = listOf(given);
  const scopes = given.scopes === undefined ? [{ environment_scope: EVERYWHERE }] : objects(given.scopes);
  return {
    id: undefined,
    name: keptStrategyName(text(given.name, 255) ?? ''),
    parameters: given.parameters ?? {},
    userListId: list === null ? null : (lists.get(list) ?? NO_LIST),
    scopes: scopes.map((scope) => ({ id: undefined, environment_scope: text(scope.environment_scope) ?? '' })),
  };
}

/** @throws Unfit with all that is wrong with a flag */
function check(name: string, description: string | null, strategies: readonly WantedStrategy[]): void {
  const errors = {
    ...{ name: nameErrors(name), description: descriptionErrors(description) },
    ...strategyErrors(strategies, (id) => id !== NO_LIST),
  };
  const wrong = Object.entries(errors).flatMap(([field, texts]) => texts.map((each) => `${field} ${each}`));
  if (wrong.length > 0) throw new Unfit(wrong.join(', '));
}

/** Feature flags, as they were switched. The programs that ask for them get an instance id of this server. */
export const featureFlagWriter: Writer = {
  atOnce: 50,
  async write(importing, db, given) {
    const { place, deps } = importing;
    await countChange(db, deps.clock, place.id);
    const lists = await listIds(
      importing,
      db,
      given.flatMap((each) => objects(each.strategies)),
    );
    for (const each of given) {
      const name = filled(each.name, 'the name of a feature flag');
      const description = text(each.description);
      const strategies = objects(each.strategies).map((strategy) => wantedOf(strategy, lists));
      check(name, description, strategies);
      const row = { project_id: place.id, name, description, active: flag(each.active), ...dates(importing, each) };
      const { id } = await db.insertInto('feature_flags').values(row).returning('id').executeTakeFirstOrThrow();
      await writeStrategies(db, id, strategies);
    }
    await requireFew(importing, db);
    await requireRoom(importing, db);
  },
};

async function writeStrategies(db: Db, flagId: number, strategies: readonly WantedStrategy[]): Promise<void> {
  const rows = strategies.flatMap(({ name, parameters, userListId }) =>
    isStrategyName(name)
      ? [
          {
            ...{ feature_flag_id: flagId, name, parameters: JSON.stringify(parameters) },
            user_list_id: typeof userListId === 'number' ? userListId : null,
          },
        ]
      : [],
  );
  if (rows.length === 0) return;
  const made = await db.insertInto('feature_flag_strategies').values(rows).returning('id').execute();
  const ids = made.map(({ id }) => id).sort((a, b) => a - b);
  const scopes = strategies.flatMap(({ scopes }, at) =>
    scopes.map(({ environment_scope }) => ({ strategy_id: ids[at]!, environment_scope })),
  );
  if (scopes.length > 0) await db.insertInto('feature_flag_scopes').values(scopes).execute();
}

async function requireFew({ place }: Importing, db: Db): Promise<void> {
  const { count } = await db
    .selectFrom('feature_flags')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('project_id', '=', place.id)
    .executeTakeFirstOrThrow();
  if (Number(count) > MOST_FLAGS) throw new Unfit(`a project can have ${MOST_FLAGS} feature flags`);
}
