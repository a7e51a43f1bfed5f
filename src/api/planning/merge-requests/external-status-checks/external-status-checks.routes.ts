import { Type } from 'typebox';
import { type Route, route } from '../../../../http/http.route.ts';
import { pagination } from '../../../../http/http.schema.ts';
import { inProject } from '../../../api.access.ts';
import {
  MERGE_REQUEST_PATH,
  mergeRequestOf,
  mergeRequestWriter,
  onMergeRequest,
  params,
} from '../lifecycle/merge-requests.access.ts';
import { withBranches } from '../mergeability/external-status-checks.checks.ts';
import { checkStatuses } from '../mergeability/external-status-checks.statuses.ts';
import { presentMergeRequests } from '../views/merge-requests.views.ts';
import { CreateStatusCheck, RespondToStatusCheck, UpdateStatusCheck } from './external-status-checks.inputs.ts';
import { ExternalStatusCheck, StatusCheck, StatusCheckResponse } from './external-status-checks.responses.ts';
import { presentCheck } from './external-status-checks.views.ts';
import { createCheck, destroyCheck, respond, retry, updateCheck } from './external-status-checks.writes.ts';

const PATH = '/projects/:id/external_status_checks';
const responder = onMergeRequest('respond_to_status_checks');
const admin = inProject('admin_status_checks');
const checkId = Type.Object({ check_id: Type.Integer({ description: 'Id of the check.' }) });

export const externalStatusCheckRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    plan: 'ultimate',
    summary: 'List the external status checks of a project',
    access: admin,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ExternalStatusCheck) },
    handler: (c) => {
      const query = c.deps.db.selectFrom('external_status_checks').selectAll().where('project_id', '=', c.project.id);
      return c.page(query.orderBy('id'), async (rows) => (await withBranches(c.deps.db, rows)).map(presentCheck));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    plan: 'ultimate',
    summary: 'Add an external status check to a project',
    description: 'Readers of merge requests can see the URL. The server does not call it yet.',
    access: admin,
    input: CreateStatusCheck,
    success: { status: 201, schema: ExternalStatusCheck },
    errors: [422],
    handler: async (c) => presentCheck(await createCheck(c.deps, c.project, c.input)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:check_id`,
    plan: 'ultimate',
    summary: 'Change an external status check of a project',
    access: admin,
    params: checkId,
    input: UpdateStatusCheck,
    success: { status: 200, schema: ExternalStatusCheck },
    errors: [404, 422],
    handler: async (c) => presentCheck(await updateCheck(c.deps, c.project, c.params.check_id, c.input)),
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:check_id`,
    plan: 'ultimate',
    summary: 'Remove an external status check from a project',
    access: admin,
    params: checkId,
    success: { status: 204, empty: true },
    errors: [404],
    handler: (c) => destroyCheck(c.deps, c.project.id, c.params.check_id),
  }),
  route({
    method: 'GET',
    path: `${MERGE_REQUEST_PATH}/status_checks`,
    plan: 'ultimate',
    summary: 'List the results of external status checks of a merge request',
    description: 'Results for the current head; results for earlier heads do not count.',
    access: mergeRequestWriter,
    params,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(StatusCheck) },
    errors: [404],
    handler: async (c) => {
      const row = await mergeRequestOf(c);
      const all = (await checkStatuses(c.deps, c.deps.db, [row])).get(row.id)!;
      return c.page(all, (checks) =>
        checks.map(({ check: { id, name, external_url }, status }) => ({ id, name, external_url, status })),
      );
    },
  }),
  route({
    method: 'POST',
    path: `${MERGE_REQUEST_PATH}/status_check_responses`,
    plan: 'ultimate',
    summary: 'Set the result of an external status check for a merge request',
    access: responder,
    input: RespondToStatusCheck,
    success: { status: 201, schema: StatusCheckResponse },
    errors: [403, 404, 409],
    handler: async (c) => {
      const { row } = c;
      const { sha, external_status_check_id, status = 'passed' } = c.input;
      const { id, check } = await respond(
        c.deps,
        row,
        { checkId: external_status_check_id, sha, status },
        c.caller.user.id,
      );
      const [merge_request] = await presentMergeRequests(c.deps, [row], { from: c });
      return { id, merge_request, external_status_check: presentCheck(check), status };
    },
  }),
  route({
    method: 'POST',
    path: `${MERGE_REQUEST_PATH}/status_checks/:external_status_check_id/retry`,
    plan: 'ultimate',
    summary: 'Retry a failed external status check of a merge request',
    access: responder,
    params: Type.Object({
      external_status_check_id: Type.Integer({ description: 'Id of the check.' }),
    }),
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [403, 404, 422],
    handler: async (c) => {
      const { row } = c;
      await retry(c.deps, row, c.params.external_status_check_id);
      return { message: '202 Accepted' };
    },
  }),
];
