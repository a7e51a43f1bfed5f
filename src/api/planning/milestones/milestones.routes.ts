import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { withGroupAbility } from '../../api.access.ts';
import { groupMilestones, type MilestoneSpace, projectMilestones } from './milestone-owner.ts';
import { milestonesById } from './milestones.find.ts';
import { CreateMilestone, MilestoneFilters, milestoneId, UpdateMilestone } from './milestones.inputs.ts';
import { promoteMilestone } from './milestones.promote.ts';
import { milestoneList } from './milestones.queries.ts';
import { Milestone } from './milestones.responses.ts';
import { presentMilestone } from './milestones.views.ts';
import { createMilestone, destroyMilestone, getMilestone, updateMilestone } from './milestones.writes.ts';

const GroupFilters = Type.Object({
  ...MilestoneFilters.properties,
  include_descendants: Type.Optional(
    Type.Boolean({ description: 'Include milestones of subgroups and projects; defaults to false.' }),
  ),
});

const milestonesOf = <A extends object>({ path, noun, read, admin, owner }: MilestoneSpace<A>): Route[] => [
  route({
    method: 'GET',
    path,
    summary: `List the milestones of a ${noun}`,
    access: read,
    input: noun === 'group' ? GroupFilters : MilestoneFilters,
    rules: { mutuallyExclusive: [['include_ancestors', 'include_parent_milestones']] },
    success: { status: 200, schema: Type.Array(Milestone) },
    handler: async (c) => {
      const { deps } = c;
      const query = await milestoneList(deps, deps.db, c.caller, owner(c), c.input);
      return c.page(query, async (rows) => {
        const shown = await milestonesById(deps, deps.db, pluck(rows, 'id'));
        return rows.flatMap(({ id }) => shown.get(id) ?? []);
      });
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:milestone_id`,
    summary: `Get a milestone of a ${noun}`,
    access: read,
    params: Type.Object(milestoneId),
    success: { status: 200, schema: Milestone },
    errors: [404],
    handler: async (c) => {
      const space = owner(c);
      return presentMilestone(c.deps, await getMilestone(c.deps.db, space, c.params.milestone_id), space.fullPath);
    },
  }),
  route({
    method: 'POST',
    path,
    summary: `Create a milestone in a ${noun}`,
    access: admin,
    input: CreateMilestone,
    success: { status: 201, schema: Milestone },
    handler: async (c) => {
      const space = owner(c);
      const created = await createMilestone(c.deps, space, c.input, c.caller.user?.id ?? null);
      return presentMilestone(c.deps, created, space.fullPath);
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/:milestone_id`,
    summary: `Change, close or reopen a milestone of a ${noun}`,
    access: admin,
    params: Type.Object(milestoneId),
    input: UpdateMilestone,
    rules: { atLeastOne: [['title', 'description', 'start_date', 'due_date', 'state_event']] },
    success: { status: 200, schema: Milestone },
    errors: [404],
    handler: async (c) => {
      const space = owner(c);
      const actorId = c.caller.user?.id ?? null;
      const updated = await updateMilestone(c.deps, space, c.params.milestone_id, c.input, actorId);
      return presentMilestone(c.deps, updated, space.fullPath);
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:milestone_id`,
    summary: `Delete a milestone of a ${noun}`,
    access: admin,
    params: Type.Object(milestoneId),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async (c) => {
      const space = owner(c);
      const { id, updated_at } = await getMilestone(c.deps.db, space, c.params.milestone_id);
      checkUnmodifiedSince(c.request, updated_at);
      await destroyMilestone(c.deps, space, id, c.caller.user?.id ?? null);
    },
  }),
];

export const milestoneRoutes: Route[] = [
  ...milestonesOf(projectMilestones),
  ...milestonesOf(groupMilestones),
  route({
    method: 'POST',
    path: `${projectMilestones.path}/:milestone_id/promote`,
    summary: 'Promote a project milestone to a group milestone',
    access: withGroupAbility(projectMilestones.admin, 'admin_group_milestone'),
    params: Type.Object(milestoneId),
    success: { status: 200, schema: Milestone },
    errors: [404],
    handler: async (c) => {
      const { deps, namespace, caller } = c;
      const { milestone_id } = c.params;
      const row = await promoteMilestone(
        deps,
        projectMilestones.owner(c),
        namespace,
        milestone_id,
        caller.user?.id ?? null,
      );
      return presentMilestone(deps, row, namespace.full_path);
    },
  }),
];
