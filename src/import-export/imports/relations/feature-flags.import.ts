import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import { countChange } from '../../../feature-flags/client.ts';
import {
  descriptionErrors,
  isStrategyName,
  MAX_FLAGS,
  nameErrors,
  type StrategyInput,
  storedStrategyName,
  strategyErrors,
} from '../../../feature-flags/feature-flags.rules.ts';
import { isTooLong, MAX_CHARACTERS } from '../../../feature-flags/size-limit.ts';
import { areUserIds, USER_IDS_RULE } from '../../../feature-flags/user-ids.ts';
import {
  coerceFlag,
  coerceIid,
  coerceInteger,
  coerceObjects,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  isImportedObject,
  requireText,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { dates } from './rows.ts';

const EVERYWHERE = '*';

/** @throws InvalidImportObject if all flags together are too long */
async function requireRoom({ place }: ImportContext, db: Db): Promise<void> {
  if (await isTooLong(db, place.id)) {
    throw new InvalidImportObject(`the feature flags are too long together (maximum is ${MAX_CHARACTERS} characters)`);
  }
}

/** Imports user lists of feature flags. */
export const userListWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const { place, deps } = context;
    const rows = object.map((each) => {
      const user_xids = coerceText(each.user_xids) ?? '';
      if (!areUserIds(user_xids)) throw new InvalidImportObject(`user_xids ${USER_IDS_RULE}`);
      const name = requireText(each.name, 'the name of a user list');
      return { project_id: place.id, iid: coerceIid(each.iid), name, user_xids, ...dates(context, each) };
    });
    await countChange(db, deps.clock, place.id);
    await db.insertInto('feature_flag_user_lists').values(rows).execute();
    const highest = Math.max(...rows.map((row) => row.iid));
    await nextIid(db, { source_type: 'project', source_id: place.id, usage: 'feature_flag_user_lists' }, highest);
    await requireRoom(context, db);
  },
};

const listOf = ({ user_list }: ImportedObject): number | null =>
  isImportedObject(user_list) ? coerceInteger(user_list.iid, 1) : null;

/** Ids of the user lists of the project by iid. */
async function listIds(
  { place }: ImportContext,
  db: Db,
  strategies: readonly ImportedObject[],
): Promise<Map<number, number>> {
  const iids = [...new Set(strategies.flatMap((each) => listOf(each) ?? []))];
  const rows = await db
    .selectFrom('feature_flag_user_lists')
    .select(['id', 'iid'])
    .where('project_id', '=', place.id)
    .where('iid', 'in', iids)
    .execute();
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

/** Number of no list: used for strategies whose list was not imported. */
const NO_LIST = 0;

function strategyInputOf(object: ImportedObject, lists: ReadonlyMap<number, number>): StrategyInput {
  const list = listOf(object);
  const scopes = object.scopes === undefined ? [{ environment_scope: EVERYWHERE }] : coerceObjects(object.scopes);
  return {
    id: undefined,
    name: storedStrategyName(coerceText(object.name, 255) ?? ''),
    parameters: object.parameters ?? {},
    userListId: list === null ? null : (lists.get(list) ?? NO_LIST),
    scopes: scopes.map((scope) => ({ id: undefined, environment_scope: coerceText(scope.environment_scope) ?? '' })),
  };
}

/** @throws InvalidImportObject with all errors of a flag */
function check(name: string, description: string | null, strategies: readonly StrategyInput[]): void {
  const errors = {
    ...{ name: nameErrors(name), description: descriptionErrors(description) },
    ...strategyErrors(strategies, (id) => id !== NO_LIST),
  };
  const wrong = Object.entries(errors).flatMap(([field, texts]) => texts.map((each) => `${field} ${each}`));
  if (wrong.length > 0) throw new InvalidImportObject(wrong.join(', '));
}

/** Imports feature flags with their states. Clients need an instance id of this server. */
export const featureFlagWriter: RelationWriter = {
  batchSize: 50,
  async write(context, db, object) {
    const { place, deps } = context;
    await countChange(db, deps.clock, place.id);
    const lists = await listIds(
      context,
      db,
      object.flatMap((each) => coerceObjects(each.strategies)),
    );
    for (const each of object) {
      const name = requireText(each.name, 'the name of a feature flag');
      const description = coerceText(each.description);
      const strategies = coerceObjects(each.strategies).map((strategy) => strategyInputOf(strategy, lists));
      check(name, description, strategies);
      const row = { project_id: place.id, name, description, active: coerceFlag(each.active), ...dates(context, each) };
      const { id } = await db.insertInto('feature_flags').values(row).returning('id').executeTakeFirstOrThrow();
      await writeStrategies(db, id, strategies);
    }
    await requireFew(context, db);
    await requireRoom(context, db);
  },
};

async function writeStrategies(db: Db, flagId: number, strategies: readonly StrategyInput[]): Promise<void> {
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

async function requireFew({ place }: ImportContext, db: Db): Promise<void> {
  const { count } = await db
    .selectFrom('feature_flags')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('project_id', '=', place.id)
    .executeTakeFirstOrThrow();
  if (Number(count) > MAX_FLAGS)
    throw new InvalidImportObject(`limit reached: a project has at most ${MAX_FLAGS} feature flags`);
}
