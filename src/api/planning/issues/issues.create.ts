import type { Insertable } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict } from '../../../core/core.errors.ts';
import { issueFacts, type LabelFacts } from '../../../core/event-facts.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import type { Issue, IssuesTable } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { perMinute } from '../../../settings/throttles.ts';
import type { ProjectScope } from '../../api.access.ts';
import type { Origin } from '../../user-agent.ts';
import { changeAssignees } from '../issuables/assignees.ts';
import { changeLabels } from '../issuables/issuables.labels.ts';
import type { ValueChange } from '../issuables/issuables.target.ts';
import { recordMilestone, recordWeight } from '../resource-events/resource-events.record.ts';
import { todosOfChanges } from '../todos/todos.changes.ts';
import type { FollowUp } from './follow-up.ts';
import { assigneesOf, checkAttributes, columnsOf, milestoneOf } from './issues.attributes.ts';
import type { IssueInput } from './issues.inputs.ts';
import { rightsOnCreation } from './issues.rights.ts';
import { POSITION_STEP } from './positions.ts';

/** Columns of a new issue, without those that are set automatically. */
export type NewIssue = Omit<Insertable<IssuesTable>, 'iid' | 'project_id' | 'created_at' | 'updated_at'> & {
  created_at?: string;
};

/**
 * Inserts a new issue within a transaction, with the next number of the project and at the end of its order.
 * @param requestedIid requested number
 */
export async function insertIssue(
  deps: Deps,
  db: Db,
  projectId: number,
  columns: NewIssue,
  requestedIid?: number,
): Promise<Issue> {
  const now = timestamp(deps.clock);
  const iid = await nextIid(db, { source_type: 'project', source_id: projectId, usage: 'issues' }, requestedIid);
  return db
    .insertInto('issues')
    .values({
      created_at: now,
      ...columns,
      iid,
      project_id: projectId,
      relative_position: iid * POSITION_STEP,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Records the creation of an issue; call it after labels and assignees are set. */
export async function recordCreation(
  deps: Deps,
  db: Db,
  issue: Issue,
  { labels, assigned }: { labels: ValueChange<LabelFacts[]>; assigned: ValueChange<number[]> },
  actorId: number,
): Promise<void> {
  const { id, project_id: projectId } = issue;
  await deps.events.record(
    db,
    'issue.created',
    {
      issue_id: id,
      project_id: projectId,
      issue: issueFacts(issue),
      labels: labels?.[1] ?? [],
      assignee_ids: assigned?.[1] ?? [],
    },
    { projectId, actorId },
  );
}

async function keepOrigin(db: Db, issue_id: number, { userAgent, address }: Origin): Promise<void> {
  if (userAgent === null) return;
  await db.insertInto('issue_user_agents').values({ issue_id, user_agent: userAgent, ip_address: address }).execute();
}

/** Creates to-do items for the assignees of a new issue. */
export const notifyAssignees = (
  deps: Deps,
  db: Db,
  { id, project_id: projectId }: Issue,
  assigned: [number[], number[]],
  actorId: number,
): Promise<void> => todosOfChanges(deps, db, { type: 'Issue', id, projectId }, { assignee_ids: assigned }, actorId);

/** Records resource events for the initial milestone and weight. */
export async function recordInitialEvents(
  deps: Deps,
  db: Db,
  { id, project_id: projectId, milestone_id, weight }: Issue,
  actorId: number,
): Promise<void> {
  if (milestone_id !== null) {
    const change = { before: null, after: milestone_id, state: 'opened' } as const;
    await recordMilestone(deps, db, { type: 'Issue', id, projectId }, actorId, change);
  }
  if (weight !== null) await recordWeight(deps, db, { id, projectId }, actorId, weight);
}

/**
 * Creates an issue. Ignores attributes that the caller may not set.
 * @param origin user agent and IP address of the request, for administrators
 * @param follow threads that it continues and resolves
 * @param after further work in the same transaction
 * @throws ApiError 400 for invalid attributes, 409 for a taken number, 429
 */
export async function createIssue(
  deps: Deps,
  scope: ProjectScope & { caller: UserCaller },
  input: IssueInput & { title: string },
  origin: Origin,
  follow: FollowUp | null = null,
  after?: (db: Db, issue: Issue) => Promise<void>,
): Promise<Issue> {
  const { project, namespace, caller } = scope;
  deps.limiter.check('issues_create', `user:${caller.user.id}`, perMinute(deps.settings.now.issues_create_limit));
  checkAttributes(input);
  const rights = rightsOnCreation(scope.permissions);
  return deps.db
    .transaction()
    .execute(async (db) => {
      const milestone = await milestoneOf(db, scope, input, rights);
      const columns = {
        description: null,
        discussion_locked: null,
        weight: null,
        health_status: null,
        start_date: null,
        due_date: null,
        relative_position: null,
        moved_to_id: null,
        duplicated_to_id: null,
        closed_at: null,
        closed_by_id: null,
        updated_by_id: null,
        ...columnsOf(input, rights, true),
        milestone_id: milestone?.id ?? null,
        title: input.title.trim(),
        author_id: caller.user.id,
      };
      const requestedIid = rights.backdate ? input.iid : undefined;
      const made = await insertIssue(deps, db, project.id, columns, requestedIid);
      await recordInitialEvents(deps, db, made, caller.user.id);
      await keepOrigin(db, made.id, origin);
      const target = { type: 'Issue', id: made.id, project, namespace } as const;
      let labels: ValueChange<LabelFacts[]> = null;
      if (rights.manage && (input.labels ?? input.add_labels) !== undefined) {
        const change = { labels: input.labels ?? undefined, add: input.add_labels, remove: input.remove_labels };
        const actor = { userId: caller.user.id, mayCreate: scope.permissions.can('admin_label') };
        labels = await changeLabels(deps, db, target, change, actor);
      }
      const assigned = await changeAssignees(deps, db, target, assigneesOf(input, rights) ?? [], caller.user.id);
      if (assigned !== null) await notifyAssignees(deps, db, made, assigned, caller.user.id);
      await recordCreation(deps, db, made, { labels, assigned }, caller.user.id);
      await follow?.resolve(db, made);
      await after?.(db, made);
      return made;
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? conflict('Duplicated issue') : error;
    });
}
