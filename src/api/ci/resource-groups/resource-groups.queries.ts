import type { Db } from '../../../db/db.schema.ts';
import type { ResourceGroup } from '../../../db/tables/resource-groups.table.ts';

/**
 * Query for the jobs that wait for a resource group, next one first. In ordered modes it includes jobs that wait for
 * others.
 */
export function upcomingJobs(db: Db, { id, process_mode }: Pick<ResourceGroup, 'id' | 'process_mode'>) {
  const jobs = db.selectFrom('ci_jobs').selectAll().where('resource_group_id', '=', id).where('retried', '=', 0);
  const waiting = jobs.where('status', '=', 'waiting_for_resource');
  const upcoming = jobs.where('status', 'in', ['waiting_for_resource', 'created', 'scheduled']);
  switch (process_mode) {
    case 'unordered':
      return waiting.orderBy('id');
    case 'newest_ready_first':
      return waiting.orderBy('pipeline_id', 'desc').orderBy('id');
    case 'oldest_first':
      return upcoming.orderBy('pipeline_id').orderBy('id');
    case 'newest_first':
      return upcoming.orderBy('pipeline_id', 'desc').orderBy('id');
  }
}
