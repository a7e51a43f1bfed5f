import { timestamp } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { ResourceGroup } from '../../../db/tables/resource-groups.table.ts';
import type { Deps } from '../../../deps.ts';
import { assignResource } from '../../../pipelines/states/pipeline-states.resource-groups.ts';

/** Has jobs get a group in another order from now on. @throws ApiError 404 */
export async function setProcessMode(
  deps: Deps,
  group: ResourceGroup,
  process_mode: ResourceGroup['process_mode'] | undefined,
): Promise<ResourceGroup> {
  if (process_mode === undefined || process_mode === group.process_mode) return group;
  const row = await deps.db
    .updateTable('resource_groups')
    .set({ process_mode, updated_at: timestamp(deps.clock) })
    .where('id', '=', group.id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw recordNotFound();
  // Who had to wait for another one may be next now.
  await assignResource(deps, row.id);
  return row;
}
