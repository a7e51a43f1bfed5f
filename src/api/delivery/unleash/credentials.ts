import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { FlagsClient } from '../../../access/caller.ts';
import { callerOfFlagsClient } from '../../../access/flags-client-caller.ts';
import { forbidden, unauthorized } from '../../../core/errors.ts';
import { bodyParameter, header, type Place, parameter } from '../../../http/credential-places.ts';
import type { Credentials, LookUp } from '../../../http/credentials.ts';
import type { Access } from '../../../http/route.ts';

/** `Authorization`, as SDKs send the token of their own server: with or without `Bearer`. */
const authorization: Place = {
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

const instanceId: LookUp = async (deps, _sent, request) => {
  const { project_id = '' } = request.params as { project_id?: string };
  return /^\d{1,15}$/.test(project_id) ? callerOfFlagsClient(deps, Number(project_id), secretsOf(request)) : undefined;
};

const description = 'The instance id of the project. What an SDK has made up itself may stand beside it.';
const kinds = [instanceId];

/** How programs say that they may ask for the flags of a project. */
export const CLIENT_CREDENTIALS: Credentials = {
  ways: [
    { name: 'unleashInstanceId', place: inHeader, description, kinds },
    { name: 'unleashInstanceIdParameter', place: inQuery, description, kinds },
    { name: 'unleashAuthorization', place: authorization, description, kinds },
  ],
};

/** The same where they send a body. */
export const BODY_CREDENTIALS: Credentials = {
  ways: [
    ...CLIENT_CREDENTIALS.ways,
    ...inBody.map((place) => ({ name: 'unleashInstanceIdBody', place, description, kinds })),
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
