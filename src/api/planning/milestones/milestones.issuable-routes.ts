import { sql } from 'kysely';
import { Type } from 'typebox';
import { today } from '../../../core/clock.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inOrder, orderTerms } from '../issuables/issuables.order.ts';
import { visibleIssues } from '../issuables/visible-issues.ts';
import { visibleMergeRequests } from '../issuables/visible-merge-requests.ts';
import { IssueBasic } from '../issues/issues.responses.ts';
import { presentBasicIssues } from '../issues/issues.views.ts';
import { MergeRequestBasic } from '../merge-requests/views/merge-requests.responses.ts';
import { presentMergeRequests } from '../merge-requests/views/merge-requests.views.ts';
import { groupMilestones, type MilestoneOwner, type MilestoneSpace, projectMilestones } from './milestone-owner.ts';
import { milestoneId } from './milestones.inputs.ts';
import { getMilestone } from './milestones.writes.ts';

/** Ids of the project itself, or of the direct projects of the group. */
const projectsOf = ({ deps }: BaseContext, owner: MilestoneOwner) =>
  deps.db
    .selectFrom('projects')
    .select('projects.id')
    .where(owner.type === 'project' ? 'projects.id' : 'projects.namespace_id', '=', owner.id);

/** Order by label priority, which has no index; without priorities, order by id, which has one. */
async function orderIn(c: BaseContext, owner: MilestoneOwner, table: 'issues' | 'merge_requests') {
  const priority = await c.deps.db
    .selectFrom('label_priorities')
    .select('label_id')
    .where('project_id', 'in', projectsOf(c, owner))
    .limit(1)
    .executeTakeFirst();
  if (priority !== undefined) return orderTerms(table, 'label_priority', 'asc');
  return [{ value: sql.ref(`${table}.id`), nullable: false, direction: 'asc' as const }];
}

/** A page of the issues of the milestone that the caller may read, ordered by label priority. */
async function issuesOf(c: BaseContext, owner: MilestoneOwner, id: number): Promise<IssueBasic[]> {
  const { deps, caller } = c;
  const { id: milestone } = await getMilestone(deps.db, owner, id);
  const query = deps.db
    .selectFrom('issues')
    .selectAll('issues')
    .where('issues.milestone_id', '=', milestone)
    .where('issues.project_id', 'in', projectsOf(c, owner))
    .where(visibleIssues(caller, today(deps.clock)));
  const sorted = inOrder(query, 'issues', await orderIn(c, owner, 'issues'));
  return c.page(sorted, (rows) => presentBasicIssues(deps, caller, rows));
}

/** As `issuesOf`, for merge requests. */
async function mergeRequestsOf(c: BaseContext, owner: MilestoneOwner, id: number): Promise<MergeRequestBasic[]> {
  const { deps, caller } = c;
  const { id: milestone } = await getMilestone(deps.db, owner, id);
  const query = deps.db
    .selectFrom('merge_requests')
    .selectAll('merge_requests')
    .where('merge_requests.milestone_id', '=', milestone)
    .where('merge_requests.project_id', 'in', projectsOf(c, owner))
    .where(visibleMergeRequests(caller, today(deps.clock)));
  const sorted = inOrder(query, 'merge_requests', await orderIn(c, owner, 'merge_requests'));
  return c.page(sorted, (rows) => presentMergeRequests(deps, rows));
}

const issuablesOf = <A extends object>({ path, noun, read, owner }: MilestoneSpace<A>): Route[] => [
  route({
    method: 'GET',
    path: `${path}/:milestone_id/issues`,
    summary: `List the issues of a milestone of a ${noun}`,
    access: read,
    params: Type.Object(milestoneId),
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(IssueBasic) },
    errors: [404],
    handler: (c) => issuesOf(c, owner(c), c.params.milestone_id),
  }),
  route({
    method: 'GET',
    path: `${path}/:milestone_id/merge_requests`,
    summary: `List the merge requests of a milestone of a ${noun}`,
    access: read,
    params: Type.Object(milestoneId),
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(MergeRequestBasic) },
    errors: [404],
    handler: (c) => mergeRequestsOf(c, owner(c), c.params.milestone_id),
  }),
];

export const milestoneIssuableRoutes: Route[] = [...issuablesOf(projectMilestones), ...issuablesOf(groupMilestones)];
