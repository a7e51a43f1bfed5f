import type { Expression, SqlBool } from 'kysely';
import type { Caller } from '../../../../access/caller.ts';
import { AccessLevel } from '../../../../core/access-levels.ts';
import { today } from '../../../../core/clock.ts';
import type { PageRange } from '../../../../db/paginate.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { type Ids, narrow } from '../../issuables/issuables.filters.ts';
import { orderTerms } from '../../issuables/issuables.order.ts';
import { pageOfIssuables, type Selection } from '../../issuables/issuables.page.ts';
import { projectSources } from '../../issuables/issuables.visible-projects.ts';
import { type ListedProject, narrowByRelease } from '../../issuables/release-filter.ts';
import { visibleMergeRequests } from '../../issuables/visible-merge-requests.ts';
import { isUnchecked } from '../lifecycle/merge-status.ts';
import { enqueueRefresh } from '../mergeability/refresh.ts';
import type { MergeRequestFilters } from './merge-requests.filter-inputs.ts';
import { narrowMergeRequests } from './merge-requests.filters.ts';

/** Scope of a list of merge requests: a project, a group (by its lineage) with its descendants, or everything. */
export interface MergeRequestListScope {
  project?: ListedProject;
  below?: string;
}

async function visibility(
  deps: Deps,
  caller: Caller,
  { project, below }: MergeRequestListScope,
  nonArchived: boolean,
): Promise<{ conditions: Expression<SqlBool>[]; sources: Ids[] }> {
  if (project !== undefined) return { conditions: [], sources: [] };
  const projectFilter = { below, nonArchived };
  const conditions = [visibleMergeRequests(caller, today(deps.clock), projectFilter)];
  const feature = { feature: 'merge_requests', level: AccessLevel.reporter } as const;
  return { conditions, sources: await projectSources(deps, caller, { ...feature, ...projectFilter }) };
}

async function select(
  deps: Deps,
  caller: Caller,
  scope: MergeRequestListScope,
  filters: MergeRequestFilters,
): Promise<Selection> {
  const projectId = scope.project?.project.id;
  const common = await narrow(deps, caller, 'merge_requests', filters);
  const own = await narrowMergeRequests(deps, caller, filters, projectId);
  const released = narrowByRelease('merge_requests', scope.project, filters.release_tag);
  const visible = await visibility(deps, caller, scope, filters.non_archived === true);
  const { state = 'all', order_by = 'created_at', sort = 'desc' } = filters;
  return {
    table: 'merge_requests',
    place: [
      ...(projectId === undefined ? [] : [{ column: 'project_id', value: projectId } as const]),
      ...(state === 'all' ? [] : [{ column: 'state', value: state } as const]),
    ],
    conditions: [...common.conditions, ...own.conditions, ...released.conditions, ...visible.conditions],
    sources: [...common.sources, ...own.sources, ...released.sources, ...visible.sources],
    order: orderTerms('merge_requests', order_by, sort),
  };
}

/** A page of the merge requests of a scope that the caller may see and that match the filters. */
export async function listMergeRequests(
  deps: Deps,
  caller: Caller,
  scope: MergeRequestListScope,
  filters: MergeRequestFilters,
  page: PageRange,
): Promise<{ rows: MergeRequest[]; total: number }> {
  const selection = await select(deps, caller, scope, filters);
  const query = deps.db.selectFrom('merge_requests').selectAll('merge_requests');
  const listed = await pageOfIssuables(deps, query, selection, page);
  if (filters.with_merge_status_recheck && caller.user !== null) await recheck(deps, listed.rows);
  return listed;
}

async function recheck(deps: Deps, rows: readonly MergeRequest[]): Promise<void> {
  const unchecked = rows.filter(isUnchecked);
  for (const { id } of unchecked) await enqueueRefresh(deps, deps.db, id);
}
