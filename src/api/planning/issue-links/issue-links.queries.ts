import type { Caller } from '../../../access/caller.ts';
import { today } from '../../../core/clock.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssueLink } from '../../../db/tables/issue-links.table.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Deps } from '../../../deps.ts';
import { visibleIssues } from '../issuables/visible-issues.ts';
import type { LinkType } from './issue-links.responses.ts';

/** A link from the viewpoint of one of its issues. */
export interface LinkFrom {
  link: IssueLink;
  /** Id of the other issue. */
  otherId: number;
  type: LinkType;
}

/** The link from the viewpoint of an issue: `blocks` on one side is `is_blocked_by` on the other. */
export function linkFrom(link: IssueLink, issueId: number): LinkFrom {
  if (link.source_id === issueId) return { link, otherId: link.target_id, type: link.link_type };
  return { link, otherId: link.source_id, type: link.link_type === 'blocks' ? 'is_blocked_by' : link.link_type };
}

const linksOf = (db: Db, issueId: number) =>
  db.selectFrom('issue_links').where((eb) => eb.or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]));

/** All links of an issue, oldest first. Creation limits their number. */
export async function linksFrom(db: Db, issueId: number): Promise<LinkFrom[]> {
  const links = await linksOf(db, issueId).selectAll().orderBy('id').execute();
  return links.map((link) => linkFrom(link, issueId));
}

/** Finds a link of an issue by its id. */
export async function findLink(db: Db, issueId: number, linkId: number): Promise<LinkFrom | undefined> {
  const link = await linksOf(db, issueId).selectAll().where('id', '=', linkId).executeTakeFirst();
  return link === undefined ? undefined : linkFrom(link, issueId);
}

/** Number of links of an issue. */
export async function countLinks(db: Db, issueId: number): Promise<number> {
  const { count } = await linksOf(db, issueId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whether two issues are linked, in either direction. */
export async function areLinked(db: Db, one: number, other: number): Promise<boolean> {
  const row = await linksOf(db, one)
    .select('id')
    .where((eb) => eb.or([eb('source_id', '=', other), eb('target_id', '=', other)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** The issues among the ids that the caller may read, by id. */
export async function readableIssues(deps: Deps, caller: Caller, ids: readonly number[]): Promise<Map<number, Issue>> {
  if (ids.length === 0) return new Map();
  const rows = await deps.db
    .selectFrom('issues')
    .selectAll()
    .where('id', 'in', ids)
    .where(visibleIssues(caller, today(deps.clock)))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
