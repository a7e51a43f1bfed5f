import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { FlagsClient } from '../../../access/caller.ts';
import { callerOfFlagsClient } from '../../../access/flags-client-caller.ts';
import { forbidden, unauthorized } from '../../../core/core.errors.ts';
import { bodyParameter, type CredentialLocation, header, parameter } from '../../../http/credential-locations.ts';
import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import type { Access } from '../../../http/http.route.ts';

/** `Authorization`, as SDKs send the token of their own server: with or without `Bearer`. */
const authorization: CredentialLocation = {
  scheme: { type: 'apiKey', in: 'header', name: 'Authorization' },
  words: 'header `Authorization`',
  inBody: false,
  headers: ['authorization'],
  read: ({ headers }) => {
    const secret = (headers.authorization ?? '').replace(/^Bearer +/i, '');
    return secret === '' ? null : { secret, username: null };
  },
};

const inHeader = header('UNLEASH-INSTANCEID');
const inQuery = parameter('instance_id');
const inBody = [bodyParameter('instance_id'), bodyParameter('instanceId')];
const places = [inHeader, inQuery, authorization, ...inBody];

/**
 * All that a request holds where an instance id may be. SDKs send one that they made up beside the one they were told, and
 * two headers of one name arrive as one, with a comma between them.
 */
const secretsOf = (request: FastifyRequest): string[] =>
  places
    .flatMap((place) => {
      const secret = place.read(request)?.secret;
      return secret === undefined ? [] : [secret, ...(secret.includes(',') ? secret.split(',', 8) : [])];
    })
    .map((secret) => secret.trim());

const instanceId: CredentialLookup = async (deps, _sent, request) => {
  const { project_id = '' } = request.params as { project_id?: string };
  return /^\d{1,15}$/.test(project_id) ? callerOfFlagsClient(deps, Number(project_id), secretsOf(request)) : undefined;
};

const description = 'The instance id of the project. What an SDK has made up itself may stand beside it.';
const kinds = [instanceId];

/** How programs say that they may ask for the flags of a project. */
export const CLIENT_CREDENTIALS: Credentials = {
  methods: [
    { name: 'unleashInstanceId', location: inHeader, description, kinds },
    { name: 'unleashInstanceIdParameter', location: inQuery, description, kinds },
    { name: 'unleashAuthorization', location: authorization, description, kinds },
  ],
};

/** The same where they send a body. */
export const BODY_CREDENTIALS: Credentials = {
  methods: [
    ...CLIENT_CREDENTIALS.methods,
    ...inBody.map((place) => ({ name: 'unleashInstanceIdBody', location: place, description, kinds })),
  ],
};

/** Programs that know the instance id of a project. */
export const byFlagsClient: Access<{ client: FlagsClient }> = {
  description: 'Whoever knows the instance id of the project',
  anonymous: false,
  params: {
    project_id: Type.String({ description: 'Id of the project, a number.', examples: ['42'] }),
  },
  check: async ({ caller: { credential } }) => {
    if (credential.kind !== 'flags_client') throw unauthorized();
    if (!credential.client.open) throw forbidden();
    return { client: credential.client };
  },
};
