import { Type } from 'typebox';
import { recordNotFound } from '../../../core/core.errors.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import { type BaseContext, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { onIssuable } from '../issuables/issuables.access.ts';
import { findIssue } from '../issues/issues.find.ts';
import { ISSUE_KIND } from '../issues/issues.kind.ts';
import { presentBasicIssues, presentIssues } from '../issues/issues.views.ts';
import { CreateIssueLink, issueIid, linkId } from './issue-links.inputs.ts';
import { findLink, type LinkFrom, linkFrom, linksFrom, readableIssues } from './issue-links.queries.ts';
import { IssueLink, type IssueLinkJson, LinkedIssue } from './issue-links.responses.ts';
import { linkForbidden, linkIssues, linkNotFound, unlinkIssues } from './issue-links.writes.ts';

const PATH = '/projects/:id/issues/:issue_iid/links';
const read = inProject('read_issue');
/** Default page: it holds all links of an issue, whose number is limited. */
const ALL = { size: 100 };

/** Presents a link from the viewpoint of an issue. @throws ApiError 404 if the caller may not see the other issue */
async function presentLink(
  { deps, caller }: Pick<BaseContext, 'deps' | 'caller'>,
  { link, otherId, type }: LinkFrom,
  issue: Issue,
): Promise<IssueLinkJson> {
  const other = (await readableIssues(deps, caller, [otherId])).get(otherId);
  if (other === undefined) throw recordNotFound();
  const [source_issue, target_issue] = await presentBasicIssues(deps, caller, [issue, other], { subscribed: true });
  return { id: link.id, source_issue: source_issue!, target_issue: target_issue!, link_type: type };
}

export const issueLinkRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the issues that an issue is linked to',
    description:
      'Issues that the caller may see, oldest link first. Returns all of them unless paging parameters are given.',
    access: read,
    params: Type.Object(issueIid),
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(LinkedIssue) },
    errors: [404],
    handler: async (c) => {
      const { deps, caller, project } = c;
      const issue = await findIssue(deps.db, c, c.params.issue_iid);
      const links = await linksFrom(deps.db, issue.id);
      const readable = await readableIssues(deps, caller, pluck(links, 'otherId'));
      const seen = links.flatMap((each) => {
        const other = readable.get(each.otherId);
        return other === undefined ? [] : [{ ...each, other }];
      });
      const present = async (shown: typeof seen) => {
        const issues = await presentIssues(deps, caller, pluck(shown, 'other'), {
          from: { project },
          subscribed: true,
        });
        return shown.map(({ link, type }, index) => ({
          ...issues[index]!,
          issue_link_id: link.id,
          link_type: type,
          link_created_at: link.created_at,
          link_updated_at: link.updated_at,
        }));
      };
      return c.page(seen, present, c.isSent('page') || c.isSent('per_page') ? {} : ALL);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:issue_link_id`,
    summary: 'Get a link of an issue',
    access: read,
    params: Type.Object(linkId),
    success: { status: 200, schema: IssueLink },
    errors: [404],
    handler: async (c) => {
      const issue = await findIssue(c.deps.db, c, c.params.issue_iid);
      const link = await findLink(c.deps.db, issue.id, c.params.issue_link_id);
      if (link === undefined) throw recordNotFound();
      return presentLink(c, link, issue);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Link an issue to another one',
    access: onIssuable(ISSUE_KIND, 'link_issues', { refusal: linkForbidden }),
    input: CreateIssueLink,
    success: { status: 201, schema: IssueLink },
    errors: [404, 409, 422],
    handler: async (c) => {
      const link = await linkIssues(c.deps, c, c.row, c.input);
      return presentLink(c, linkFrom(link, c.row.id), await findIssue(c.deps.db, c, c.row.iid));
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:issue_link_id`,
    summary: 'Delete a link of an issue',
    access: onIssuable(ISSUE_KIND, 'link_issues', { refusal: linkNotFound }),
    params: Type.Object(linkId),
    input: Type.Object({ link_type: Type.Optional(Type.String({ description: 'Has no effect.' })) }),
    success: { status: 200, schema: IssueLink },
    errors: [404],
    handler: async (c) => {
      const link = await unlinkIssues(c.deps, c, c.row, c.params.issue_link_id);
      return presentLink(c, link, await findIssue(c.deps.db, c, c.row.iid));
    },
  }),
];
