import { sql } from 'kysely';
import { Type } from 'typebox';
import { today } from '../../../../core/clock.ts';
import { pluck } from '../../../../core/pluck.ts';
import { type BaseContext, route } from '../../../../http/http.route.ts';
import { Enum, Instant, pagination } from '../../../../http/http.schema.ts';
import type { ProjectScope } from '../../../api.access.ts';
import { UserBasic, userBasic, usersById } from '../../../identity/index.ts';
import { visibleIssues } from '../../issuables/visible-issues.ts';
import { Issue } from '../../issues/issues.responses.ts';
import { presentIssues } from '../../issues/issues.views.ts';
import { currentClosingIssues } from '../../references/references.closing.ts';
import { MERGE_REQUEST_PATH, mergeRequestOf, mergeRequestReader, params } from '../lifecycle/merge-requests.access.ts';
import { closedIssues, idsOf, relatedIssues } from './merge-requests.queries.ts';

const Reviewer = Type.Object({
  user: UserBasic,
  state: Enum(['unreviewed', 'reviewed', 'requested_changes', 'approved', 'unapproved', 'review_started']),
  created_at: Instant(),
});

/** Answers with a page of the issues that the caller may read, oldest first. */
function answerIssues(c: BaseContext & ProjectScope, ids: ReturnType<typeof closedIssues>) {
  const { db } = c.deps;
  const query = db
    .selectFrom('issues')
    .selectAll('issues')
    .where(() => sql<boolean>`issues.id in (${ids})`)
    .where(visibleIssues(c.caller, today(c.deps.clock)))
    .orderBy('issues.id');
  return c.page(query, (rows) => presentIssues(c.deps, c.caller, rows, { from: { project: c.project } }));
}

const list = {
  method: 'GET',
  access: mergeRequestReader,
  params,
  input: Type.Object(pagination),
  errors: [404],
} as const;

export const mergeRequestRelatedRoutes = [
  route({
    ...list,
    path: `${MERGE_REQUEST_PATH}/closes_issues`,
    summary: 'List the issues that a merge request closes when merged',
    description: 'Only issues that the caller may see.',
    success: { status: 200, schema: Type.Array(Issue) },
    handler: async (c) => {
      const mergeRequest = await mergeRequestOf(c);
      const ids = await currentClosingIssues(c.deps, c.caller, c, mergeRequest);
      return answerIssues(c, ids === null ? closedIssues(mergeRequest) : idsOf(ids));
    },
  }),
  route({
    ...list,
    path: `${MERGE_REQUEST_PATH}/related_issues`,
    summary: 'List the issues that a merge request, its commits and its comments refer to',
    description: 'Only issues that the caller may see.',
    success: { status: 200, schema: Type.Array(Issue) },
    handler: async (c) => answerIssues(c, relatedIssues(await mergeRequestOf(c))),
  }),
  route({
    ...list,
    path: `${MERGE_REQUEST_PATH}/reviewers`,
    summary: 'List the reviewers of a merge request',
    success: { status: 200, schema: Type.Array(Reviewer) },
    handler: async (c) => {
      const { db } = c.deps;
      const { id } = await mergeRequestOf(c);
      const query = db
        .selectFrom('merge_request_reviewers')
        .selectAll()
        .where('merge_request_id', '=', id)
        .orderBy('user_id');
      return c.page(query, async (rows) => {
        const users = await usersById(db, pluck(rows, 'user_id'));
        return rows.map(({ user_id, state, created_at }) => ({
          user: userBasic(c.deps, users.get(user_id)!),
          state,
          created_at,
        }));
      });
    },
  }),
];
