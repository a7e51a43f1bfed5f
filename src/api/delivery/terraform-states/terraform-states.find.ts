import { notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { TerraformStateVersion } from '../../../db/tables/terraform-state-versions.table.ts';
import type { TerraformState } from '../../../db/tables/terraform-states.table.ts';

/** Returns a state by name. @throws ApiError 404 */
export async function findState(db: Db, projectId: number, name: string): Promise<TerraformState> {
  return db
    .selectFrom('terraform_states')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow(() => notFound());
}

/** Returns the version with a serial, or the current one with the highest serial; undefined if there is none. */
export const findVersion = (db: Db, stateId: number, serial?: number): Promise<TerraformStateVersion | undefined> =>
  db
    .selectFrom('terraform_state_versions')
    .selectAll()
    .where('terraform_state_id', '=', stateId)
    .$if(serial !== undefined, (query) => query.where('serial', '=', serial!))
    .orderBy('serial', 'desc')
    .limit(1)
    .executeTakeFirst();
