import { Type } from 'typebox';
import { unauthorized } from '../../../../core/core.errors.ts';
import { type BaseContext, route } from '../../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../../http/job-tokens.ts';
import { anyone, inGroup } from '../../../api.access.ts';
import type { Viewpoint } from '../../issuables/issuables.views.ts';
import { mergeRequestReader, PATH } from '../lifecycle/merge-requests.access.ts';
import { MergeRequestBasic, MergeRequestSimple } from '../views/merge-requests.responses.ts';
import { presentMergeRequests, presentSimple } from '../views/merge-requests.views.ts';
import {
  AllMergeRequests,
  GroupMergeRequests,
  listRules,
  type MergeRequestFilters,
  ProjectMergeRequests,
} from './merge-requests.filter-inputs.ts';
import { listMergeRequests, type MergeRequestListScope } from './merge-requests.list.ts';

const Listed = Type.Array(Type.Union([MergeRequestBasic, MergeRequestSimple]));

const answer = (c: BaseContext, scope: MergeRequestListScope, from: Viewpoint, input: MergeRequestFilters) =>
  c.page(
    (page) => listMergeRequests(c.deps, c.caller, scope, input, page),
    (rows) =>
      input.view === 'simple'
        ? presentSimple(c.deps, rows)
        : presentMergeRequests(c.deps, rows, { from, withLabelsDetails: input.with_labels_details === true }),
  );

export const mergeRequestListRoutes = [
  route({
    method: 'GET',
    path: '/merge_requests',
    summary: 'List merge requests of all projects that the caller may see',
    description: "By default the caller's own merge requests, see `scope`. Anonymous callers must give `scope=all`.",
    access: anyone,
    input: AllMergeRequests,
    rules: listRules,
    success: { status: 200, schema: Listed },
    errors: [401],
    handler: (c) => {
      if (c.caller.user === null && c.input.scope !== 'all') throw unauthorized();
      return answer(c, {}, null, c.input);
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/merge_requests',
    summary: 'List the merge requests of a group and its subgroups',
    access: inGroup('read_group_merge_requests', { anonymous: true }),
    input: GroupMergeRequests,
    rules: listRules,
    success: { status: 200, schema: Listed },
    handler: (c) => answer(c, { below: c.group.lineage }, { groupId: c.group.id }, c.input),
  }),
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the merge requests of a project',
    credentials: API_AND_JOB_TOKENS,
    access: mergeRequestReader,
    input: ProjectMergeRequests,
    rules: listRules,
    success: { status: 200, schema: Listed },
    handler: (c) => answer(c, { project: c }, { project: c.project }, c.input),
  }),
];
