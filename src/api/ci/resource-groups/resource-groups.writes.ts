import { timestamp } from '../../../core/clock.ts';
import { recordNotFound } from '../../../core/core.errors.ts';
import type { ResourceGroup } from '../../../db/tables/resource-groups.table.ts';
import type { Deps } from '../../../deps.ts';
import { assignResource } from '../../../pipelines/states/pipeline-states.resource-groups.ts';

/** Sets the process mode of a resource group. @throws ApiError 404 */
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
    .executeTakeFirstOrThrow(recordNotFound);
  // A job that waited for another one may be next in the new order.
  await assignResource(deps, row.id);
  return row;
}
