import { conflict, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiVariable } from '../../../db/tables/ci-variables.table.ts';
import type { VariableOwner } from './variable-owner.ts';

/** Query for the variables of an owner, oldest first. */
export function variablesOf(db: Db, { kind, id }: VariableOwner) {
  const rows = db.selectFrom('ci_variables').selectAll().orderBy('id');
  if (kind === 'project') return rows.where('project_id', '=', id);
  if (kind === 'group') return rows.where('group_id', '=', id);
  return rows.where('project_id', 'is', null).where('group_id', 'is', null);
}

const NAMES = { project: 'Variable', group: 'GroupVariable', instance: 'InstanceVariable' } as const;

/**
 * Returns a variable by key.
 * @param scope exact environment scope; undefined if the key is expected to be unique
 * @throws ApiError 404; 409 if several variables have the key
 */
export async function findVariable(db: Db, owner: VariableOwner, key: string, scope?: string): Promise<CiVariable> {
  const all = variablesOf(db, owner).where('key', '=', key);
  const [first, second] = await (scope === undefined ? all : all.where('environment_scope', '=', scope))
    .limit(2)
    .execute();
  if (first === undefined) throw notFound(NAMES[owner.kind]);
  if (second !== undefined) {
    throw conflict("There are multiple variables with provided parameters. Please use 'filter[environment_scope]'");
  }
  return first;
}
