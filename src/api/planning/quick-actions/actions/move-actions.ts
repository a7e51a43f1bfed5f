import { findProject } from '../../../../access/lookup.ts';
import { ApiError, refused } from '../../../../core/core.errors.ts';
import { areLinked } from '../../issue-links/issue-links.queries.ts';
import { linkIssues } from '../../issue-links/issue-links.writes.ts';
import { closeAsDuplicate } from '../../issues/duplicate.ts';
import { cloneIssue, moveIssue } from '../../issues/issues.move.ts';
import { issueUrl } from '../../issues/issues.views.ts';
import { mayComment } from '../../notes/notes.rights.ts';
import {
  type Context,
  type ExecutionContext,
  ISSUES,
  mayManage,
  mayUpdate,
  type Outcome,
  type QuickAction,
} from '../quick-actions.action.ts';
import { issuesOf } from '../quick-actions.references.ts';

const mayMove = (c: Context): boolean => c.issue !== null && mayManage(c);

const unable = (verb: 'move' | 'clone') =>
  refused(`Unable to ${verb}. Target project or group doesn't exist or doesn't support this item type.`);

/** Moves or clones an issue to the project of a path; hidden projects are reported like unknown ones. */
async function transfer(
  { deps }: ExecutionContext,
  verb: 'move' | 'clone',
  path: string,
  work: (projectId: number) => Promise<unknown>,
): Promise<string> {
  const destination = await findProject(deps, path);
  if (destination === undefined) throw unable(verb);
  try {
    await work(destination.project.id);
    return verb === 'move' ? `Moved this item to ${path}.` : `Cloned this item to ${path}.`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) throw unable(verb);
    throw error.message.includes('originates') ? error : refused(`Unable to ${verb}. Insufficient permissions.`);
  }
}

async function duplicateOf(c: Context, argument: string): Promise<Outcome> {
  const [original] = await issuesOf(c, argument);
  const failed = (why: string) => ({ message: `Failed to mark this issue as a duplicate because ${why}.` });
  if (original === undefined) return failed('referenced item was not found');
  const issue = c.issue!;
  if (original.issue.id === issue.id) return { message: 'Failed to mark the issue as duplicate of itself.' };
  const { project, permissions } = original;
  const noteable = {
    type: 'Issue',
    id: original.issue.id,
    iid: original.issue.iid,
    projectId: project.id,
    authorId: original.issue.author_id,
    locked: original.issue.discussion_locked === 1,
  } as const;
  if (!(await mayUpdate(c)) || !mayComment(permissions, noteable)) {
    return { message: 'Failed to mark this issue as duplicate due to insufficient permissions.' };
  }
  const url = issueUrl(c.deps, project.full_path, original.issue.iid);
  return {
    message: `Closed this issue. Marked as related to, and a duplicate of, ${url}.`,
    changes: { canonical_issue_id: original.issue.id },
    inTransaction: async ({ deps, scope, issue: now }) => {
      await closeAsDuplicate(deps, scope.caller, { issue: now!, project: scope.project }, original);
      if (!(await areLinked(deps.db, issue.id, original.issue.id))) {
        await relate(deps, scope, now!, { target_project_id: project.id, target_issue_iid: original.issue.iid });
      }
      return undefined;
    },
  };
}

/** Links two issues if allowed: users who may comment on an issue may not always link it. */
async function relate(...args: Parameters<typeof linkIssues>): Promise<void> {
  try {
    await linkIssues(...args);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Quick actions that move, clone or deduplicate an issue. */
export const moveActions: readonly QuickAction[] = [
  { name: 'duplicate', on: ISSUES, once: true, requiresArgument: true, may: mayMove, evaluate: duplicateOf },
  {
    name: 'clone',
    on: ISSUES,
    once: true,
    may: mayMove,
    evaluate: (c, argument) => {
      const words = argument.split(/\s+/).filter((word) => word !== '');
      const paths = words.filter((word) => word !== '--with_notes');
      if (paths.length > 1) return { message: 'Failed to clone this item: wrong parameters.' };
      const withNotes = paths.length < words.length;
      const path = paths[0] ?? c.scope.project.full_path;
      return {
        changes: { clone_with_notes: withNotes },
        inTransaction: (at) =>
          transfer(at, 'clone', path, (id) => cloneIssue(at.deps, at.scope, at.issue!, id, withNotes)),
      };
    },
  },
  {
    name: 'move',
    on: ISSUES,
    once: true,
    requiresArgument: true,
    may: mayMove,
    evaluate: (_c, path) => ({
      inTransaction: (at) => transfer(at, 'move', path, (id) => moveIssue(at.deps, at.scope, at.issue!, id)),
    }),
  },
];
