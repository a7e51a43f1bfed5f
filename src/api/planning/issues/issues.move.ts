import type { UserCaller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { notFound, refused } from '../../../core/core.errors.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectScope } from '../../api.access.ts';
import { moveResourceEvents } from '../resource-events/resource-events.copy.ts';
import { copyNotes, copyReferences } from './copy-activity.ts';
import { copyIssue, type Destination } from './issues.copy.ts';
import { closeIssue } from './issues.state.ts';
import { lockIssue } from './issues.update.ts';
import { notifyOtherIssue } from './notify-other-issue.ts';

type Scope = ProjectScope & { caller: UserCaller };

/** Refusal for callers who may not move or clone an issue. */
export const insufficientPermissions = (verb: 'move' | 'clone') =>
  refused(`Cannot ${verb} issue due to insufficient permissions!`);

/** @throws ApiError 404 if the caller may not see the project, 400 if they may not move or clone there */
async function destination(deps: Deps, scope: Scope, id: number, verb: 'move' | 'clone'): Promise<Destination> {
  const issue = await findProject(deps, String(id));
  if (issue === undefined) throw notFound('Project');
  const there = await projectPermissions(deps, scope.caller, issue.project, issue.namespace);
  if (!there.can('read_project')) throw notFound('Project');
  if (!there.can('admin_issue')) throw insufficientPermissions(verb);
  return issue;
}

/**
 * Moves an issue to another project: copies it with its discussion, and closes the original.
 * @throws ApiError 404 or 400
 */
export async function moveIssue(deps: Deps, scope: Scope, unlockedIssue: Issue, toProjectId: number): Promise<Issue> {
  const { project, caller } = scope;
  const to = await destination(deps, scope, toProjectId, 'move');
  if (to.project.id === project.id) throw refused('Cannot move issue to project it originates from!');
  const actorId = caller.user.id;
  return inTransaction(deps.db, async (db) => {
    const issue = await lockIssue(db, unlockedIssue.id);
    if (issue.moved_to_id !== null) throw insufficientPermissions('move');
    const copy = await copyIssue(deps, db, issue, project, to, { authorId: issue.author_id, actorId });
    await copyNotes(db, issue, copy, project.full_path, { systemToo: true });
    await copyReferences(db, issue, copy);
    await moveResourceEvents(db, issue, copy, to.namespace);
    await db.updateTable('issues').set({ moved_to_id: copy.id }).where('id', '=', issue.id).execute();
    await notifyOtherIssue(deps, db, copy, issue, `moved from ${project.full_path}#${issue.iid}`, actorId);
    await notifyOtherIssue(deps, db, issue, copy, `moved to ${to.project.full_path}#${copy.iid}`, actorId);
    await closeIssue(deps, db, issue, actorId, { movedToId: copy.id });
    return db.selectFrom('issues').selectAll().where('id', '=', copy.id).executeTakeFirstOrThrow();
  });
}

/**
 * Clones an issue into this or another project, with the caller as author.
 * @param withNotes whether to copy its comments as well
 * @throws ApiError 404 or 400
 */
export async function cloneIssue(
  deps: Deps,
  scope: Scope,
  unlockedIssue: Issue,
  toProjectId: number,
  withNotes: boolean,
): Promise<Issue> {
  const { project, caller } = scope;
  const to = await destination(deps, scope, toProjectId, 'clone');
  const actorId = caller.user.id;
  return inTransaction(deps.db, async (db) => {
    const issue = await lockIssue(db, unlockedIssue.id);
    const copy = await copyIssue(deps, db, issue, project, to, { authorId: actorId, actorId });
    if (withNotes) await copyNotes(db, issue, copy, project.full_path, { systemToo: false });
    await notifyOtherIssue(deps, db, copy, issue, `cloned from ${project.full_path}#${issue.iid}`, actorId);
    await notifyOtherIssue(deps, db, issue, copy, `cloned to ${to.project.full_path}#${copy.iid}`, actorId);
    return db.selectFrom('issues').selectAll().where('id', '=', copy.id).executeTakeFirstOrThrow();
  });
}
