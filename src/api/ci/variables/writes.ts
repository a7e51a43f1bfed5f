import { within } from '../../../access/within.ts';
import { recordAudit } from '../../../audit/record.ts';
import { variableEntry } from '../../../audit/variables.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound } from '../../../core/errors.ts';
import { bit } from '../../../db/columns.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { lockInstance, lockRow } from '../../../db/lock-row.ts';
import type { Db } from '../../../db/schema.ts';
import type { CiVariable } from '../../../db/tables/ci-variables.ts';
import type { Deps } from '../../../deps.ts';
import { openedVariable, sealedValue } from '../../../pipelines/variables/at-rest.ts';
import { orNone, planLimits } from '../../../settings/plan-limits.ts';
import { type Holder, LIMITS } from './holder.ts';
import { findVariable, variablesOf } from './queries.ts';
import { checkHiding, checkVariable, type Wanted } from './rules.ts';

export interface VariableAttributes {
  value?: string;
  protected?: boolean;
  masked?: boolean;
  masked_and_hidden?: boolean;
  raw?: boolean;
  variable_type?: 'env_var' | 'file';
  environment_scope?: string;
  description?: string | null;
}

/** Keeps a new variable. @throws ApiError 400, 404 */
export async function createVariable(
  deps: Deps,
  holder: Holder,
  given: VariableAttributes & { key: string; value: string },
): Promise<CiVariable> {
  const hidden = given.masked_and_hidden === true;
  if (hidden && given.masked === false) throw invalidModel({ masked: ['should be true when variable is hidden'] });
  const wanted: Wanted = {
    key: given.key.trim(),
    value: given.value,
    variable_type: given.variable_type ?? 'env_var',
    masked: bit(hidden || given.masked === true),
    raw: bit(given.raw === true),
    environment_scope: (given.environment_scope ?? '*').trim(),
    description: given.description ?? null,
  };
  checkVariable(wanted, holder.kind);
  const now = timestamp(deps.clock);
  const place = {
    project_id: holder.kind === 'project' ? holder.id : null,
    group_id: holder.kind === 'group' ? holder.id : null,
  };
  const rest = { protected: bit(given.protected === true), hidden: bit(hidden), created_at: now, updated_at: now };
  return taken(wanted.key, () =>
    deps.db.transaction().execute(async (db) => {
      await lock(db, holder);
      const row = await db
        .insertInto('ci_variables')
        .values({ ...wanted, value: sealedValue(deps, 'ci_variables', wanted.value), ...place, ...rest })
        .returningAll()
        .executeTakeFirstOrThrow();
      await checkNumber(within(deps, db), holder);
      await recordAudit(deps, db, variableEntry(row, 'created'));
      return row;
    }),
  );
}

/** Lets one at a time keep new variables in a place. @throws ApiError 404 where it went meanwhile */
async function lock(db: Db, holder: Holder): Promise<void> {
  if (holder.kind === 'instance') return lockInstance(db);
  if (!(await lockRow(db, holder.kind === 'project' ? 'projects' : 'namespaces', holder.id))) throw notFound();
}

/** Looks once the new one is there. @throws ApiError 400 where there are too many now */
async function checkNumber(deps: Deps, holder: Holder): Promise<void> {
  const { most: fixed, name } = LIMITS[holder.kind];
  const most = fixed ?? (await planLimits(deps)).ci_instance_level_variables;
  const { total } = await variablesOf(deps.db, holder)
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (Number(total) > orNone(most)) throw invalidModel({ base: [`Maximum number of ${name} (${most}) exceeded`] });
}

/** Changes what is given of the variable of a key. @throws ApiError 400, 404, 409 */
export async function updateVariable(
  deps: Deps,
  holder: Holder,
  key: string,
  scope: string | undefined,
  given: VariableAttributes,
): Promise<CiVariable> {
  const { clock } = deps;
  return taken(key, () =>
    deps.db.transaction().execute(async (db) => {
      const row = await findVariable(db, holder, key, scope);
      checkHiding(row, given);
      const wanted: Wanted = {
        key: row.key,
        value: given.value ?? openedVariable(deps, 'ci_variables', row).value,
        variable_type: given.variable_type ?? row.variable_type,
        masked: given.masked === undefined ? row.masked : bit(given.masked),
        raw: given.raw === undefined ? row.raw : bit(given.raw),
        environment_scope: given.environment_scope?.trim() ?? row.environment_scope,
        description: given.description === undefined ? row.description : given.description,
      };
      checkVariable(wanted, holder.kind);
      const changed = await db
        .updateTable('ci_variables')
        .set({
          ...wanted,
          value: given.value === undefined ? row.value : sealedValue(deps, 'ci_variables', given.value),
          protected: given.protected === undefined ? row.protected : bit(given.protected),
          updated_at: timestamp(clock),
        })
        .where('id', '=', row.id)
        .returningAll()
        .executeTakeFirst();
      if (changed === undefined) throw notFound('Variable');
      await recordAudit({ clock }, db, variableEntry(changed, 'updated'));
      return changed;
    }),
  );
}

/** Removes the variable of a key. @throws ApiError 404, 409 */
export async function removeVariable(deps: Deps, holder: Holder, key: string, scope?: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const row = await findVariable(db, holder, key, scope);
    const { numDeletedRows } = await db.deleteFrom('ci_variables').where('id', '=', row.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordAudit(deps, db, variableEntry(row, 'deleted'));
  });
}

/** @throws ApiError 400 where there is one of the key for the same environments, 404 where its place went meanwhile */
async function taken<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ key: [`(${key.trim()}) has already been taken`] });
    if (isForeignKeyViolation(error)) throw notFound();
    throw error;
  }
}
