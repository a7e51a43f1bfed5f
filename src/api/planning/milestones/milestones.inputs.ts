import { type Static, Type } from 'typebox';
import { Day, Enum, Instant, List, Nullable, pagination } from '../../../http/http.schema.ts';

const search = Type.String({ maxLength: 1_000 });

export const MilestoneFilters = Type.Object({
  iids: Type.Optional(List(Type.Integer(), { description: 'Ignored with `include_ancestors`.' })),
  state: Type.Optional(Enum(['active', 'closed', 'all'], { default: 'all' })),
  title: Type.Optional(Type.String({ maxLength: 1_000, description: 'Exact title.' })),
  search: Type.Optional({ ...search, description: 'Words to search for in title and description.' }),
  search_title: Type.Optional({ ...search, description: 'Words to search for in the title.' }),
  include_ancestors: Type.Optional(
    Type.Boolean({ description: 'Include milestones of ancestor groups; defaults to false.' }),
  ),
  include_parent_milestones: Type.Optional(Type.Boolean({ description: 'Old name of `include_ancestors`.' })),
  updated_before: Type.Optional(Instant()),
  updated_after: Type.Optional(Instant()),
  containing_date: Type.Optional(Day({ description: 'Only milestones that include this date.' })),
  start_date: Type.Optional(Day({ description: 'With `end_date`: only milestones that overlap the period.' })),
  end_date: Type.Optional(Day()),
  ...pagination,
});
export type MilestoneFilters = Static<typeof MilestoneFilters>;

const shared = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 1_000_000 }))),
  due_date: Type.Optional(Nullable(Day())),
  start_date: Type.Optional(Nullable(Day({ description: 'Start date; must be before the due date.' }))),
};

export const CreateMilestone = Type.Object({
  title: Type.String({ description: 'At most 255 characters.' }),
  ...shared,
});

export type CreateMilestoneInput = Static<typeof CreateMilestone>;

export const UpdateMilestone = Type.Object({
  title: Type.Optional(Type.String()),
  state_event: Type.Optional(Enum(['close', 'activate'])),
  ...shared,
});

export type UpdateMilestoneInput = Static<typeof UpdateMilestone>;

export const milestoneId = { milestone_id: Type.Integer({ description: 'Id of the milestone, not its iid.' }) };
