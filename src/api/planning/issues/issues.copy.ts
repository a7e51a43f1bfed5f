import { lineageIds } from '../../../access/access.membership.ts';
import { withFullReferences } from '../../../core/core.references.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { assigneesFor, changeAssignees } from '../issuables/assignees.ts';
import { changeLabels, labelsFor } from '../issuables/issuables.labels.ts';
import { insertIssue, notifyAssignees, recordCreation, recordInitialEvents } from './issues.create.ts';

/** Destination of a copy. */
export interface Destination {
  project: Project;
  namespace: Namespace;
}

/** Milestone of the destination with the title of the issue's milestone. */
async function milestoneThere(db: Db, issue: Issue, { project, namespace }: Destination): Promise<number | null> {
  if (issue.milestone_id === null) return null;
  const milestone = await db
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', db.selectFrom('milestones').select('title').where('id', '=', issue.milestone_id))
    .where((eb) => eb.or([eb('project_id', '=', project.id), eb('group_id', 'in', lineageIds(namespace.lineage))]))
    .orderBy('id')
    .executeTakeFirst();
  return milestone?.id ?? null;
}

/**
 * Writes a copy of an issue within a transaction: texts (with qualified references), dates, and those labels, milestone
 * and users that exist in the destination.
 * @param from project of the original
 */
export async function copyIssue(
  deps: Deps,
  db: Db,
  issue: Issue,
  from: Project,
  to: Destination,
  options: { authorId: number; actorId: number },
): Promise<Issue> {
  const { id, iid, project_id, created_at, updated_at, ...columns } = issue;
  const copy = await insertIssue(deps, db, to.project.id, {
    ...columns,
    description: issue.description === null ? null : withFullReferences(issue.description, from.full_path),
    author_id: options.authorId,
    milestone_id: await milestoneThere(db, issue, to),
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    moved_to_id: null,
    duplicated_to_id: null,
    updated_by_id: null,
    time_spent: 0,
    user_notes_count: 0,
    upvotes: 0,
    downvotes: 0,
  });
  await recordInitialEvents(deps, db, copy, options.actorId);
  const target = { type: 'Issue', id: copy.id, ...to } as const;
  const names = (await labelsFor(db, 'Issue', [id])).get(id)!.map(({ name }) => name);
  const actor = { userId: options.actorId, mayCreate: false };
  const labels = await changeLabels(deps, db, target, { labels: names }, actor);
  const assignees = (await assigneesFor(db, 'Issue', [id])).get(id)!.map((user) => user.id);
  const assigned = await changeAssignees(deps, db, target, assignees, options.actorId);
  if (assigned !== null) await notifyAssignees(deps, db, copy, assigned, options.actorId);
  await recordCreation(deps, db, copy, { labels, assigned }, options.actorId);
  return copy;
}
