import { Type } from 'typebox';
import type { FlagsClient } from '../../../access/caller.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { Secret } from '../../../http/http.schema.ts';
import { sendCached } from '../../../http/http.send.ts';
import { BODY_CREDENTIALS, byFlagsClient, CLIENT_CREDENTIALS } from './unleash.credentials.ts';
import { flagsDocument } from './unleash.documents.ts';
import { UnleashFeatures } from './unleash.responses.ts';

const PATH = '/feature_flags/unleash/:project_id';
const NAMES_ITSELF = 'The client names its environment in the header `UNLEASH-APPNAME` or the parameter `app_name`.';

const shared = { access: byFlagsClient, credentials: CLIENT_CREDENTIALS, tag: 'Unleash' } as const;
/** Headers that responses depend on, in addition to caller, URL and database. */
const DECIDING = ['unleash-appname'];
const instance_id = Type.Optional(Secret({ description: 'The instance id of the project.' }));
const queryInput = Type.Object({
  instance_id,
  app_name: Type.Optional(Type.String({ description: 'Name of the environment.', examples: ['production'] })),
});
const bodyInput = Type.Object({
  instance_id,
  instanceId: Type.Optional(Secret({ description: 'The instance id of the project, as SDKs send it.' })),
});

async function answerFeatures({
  deps,
  client,
  request,
  reply,
  input,
}: BaseContext & { client: FlagsClient; input: { app_name?: string } }) {
  const named = request.headers['unleash-appname'];
  const environment = (typeof named === 'string' && named !== '' ? named : input.app_name) ?? '';
  const document = await flagsDocument(deps, client, environment);
  await deps.database.onDisk();
  return sendCached(request, reply, document);
}

/** API of Unleash clients, compatible with an Unleash server. */
export const unleashRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: PATH,
    operationId: 'getUnleashApi',
    summary: 'Check an instance id',
    input: Type.Object({ instance_id }),
    success: { status: 200, empty: true },
    handler: () => undefined,
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${PATH}/client/features`,
    operationId: 'listUnleashFeatures',
    summary: 'List the feature flags of an environment for an Unleash client',
    description: `${NAMES_ITSELF} Empty without an environment. Flags without a strategy for the environment are left out.`,
    input: queryInput,
    cacheable: DECIDING,
    success: { status: 200, schema: UnleashFeatures },
    handler: answerFeatures,
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${PATH}/features`,
    operationId: 'listUnleashFeaturesOldWay',
    summary: 'List the feature flags of an environment for an older Unleash client',
    description: `${NAMES_ITSELF} Newer clients use \`/client/features\`.`,
    deprecated: true,
    input: queryInput,
    cacheable: DECIDING,
    success: { status: 200, schema: UnleashFeatures },
    handler: answerFeatures,
  }),
  route({
    ...shared,
    credentials: BODY_CREDENTIALS,
    method: 'POST',
    path: `${PATH}/client/register`,
    operationId: 'registerUnleashClient',
    summary: 'Register an Unleash client',
    description: 'The registration is ignored.',
    input: bodyInput,
    success: { status: 200, empty: true },
    handler: () => undefined,
  }),
  route({
    ...shared,
    credentials: BODY_CREDENTIALS,
    method: 'POST',
    path: `${PATH}/client/metrics`,
    operationId: 'reportUnleashMetrics',
    summary: 'Report usage metrics of an Unleash client',
    description: 'The metrics are ignored.',
    input: bodyInput,
    success: { status: 200, empty: true },
    handler: () => undefined,
  }),
];
