import { conflict, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CiVariable } from '../../../db/tables/ci-variables.table.ts';
import type { VariableOwner } from './variable-owner.ts';

/** The variables of one place, the oldest first. */
export function variablesOf(db: Db, { kind, id }: VariableOwner) {
  const rows = db.selectFrom('ci_variables').selectAll().orderBy('id');
  if (kind === 'project') return rows.where('project_id', '=', id);
  if (kind === 'group') return rows.where('group_id', '=', id);
  return rows.where('project_id', 'is', null).where('group_id', 'is', null);
}

const NAMES = { project: 'Variable', group: 'GroupVariable', instance: 'InstanceVariable' } as const;

/**
 * The one of a key.
 * @param scope exactly these environments; undefined where only one of the key is expected
 * @throws ApiError 404, or 409 where the key alone does not say which one is meant
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
