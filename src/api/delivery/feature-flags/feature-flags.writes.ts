import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { recordFlag, recordFlagChanges } from '../../../audit/feature-flags.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, notFound, refused } from '../../../core/core.errors.ts';
import { featureFlagFacts } from '../../../core/event-facts.ts';
import { pluck } from '../../../core/pluck.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { countOf } from '../../../db/paginate.ts';
import type { FeatureFlag } from '../../../db/tables/feature-flags.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  descriptionErrors,
  isStrategyName,
  MAX_FLAGS,
  nameErrors,
  type StrategyInput,
  strategyErrors,
} from '../../../feature-flags/feature-flags.rules.ts';
import { changeFlags, requireWithinSizeLimit } from '../flags-client.ts';
import { invalidRecord } from '../model-errors.ts';
import type { changedFlag, newFlag } from './feature-flags.inputs.ts';
import { findFlag, flagsOf, type ScopedStrategy, strategiesOf } from './feature-flags.queries.ts';
import type { FeatureFlag as Shown } from './feature-flags.responses.ts';
import { strategiesAfterChange, strategiesOfNewFlag } from './feature-flags.strategy-inputs.ts';
import { presentFlag } from './feature-flags.views.ts';
import { type CheckedStrategy, saveStrategies } from './save-strategies.ts';

type ShownFlag = Static<typeof Shown>;

/** Attributes of a flag without its strategies. */
interface Flag {
  name: string;
  description: string | null;
}

/** Returns those ids that are user lists of the project. */
async function listsAmong(db: Db, projectId: number, ids: readonly unknown[]): Promise<ReadonlySet<unknown>> {
  const numbers = ids.filter((id): id is number => typeof id === 'number');
  if (numbers.length === 0) return new Set();
  const rows = await db
    .selectFrom('feature_flag_user_lists')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', 'in', [...new Set(numbers)])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Validates the final state of a flag.
 * @param own id of the flag, if it exists
 * @throws ApiError 400
 */
async function check(
  db: Db,
  projectId: number,
  flag: Flag,
  strategies: readonly StrategyInput[],
  own?: number,
): Promise<CheckedStrategy[]> {
  const names = nameErrors(flag.name);
  const same =
    names.length > 0 ? undefined : await flagsOf(db, projectId).where('name', '=', flag.name).executeTakeFirst();
  if (same !== undefined && same.id !== own) names.push('has already been taken');
  const lists = await listsAmong(db, projectId, pluck(strategies, 'userListId'));
  const fieldErrors: FieldErrors = { name: names, description: descriptionErrors(flag.description) };
  const errors = { ...fieldErrors, ...strategyErrors(strategies, (id) => lists.has(id)) };
  const wrong = Object.entries(errors).filter(([, texts]) => texts.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
  return strategies.flatMap(({ id, name, parameters, userListId, scopes }) =>
    isStrategyName(name)
      ? [
          {
            id,
            name,
            parameters: JSON.stringify(parameters),
            user_list_id: typeof userListId === 'number' ? userListId : null,
            scopes,
          },
        ]
      : [],
  );
}

/** Creates a flag with its strategies. @throws ApiError 400, 401, 403, 404 */
export function createFlag(
  deps: Deps,
  caller: Caller,
  projectId: number,
  input: Static<typeof newFlag>,
): Promise<ShownFlag> {
  const { name, description = null, active = true, strategies = [], version } = input;
  if (version !== undefined && version !== '' && version !== 'new_version_flag') {
    throw refused('Version invalid: must be new_version_flag');
  }
  const strategyInputs = strategiesOfNewFlag(strategies);
  return changeFlags(deps, caller, projectId, async (db) => {
    const checked = await check(db, projectId, { name, description }, strategyInputs);
    if ((await countOf(db, flagsOf(db, projectId))) >= MAX_FLAGS) {
      throw invalidRecord({ base: [`Maximum number of project feature flags (${MAX_FLAGS}) exceeded`] });
    }
    const now = timestamp(deps.clock);
    const row = await db
      .insertInto('feature_flags')
      .values({ project_id: projectId, name, description, active: bit(active), created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    await saveStrategies(db, row.id, [], checked);
    await requireWithinSizeLimit(db, projectId);
    await recordFlag(deps, db, 'created', row);
    return presentFlag(db, deps.config.dialect, row);
  });
}

/** Describes strategies for audit events: names, non-empty parameters, environments. */
const inWords = (strategies: readonly ScopedStrategy[]): string =>
  strategies
    .map(({ name, parameters, user_list_id, scopes }) => {
      const more = parameters === '{}' ? [] : [parameters];
      const list = user_list_id === null ? [] : [`user list ${user_list_id}`];
      const places = scopes.map(({ environment_scope }) => environment_scope).sort();
      return [name, ...more, ...list, `(${places.join(', ')})`].join(' ');
    })
    .join(', ');

/** Updates the given attributes of a flag. @throws ApiError 400, 401, 403, 404 */
export function updateFlag(
  deps: Deps,
  caller: Caller,
  projectId: number,
  flagName: string,
  input: Static<typeof changedFlag>,
): Promise<ShownFlag> {
  return changeFlags(deps, caller, projectId, async (db) => {
    const flag = await findFlag(db, projectId, flagName);
    const before = (await strategiesOf(db, [flag.id])).get(flag.id) ?? [];
    const strategies = strategiesAfterChange(before, input.strategies ?? []);
    const { name = flag.name, description = flag.description, active = flag.active === 1 } = input;
    const checked = await check(db, projectId, { name, description }, strategies, flag.id);
    const row = await db
      .updateTable('feature_flags')
      .set({ name, description, active: bit(active), updated_at: timestamp(deps.clock) })
      .where('id', '=', flag.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (input.strategies !== undefined) await saveStrategies(db, flag.id, before, checked);
    await requireWithinSizeLimit(db, projectId);
    const now = input.strategies === undefined ? before : ((await strategiesOf(db, [flag.id])).get(flag.id) ?? []);
    const [old, changed] = [before, now].map(inWords) as [string, string];
    await recordFlagChanges(deps, db, { ...flag, strategies: old }, { ...row, strategies: changed });
    if (row.active !== flag.active) {
      const payload = { feature_flag: featureFlagFacts(row), feature_flag_id: row.id, project_id: projectId };
      const about = { projectId, actorId: caller.user?.id ?? null };
      await deps.events.record(db, 'feature_flag.switched', payload, about);
    }
    return presentFlag(db, deps.config.dialect, row);
  });
}

/**
 * Deletes a flag with its strategies.
 * @param check receives the flag before deletion
 * @returns the deleted flag
 * @throws ApiError 401, 403, 404, and errors of `check`
 */
export function deleteFlag(
  deps: Deps,
  caller: Caller,
  projectId: number,
  name: string,
  check: (flag: FeatureFlag) => void,
): Promise<ShownFlag> {
  return changeFlags(deps, caller, projectId, async (db) => {
    const flag = await findFlag(db, projectId, name);
    check(flag);
    const shown = await presentFlag(db, deps.config.dialect, flag);
    const { numDeletedRows } = await db.deleteFrom('feature_flags').where('id', '=', flag.id).executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound();
    await recordFlag(deps, db, 'deleted', flag);
    return shown;
  });
}
