import { type Static, Type } from 'typebox';
import { today } from '../../../core/clock.ts';
import type { Milestone as MilestoneRow } from '../../../db/tables/issues.ts';
import type { Deps } from '../../../deps.ts';
import { Day, Enum, Instant, Nullable } from '../../../http/schema.ts';

/** Milestone of a project (`project_id`) or a group (`group_id`); part 1, section 2 leaves it to the platform. */
export const Milestone = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer()),
  group_id: Type.Optional(Type.Integer()),
  title: Type.String(),
  description: Type.String(),
  state: Enum(['active', 'closed']),
  created_at: Instant(),
  updated_at: Instant(),
  due_date: Nullable(Day()),
  start_date: Nullable(Day()),
  expired: Type.Boolean({ description: 'Whether the due date has passed.' }),
  web_url: Type.String(),
});
export type Milestone = Static<typeof Milestone>;

/**
 * A milestone as the API shows it.
 * @param fullPath of the project or group that it belongs to
 */
export function presentMilestone(deps: Deps, milestone: MilestoneRow, fullPath: string): Milestone {
  const { project_id, group_id, iid, due_date } = milestone;
  const home = `${deps.externalUrl()}/${project_id === null ? 'groups/' : ''}${fullPath}`;
  return {
    id: milestone.id,
    iid,
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
    title: milestone.title,
    description: milestone.description,
    state: milestone.state,
    created_at: milestone.created_at,
    updated_at: milestone.updated_at,
    due_date,
    start_date: milestone.start_date,
    expired: due_date !== null && due_date < today(deps.clock),
    web_url: `${home}/-/milestones/${iid}`,
  };
}
