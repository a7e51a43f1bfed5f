import { type Static, Type } from 'typebox';
import { ApiError, forbidden } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Secret } from '../../../http/http.schema.ts';
import { ownerOfRegistrationToken, type RegistrationOwner } from '../../../pipelines/runners/registration-tokens.ts';
import { openAbility } from '../../api.access.ts';
import { deleteMachine, recordContact } from '../runners/contacts.ts';
import { createRunner, type RunnerOwner } from '../runners/runners.create.ts';
import { registeredRunner } from '../runners/runners.inputs.ts';
import { RenewedRunnerToken, RunnerRegistration } from '../runners/runners.responses.ts';
import { ownerProject, resetRunnerToken, unregisterRunner } from '../runners/runners.tokens.ts';
import { RUNNER_CREDENTIALS, readRunner, runnerItself } from './runner-credentials.ts';
import { infoParameter, requiredSystemId, systemIdParameter, tokenParameter } from './runner-protocol.inputs.ts';

const invalidToken = () => forbidden('invalid token supplied');

/** Returns the owner of runners with a registration token. @throws ApiError 403 */
async function placeOf({ db, settings }: Deps, { project_id, group_id }: RegistrationOwner): Promise<RunnerOwner> {
  const { valid_runner_registrars: registrars } = settings.now;
  const kind = project_id !== null ? 'project' : group_id !== null ? 'group' : null;
  if (kind !== null && !registrars.includes(kind)) throw invalidToken();
  if (group_id !== null) return { runner_type: 'group_type', groupId: group_id };
  if (project_id === null) return { runner_type: 'instance_type' };
  const project = await db
    .selectFrom('projects')
    .select(['id', 'settings'])
    .where('id', '=', project_id)
    .where('pending_delete', '=', 0)
    .executeTakeFirstOrThrow(() => invalidToken());
  return { runner_type: 'project_type', project };
}

const tokenOf = ({ token }: { token?: string | undefined }, { headers }: { headers: Record<string, unknown> }) =>
  token ?? String(headers['runner-token']);

const byToken = Type.Object(tokenParameter);
const byTokenAndMachine = Type.Object({ ...tokenParameter, ...systemIdParameter, ...infoParameter });
const oneMachine = Type.Object({ ...tokenParameter, ...requiredSystemId });

/** Registration, verification and removal of runners. */
export const runnerRegistrationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/runners',
    operationId: 'registerRunner',
    summary: 'Register a runner with a registration token',
    description: 'Deprecated. `POST /user/runners` creates a runner with an authentication token.',
    access: openAbility('register_runner'),
    input: Type.Object({
      token: Secret({ minLength: 1, description: 'Registration token of the instance, of a group or of a project.' }),
      ...registeredRunner.properties,
      ...infoParameter,
    }),
    success: { status: 201, schema: RunnerRegistration },
    errors: [410],
    handler: async ({ deps, input }) => {
      if (!deps.settings.now.allow_runner_registration_token) {
        throw new ApiError(410, '410 Gone - runner registration disallowed');
      }
      const owner = await ownerOfRegistrationToken(deps.db, input.token);
      if (owner === undefined) throw invalidToken();
      const { row, token } = await createRunner(deps, await placeOf(deps, owner), input, null);
      return { id: row.id, token, token_expires_at: row.token_expires_at };
    },
  }),
  route({
    method: 'POST',
    path: '/runners/verify',
    operationId: 'verifyRunner',
    summary: 'Verify the token of a runner',
    access: runnerItself,
    credentials: RUNNER_CREDENTIALS,
    input: byTokenAndMachine,
    success: { status: 200, schema: RunnerRegistration },
    errors: [422],
    handler: async ({ deps, runner, input, request }): Promise<Static<typeof RunnerRegistration>> => {
      if (runner.runner_type === 'project_type' && (await ownerProject(deps.db, runner.id)) === undefined) {
        throw new ApiError(422, 'Runner is orphaned');
      }
      const contact = { runner, systemId: input.system_id, machine: input.info, ip: request.ip };
      if ((await recordContact(deps, contact)) === null && (await readRunner(deps, runner.id)) === undefined) {
        throw forbidden();
      }
      return { id: runner.id, token: tokenOf(input, request), token_expires_at: runner.token_expires_at };
    },
  }),
  route({
    method: 'DELETE',
    path: '/runners',
    operationId: 'unregisterRunner',
    summary: 'Delete the calling runner',
    access: runnerItself,
    credentials: RUNNER_CREDENTIALS,
    input: byToken,
    success: { status: 204, empty: true },
    handler: async ({ deps, runner }) => {
      await deps.db.transaction().execute((db) => unregisterRunner(deps, db, runner));
    },
  }),
  route({
    method: 'DELETE',
    path: '/runners/managers',
    operationId: 'unregisterRunnerManager',
    summary: 'Delete a machine of the calling runner',
    access: runnerItself,
    credentials: RUNNER_CREDENTIALS,
    input: oneMachine,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, runner, input }) => {
      const { numDeletedRows } = await deps.db
        .deleteFrom('ci_runner_managers')
        .where('runner_id', '=', runner.id)
        .where('system_id', '=', input.system_id)
        .executeTakeFirst();
      deleteMachine(deps.db, runner.id, input.system_id);
      if (numDeletedRows === 0n) throw new ApiError(404, '404 Runner manager not found Not Found');
    },
  }),
  route({
    method: 'POST',
    path: '/runners/reset_authentication_token',
    operationId: 'resetOwnRunnerToken',
    summary: 'Reset the token of the calling runner',
    access: runnerItself,
    credentials: RUNNER_CREDENTIALS,
    input: byToken,
    success: { status: 201, schema: RenewedRunnerToken },
    handler: ({ deps, runner }) => resetRunnerToken(deps, runner),
  }),
  route({
    method: 'GET',
    path: '/runners/router/discovery',
    operationId: 'discoverJobRouter',
    summary: 'Discover the job router',
    description: 'This server has no job router: the response is always 501.',
    access: { ...runnerItself, writes: false },
    credentials: RUNNER_CREDENTIALS,
    success: {
      status: 200,
      schema: Type.Object({ server_url: Type.String({ description: 'URL of the job router.' }) }),
    },
    errors: [501],
    handler: () => {
      throw new ApiError(501, '501 Not Implemented');
    },
  }),
];
