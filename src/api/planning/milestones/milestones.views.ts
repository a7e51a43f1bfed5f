import { today } from '../../../core/clock.ts';
import type { Milestone as MilestoneRow } from '../../../db/tables/milestones.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Milestone } from './milestones.responses.ts';

/**
 * Presents a milestone.
 * @param fullPath of the project or group that it belongs to
 */
export function presentMilestone(deps: Deps, milestone: MilestoneRow, fullPath: string): Milestone {
  const { project_id, group_id, iid, due_date } = milestone;
  const owner = `${deps.externalUrl()}/${project_id === null ? 'groups/' : ''}${fullPath}`;
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
    web_url: `${owner}/-/milestones/${iid}`,
  };
}
