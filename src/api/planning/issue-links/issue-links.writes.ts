import { sql } from 'kysely';
import { allowsOn } from '../../../access/ability-target.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { timestamp } from '../../../core/clock.ts';
import { conflict, notFound, recordNotFound, refused } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssueLink } from '../../../db/tables/issue-links.table.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import { inTransaction } from '../../../db/transactions.ts';
import type { Deps } from '../../../deps.ts';
import { issuableTarget } from '../issuables/issuables.access.ts';
import { findIssue, type IssueScope } from '../issues/issues.find.ts';
import { type LinkEnd, writeLinkedNotes, writeUnlinkedNotes } from './issue-links.notes.ts';
import { areLinked, countLinks, findLink, type LinkFrom } from './issue-links.queries.ts';
import type { LinkType } from './issue-links.responses.ts';

const MAX_LINKS = 100;

/** An issue with the caller's permissions in its project. */
interface End extends LinkEnd {
  permissions: IssueScope['permissions'];
}

/** Whether the caller may link the issue. */
const mayLink = ({ db }: Deps, { user }: UserCaller, { issue, permissions }: End): Promise<boolean> =>
  allowsOn(permissions, 'link_issues', issuableTarget(db, 'Issue', issue, user.id));
/** Refusal for callers who may not link both issues. */
export const linkForbidden = () =>
  refused("Couldn't link issues. You must have at least the Guest role in both projects.", 403);
/** Refusal for callers who may not remove a link from both issues. */
export const linkNotFound = () => refused('No Issue Link found', 404);

/** Finds an issue by project and number. @throws ApiError 404 */
async function findTarget(
  deps: Deps,
  caller: UserCaller,
  projectKey: number | string,
  iid: number | string,
): Promise<End> {
  const scope = await findProject(deps, String(projectKey));
  if (scope === undefined) throw notFound('Project');
  const { project, namespace } = scope;
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!permissions.can('read_project')) throw notFound('Project');
  if (!/^\s*\d{1,15}\s*$/.test(String(iid))) throw recordNotFound();
  return { issue: await findIssue(deps.db, { project, permissions, caller }, Number(iid)), project, permissions };
}

/** Loads the end of a link by issue id. @throws ApiError 404 if the caller may not see the issue */
async function findEnd(deps: Deps, caller: UserCaller, issueId: number): Promise<End> {
  const row = await deps.db
    .selectFrom('issues')
    .select(['project_id', 'iid'])
    .where('id', '=', issueId)
    .executeTakeFirst();
  const scope = row === undefined ? undefined : await findProject(deps, String(row.project_id));
  if (row === undefined || scope === undefined) throw recordNotFound();
  const { project, namespace } = scope;
  const permissions = await projectPermissions(deps, caller, project, namespace);
  return { issue: await findIssue(deps.db, { project, permissions, caller }, row.iid), project, permissions };
}

/** Locks issues for a change of their links. @throws ApiError 404 if one no longer exists */
async function lockIssues(db: Db, ids: readonly number[]): Promise<void> {
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const { numUpdatedRows } = await db
      .updateTable('issues')
      .set({ iid: sql<number>`iid` })
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw recordNotFound();
  }
}

async function refuseMore(db: Db, target: LinkEnd, ids: readonly [number, number]): Promise<void> {
  const cannot = (reason: string) => refused(`#${target.issue.iid} cannot be added: ${reason}`, 422);
  for (const id of ids) {
    if ((await countLinks(db, id)) >= MAX_LINKS) {
      throw cannot(`This issue would exceed the maximum number of linked issues (${MAX_LINKS}).`);
    }
  }
}

/**
 * Links an issue to another one, in both directions (part 1, section 4.9).
 * @throws ApiError 403 if the caller may not change the other issue, 404 if they may not see it, 409 if the issues are
 *   already linked, 422 for a link to itself or too many links
 */
export async function linkIssues(
  deps: Deps,
  scope: IssueScope & { caller: UserCaller },
  issue: Issue,
  input: { target_project_id: number | string | null; target_issue_iid: number | string; link_type?: LinkType },
): Promise<IssueLink> {
  const { caller } = scope;
  const source: End = { ...scope, issue };
  const targetProject = input.target_project_id === '' ? null : input.target_project_id;
  const target = await findTarget(deps, caller, targetProject ?? scope.project.id, input.target_issue_iid);
  const ids = [source.issue.id, target.issue.id] as const;
  if (ids[0] === ids[1]) throw refused(`#${issue.iid} cannot be added: cannot be related to itself`, 422);
  const linked = () => conflict('Issue(s) already assigned');
  if (await areLinked(deps.db, ...ids)) throw linked();
  if (!(await mayLink(deps, caller, target))) throw linkForbidden();
  const type = input.link_type ?? 'relates_to';
  const [source_id, target_id] = type === 'is_blocked_by' ? [ids[1], ids[0]] : ids;
  const now = timestamp(deps.clock);
  try {
    return await inTransaction(deps.db, async (db) => {
      await lockIssues(db, ids);
      if (await areLinked(db, ...ids)) throw linked();
      await refuseMore(db, target, ids);
      const link = await db
        .insertInto('issue_links')
        .values({
          ...{ source_id, target_id, created_at: now, updated_at: now },
          link_type: type === 'relates_to' ? 'relates_to' : 'blocks',
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await writeLinkedNotes(deps, db, [source, target], type, caller.user.id);
      return link;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw linked();
    throw error;
  }
}

/**
 * Deletes a link.
 * @returns the link as it was
 * @throws ApiError 404 if the link does not exist, or if the caller may not see the other issue or remove the link
 */
export async function unlinkIssues(
  deps: Deps,
  scope: IssueScope & { caller: UserCaller },
  issue: Issue,
  linkId: number,
): Promise<LinkFrom> {
  const { caller } = scope;
  const source: End = { ...scope, issue };
  const link = await findLink(deps.db, source.issue.id, linkId);
  if (link === undefined) throw recordNotFound();
  const other = await findEnd(deps, caller, link.otherId);
  if (!(await mayLink(deps, caller, other))) throw linkNotFound();
  await inTransaction(deps.db, async (db) => {
    const { numDeletedRows } = await db.deleteFrom('issue_links').where('id', '=', linkId).executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw recordNotFound();
    await writeUnlinkedNotes(deps, db, [source, other], caller.user.id);
  });
  return link;
}
