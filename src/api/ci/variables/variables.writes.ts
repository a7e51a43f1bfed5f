import { transactionDeps } from '../../../access/transaction-deps.ts';
import { recordAudit } from '../../../audit/record.audit.ts';
import { variableEntry } from '../../../audit/variables.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { invalidModel, notFound } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockInstance, lockRow } from '../../../db/lock-row.ts';
import type { CiVariable } from '../../../db/tables/ci-variables.table.ts';
import type { Deps } from '../../../deps.ts';
import { openedVariable, sealedValue } from '../../../pipelines/variables/at-rest.ts';
import { orUnlimited, planLimits } from '../../../settings/settings.plan-limits.ts';
import { LIMITS, type VariableOwner } from './variable-owner.ts';
import { findVariable, variablesOf } from './variables.queries.ts';
import { checkHiding, checkVariable, type VariableInput } from './variables.rules.ts';

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

/** Creates a variable. @throws ApiError 400, 404 */
export async function createVariable(
  deps: Deps,
  owner: VariableOwner,
  input: VariableAttributes & { key: string; value: string },
): Promise<CiVariable> {
  const hidden = input.masked_and_hidden === true;
  if (hidden && input.masked === false) throw invalidModel({ masked: ['should be true when variable is hidden'] });
  const variable: VariableInput = {
    key: input.key.trim(),
    value: input.value,
    variable_type: input.variable_type ?? 'env_var',
    masked: bit(hidden || input.masked === true),
    raw: bit(input.raw === true),
    environment_scope: (input.environment_scope ?? '*').trim(),
    description: input.description ?? null,
  };
  checkVariable(variable, owner.kind);
  const now = timestamp(deps.clock);
  const ownerColumns = {
    project_id: owner.kind === 'project' ? owner.id : null,
    group_id: owner.kind === 'group' ? owner.id : null,
  };
  const rest = { protected: bit(input.protected === true), hidden: bit(hidden), created_at: now, updated_at: now };
  return taken(variable.key, () =>
    deps.db.transaction().execute(async (db) => {
      await lock(db, owner);
      const row = await db
        .insertInto('ci_variables')
        .values({ ...variable, value: sealedValue(deps, 'ci_variables', variable.value), ...ownerColumns, ...rest })
        .returningAll()
        .executeTakeFirstOrThrow();
      await checkNumber(transactionDeps(deps, db), owner);
      await recordAudit(deps, db, variableEntry(row, 'created'));
      return row;
    }),
  );
}

/** Locks the owner, so that variables are created one at a time. @throws ApiError 404 if it was deleted */
async function lock(db: Db, owner: VariableOwner): Promise<void> {
  if (owner.kind === 'instance') return lockInstance(db);
  if (!(await lockRow(db, owner.kind === 'project' ? 'projects' : 'namespaces', owner.id))) throw notFound();
}

/** Checks the limit after insertion. @throws ApiError 400 if it is exceeded */
async function checkNumber(deps: Deps, owner: VariableOwner): Promise<void> {
  const { max: fixed, name } = LIMITS[owner.kind];
  const limit = fixed ?? (await planLimits(deps)).ci_instance_level_variables;
  const { total } = await variablesOf(deps.db, owner)
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (Number(total) > orUnlimited(limit))
    throw invalidModel({ base: [`Maximum number of ${name} (${limit}) exceeded`] });
}

/** Updates the given attributes of a variable. @throws ApiError 400, 404, 409 */
export async function updateVariable(
  deps: Deps,
  owner: VariableOwner,
  key: string,
  scope: string | undefined,
  input: VariableAttributes,
): Promise<CiVariable> {
  const { clock } = deps;
  return taken(key, () =>
    deps.db.transaction().execute(async (db) => {
      const row = await findVariable(db, owner, key, scope);
      checkHiding(row, input);
      const variable: VariableInput = {
        key: row.key,
        value: input.value ?? openedVariable(deps, 'ci_variables', row).value,
        variable_type: input.variable_type ?? row.variable_type,
        masked: input.masked === undefined ? row.masked : bit(input.masked),
        raw: input.raw === undefined ? row.raw : bit(input.raw),
        environment_scope: input.environment_scope?.trim() ?? row.environment_scope,
        description: input.description === undefined ? row.description : input.description,
      };
      checkVariable(variable, owner.kind);
      const changed = await db
        .updateTable('ci_variables')
        .set({
          ...variable,
          value: input.value === undefined ? row.value : sealedValue(deps, 'ci_variables', input.value),
          protected: input.protected === undefined ? row.protected : bit(input.protected),
          updated_at: timestamp(clock),
        })
        .where('id', '=', row.id)
        .returningAll()
        .executeTakeFirstOrThrow(() => notFound('Variable'));
      await recordAudit({ clock }, db, variableEntry(changed, 'updated'));
      return changed;
    }),
  );
}

/** Deletes a variable. @throws ApiError 404, 409 */
export async function removeVariable(deps: Deps, owner: VariableOwner, key: string, scope?: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const row = await findVariable(db, owner, key, scope);
    const { numDeletedRows } = await db.deleteFrom('ci_variables').where('id', '=', row.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordAudit(deps, db, variableEntry(row, 'deleted'));
  });
}

/** @throws ApiError 400 if the owner has a variable with the same key and scope, 404 if it was deleted */
async function taken<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ key: [`(${key.trim()}) has already been taken`] });
    if (isForeignKeyViolation(error)) throw notFound();
    throw error;
  }
}
