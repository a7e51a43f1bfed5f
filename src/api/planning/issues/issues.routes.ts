import { Type } from 'typebox';
import { findProject } from '../../../access/lookup.ts';
import { invalidParameter, notFound, recordNotFound } from '../../../core/core.errors.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { administrator, byAdministrator, inProject, inProjectByUser } from '../../api.access.ts';
import { originOf, presentUserAgent, UNKNOWN_ORIGIN, UserAgentDetail } from '../../user-agent.ts';
import { onIssuable } from '../issuables/issuables.access.ts';
import { peopleRoutes } from '../issuables/issuables.people-routes.ts';
import { timeRoutes } from '../issuables/issuables.time-routes.ts';
import { createIssueWithActions, updateIssueWithActions } from '../quick-actions/descriptions.ts';
import { followUp } from './follow-up.ts';
import { createIssue } from './issues.create.ts';
import { destroyIssue } from './issues.destroy.ts';
import { findIssue } from './issues.find.ts';
import { CreateIssue, IssueParams, UPDATE_RULES, UpdateIssue } from './issues.inputs.ts';
import { ISSUE_KIND } from './issues.kind.ts';
import { Issue } from './issues.responses.ts';
import { presentIssues } from './issues.views.ts';

const PATH = '/projects/:id/issues';

export const issueRoutes = [
  route({
    method: 'GET',
    path: '/issues/:id',
    summary: 'Get an issue by its id',
    access: administrator,
    params: Type.Object({ id: Type.Integer() }),
    success: { status: 200, schema: Issue },
    errors: [404],
    handler: async ({ deps, caller, params }) => {
      const issue = await deps.db.selectFrom('issues').selectAll().where('id', '=', params.id).executeTakeFirst();
      if (issue === undefined) throw recordNotFound();
      const project = await findProject(deps, String(issue.project_id));
      if (project === undefined) throw notFound('Project');
      const [json] = await presentIssues(deps, caller, [issue], { from: project, subscribed: true });
      return json;
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create an issue',
    description: 'Quick actions in the description are executed and removed from it.',
    access: inProjectByUser('create_issue'),
    input: CreateIssue,
    success: { status: 201, schema: Issue },
    errors: [403, 404, 409, 429],
    handler: async (c) => {
      const { merge_request_to_resolve_discussions_of: iid, discussion_to_resolve: discussion, ...input } = c.input;
      const follow = await followUp(c.deps, c, iid, discussion || undefined);
      const title = input.title ?? follow?.title;
      if (title === undefined) throw invalidParameter('title is missing');
      const description = input.description ?? follow?.description;
      const attributes = { ...input, title, ...(description === undefined ? {} : { description }) };
      // A default description quotes threads of others: quick actions in it are not executed.
      const create = input.description == null ? createIssue : createIssueWithActions;
      return ISSUE_KIND.present(c.deps, c, await create(c.deps, c, attributes, originOf(c.request), follow));
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:issue_iid`,
    summary: 'Get an issue of a project',
    credentials: API_AND_JOB_TOKENS,
    access: inProject('read_issue', { anonymous: true }),
    params: IssueParams,
    success: { status: 200, schema: Issue },
    errors: [404],
    handler: async (c) => ISSUE_KIND.present(c.deps, c, await findIssue(c.deps.db, c, c.params.issue_iid)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:issue_iid`,
    summary: 'Change, close or reopen an issue',
    description: 'Quick actions in the description are executed and removed from it.',
    access: onIssuable(ISSUE_KIND, 'update_issue'),
    input: UpdateIssue,
    rules: UPDATE_RULES,
    success: { status: 200, schema: Issue },
    errors: [404],
    handler: async (c) => ISSUE_KIND.present(c.deps, c, await updateIssueWithActions(c.deps, c, c.row, c.input)),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:issue_iid`,
    summary: 'Delete an issue',
    access: onIssuable(ISSUE_KIND, 'destroy_issue'),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async (c) => {
      checkUnmodifiedSince(c.request, c.row.updated_at);
      await destroyIssue(c.deps, c.row, c.caller.user.id);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:issue_iid/user_agent_detail`,
    summary: 'Get the user agent details of an issue',
    access: byAdministrator(inProject('read_issue')),
    params: IssueParams,
    success: { status: 200, schema: UserAgentDetail },
    errors: [404],
    handler: async (c) => {
      const { id } = await findIssue(c.deps.db, c, c.params.issue_iid);
      const query = c.deps.db.selectFrom('issue_user_agents').selectAll().where('issue_id', '=', id);
      return presentUserAgent((await query.executeTakeFirst()) ?? UNKNOWN_ORIGIN);
    },
  }),
  ...timeRoutes(ISSUE_KIND),
  ...peopleRoutes(ISSUE_KIND),
];
