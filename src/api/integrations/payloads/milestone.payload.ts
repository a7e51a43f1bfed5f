import type { MilestoneFacts } from '../../../core/event-facts.ts';
import type { Milestone } from '../../../db/tables/milestones.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { groupOf, groupPayload } from './groups.payload.ts';
import { utcText } from './payloads.times.ts';
import { fullProjectPayload, projectOf } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';

const ACTIONS = {
  'milestone.created': 'create',
  'milestone.closed': 'close',
  'milestone.reopened': 'reopen',
  'milestone.destroyed': 'delete',
} as const;

type MilestoneForPayload = MilestoneFacts & Pick<Milestone, 'id' | 'project_id' | 'group_id'>;

/** Hook payload of a project or group for a milestone that was created, closed, reopened or deleted. */
export async function milestoneHookEvent(
  deps: Deps,
  event: RecordedEvent<keyof typeof ACTIONS>,
): Promise<BuiltPayload | undefined> {
  const { milestone, milestone_id: id, project_id, group_id } = event.payload;
  return milestone && (await build(deps, { ...milestone, id, project_id, group_id }, ACTIONS[event.type]));
}

/** Returns the project or group of an object; undefined if deleted. */
export async function milestoneOwnerOf(
  deps: Deps,
  { project_id, group_id }: Pick<Milestone, 'project_id' | 'group_id'>,
) {
  if (project_id !== null) {
    const project = await projectOf(deps, project_id);
    const shown = project && { project: fullProjectPayload(deps, project) };
    return project && { projectId: project_id, groupId: null, shown: shown!, fullPath: project.row.full_path };
  }
  const group = group_id === null ? undefined : await groupOf(deps.db, group_id);
  return (
    group && { projectId: null, groupId: group.id, shown: { group: groupPayload(group) }, fullPath: group.full_path }
  );
}

async function build(deps: Deps, milestone: MilestoneForPayload, action: string): Promise<BuiltPayload | undefined> {
  const owner = await milestoneOwnerOf(deps, milestone);
  if (owner === undefined) return undefined;
  const { projectId, groupId, shown } = owner;
  return {
    projectId,
    groupId,
    payload: {
      object_kind: 'milestone',
      event_type: 'milestone',
      ...shown,
      object_attributes: {
        id: milestone.id,
        iid: milestone.iid,
        title: milestone.title,
        description: milestone.description,
        state: milestone.state,
        created_at: utcText(milestone.created_at),
        updated_at: utcText(milestone.updated_at),
        due_date: milestone.due_date,
        start_date: milestone.start_date,
        group_id: milestone.group_id,
        project_id: milestone.project_id,
      },
      action,
    },
  };
}

/**
 * Returns the payload of the last milestone of a project as if just created, for tests of hooks; undefined if there is
 * none.
 */
export async function sampleMilestone(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('milestones')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (await build(deps, row, 'create'));
}
