import { type Expression, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { nonConfidentialIssues } from '../../../access/confidential-issues.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';
import { numberNoneAny } from '../issuables/issuables.filter-inputs.ts';
import { type Ids, narrow } from '../issuables/issuables.filters.ts';
import { orderTerms } from '../issuables/issuables.order.ts';
import { countIssuables, type Selection } from '../issuables/issuables.page.ts';
import { projectSources } from '../issuables/issuables.visible-projects.ts';
import { type ListedProject, narrowByRelease } from '../issuables/release-filter.ts';
import { visibleIssues } from '../issuables/visible-issues.ts';
import { dueWithin } from './due-dates.ts';
import type { IssueFilters } from './issues.filter-inputs.ts';

/** Scope of a list of issues: a project, a group (by its lineage) with its descendants, or everything. */
export interface IssueListScope {
  project?: ListedProject;
  below?: string;
}

const NOTHING = sql<SqlBool>`1 = 0`;
const column = (name: string) => sql.ref(`issues.${name}`);

/** Conditions of the filters of issues only. */
function byIssue(filters: IssueFilters, day: string): { conditions: Expression<SqlBool>[]; sources: Ids[] } {
  const conditions: Expression<SqlBool>[] = [];
  const sources: Ids[] = [];
  const { closed_by_id, due_date, issue_type, confidential, weight, health_status, not = {} } = filters;
  if (closed_by_id !== undefined) {
    conditions.push(sql<SqlBool>`${column('closed_by_id')} = ${closed_by_id}`);
    sources.push(sql`select issues.id from issues where issues.closed_by_id = ${closed_by_id}`);
  }
  if (due_date !== undefined) conditions.push(dueWithin(column('due_date'), due_date, day));
  if (issue_type !== undefined) conditions.push(sql<SqlBool>`${column('issue_type')} = ${issue_type}`);
  if (confidential !== undefined) conditions.push(sql<SqlBool>`${column('confidential')} = ${confidential ? 1 : 0}`);
  if (weight !== undefined) conditions.push(valueOrWord('weight', numberNoneAny(weight)));
  if (health_status !== undefined) {
    const word = health_status.toLowerCase();
    conditions.push(valueOrWord('health_status', word === 'none' || word === 'any' ? word : health_status));
  }
  // There are no epics and iterations, so no issue matches.
  for (const group of [filters.epic_id, filters.iteration_id]) {
    if (group !== undefined && group.toLowerCase() !== 'none') conditions.push(NOTHING);
  }
  if (not.weight !== undefined) {
    conditions.push(sql<SqlBool>`(${column('weight')} is null or ${column('weight')} <> ${not.weight})`);
  }
  return { conditions, sources };
}

function valueOrWord(name: string, value: number | string): Expression<SqlBool> {
  if (value === 'none') return sql<SqlBool>`${column(name)} is null`;
  if (value === 'any') return sql<SqlBool>`${column(name)} is not null`;
  return sql<SqlBool>`${column(name)} = ${value}`;
}

async function visibility(deps: Deps, caller: Caller, scope: IssueListScope, nonArchived: boolean) {
  if (scope.project !== undefined) {
    const { permissions } = scope.project;
    if (!permissions.can('read_issue')) return { conditions: [NOTHING], sources: [] };
    const conditions = permissions.can('read_confidential_issues') ? [] : [nonConfidentialIssues(caller)];
    return { conditions, sources: [] };
  }
  const projectFilter = { below: scope.below, nonArchived };
  const conditions = [visibleIssues(caller, today(deps.clock), projectFilter)];
  const sources = await projectSources(deps, caller, { feature: 'issues', level: AccessLevel.guest, ...projectFilter });
  return { conditions, sources };
}

/** Selects the issues of a scope that the caller may see and that match the filters, for `pageOfIssuables`. */
export async function selectIssues(
  deps: Deps,
  caller: Caller,
  scope: IssueListScope,
  filters: IssueFilters,
): Promise<Selection> {
  const common = await narrow(deps, caller, 'issues', filters);
  const own = byIssue(filters, today(deps.clock));
  const released = narrowByRelease('issues', scope.project, filters.release_tag);
  const visible = await visibility(deps, caller, scope, filters.non_archived === true);
  const { state = 'all', order_by = 'created_at', sort = 'desc' } = filters;
  return {
    table: 'issues',
    place: [
      ...(scope.project === undefined ? [] : [{ column: 'project_id', value: scope.project.project.id } as const]),
      ...(state === 'all' ? [] : [{ column: 'state', value: state } as const]),
    ],
    conditions: [...common.conditions, ...own.conditions, ...released.conditions, ...visible.conditions],
    sources: [...common.sources, ...own.sources, ...released.sources, ...visible.sources],
    order: orderTerms('issues', order_by, order_by === 'relative_position' ? 'asc' : sort),
  };
}

/** Counts issues by state; 10,001 stands for more than 10,000. */
export async function issueCounts(
  deps: Deps,
  caller: Caller,
  scope: IssueListScope,
  filters: IssueFilters,
): Promise<{ all: number; closed: number; opened: number }> {
  const count = async (state: 'opened' | 'closed') => {
    const selection = await selectIssues(deps, caller, scope, { ...filters, state });
    return countIssuables(deps, deps.db.selectFrom('issues').select('issues.id'), selection);
  };
  const [opened, closed] = [await count('opened'), await count('closed')];
  return { all: opened + closed, closed, opened };
}
