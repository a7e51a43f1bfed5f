import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { anyone } from '../../api.access.ts';
import { READ_PACKAGES } from '../registries.credentials.ts';
import { CONAN, createLoginToken, signedInCaller } from './conan.credentials.ts';

/** Remotes: of a project, and of the instance, which supports version 1 only. */
const REMOTES = [
  {
    path: '/projects/:id/packages/conan',
    noun: '',
    versions: ['v1', 'v2'],
    params: Type.Object({ id: Type.String({ description: 'Id or URL-encoded full path of the project.' }) }),
  },
  { path: '/packages/conan', noun: 'Instance', versions: ['v1'], params: Type.Object({}) },
];
const shared = { method: 'GET', tag: 'Conan packages', credentials: CONAN } as const;
const plain = { status: 200, contentType: 'text/plain; charset=utf-8' } as const;

/** Session of a Conan client. */
export const sessionRoutes = REMOTES.flatMap(({ path, noun, versions, params }) => [
  route({
    ...shared,
    params,
    path: `${path}/v1/ping`,
    operationId: `ping${noun}Conan`,
    summary: 'Get the capabilities of the Conan server',
    description: 'For clients of all versions. The capabilities are in a response header.',
    access: anyone,
    success: {
      status: 200,
      empty: true,
      headers: {
        'X-Conan-Server-Capabilities': Type.String({
          description: 'Capabilities of the server.',
          examples: ['revisions'],
        }),
      },
    },
    handler: ({ reply }) => {
      reply.header('X-Conan-Server-Capabilities', 'revisions');
    },
  }),
  ...versions.flatMap((version) => [
    route({
      ...shared,
      params,
      path: `${path}/${version}/users/authenticate`,
      operationId: `authenticate${noun}Conan${version.toUpperCase()}`,
      summary: 'Log in a Conan client',
      description:
        'Returns a token for a user name and an access token as the password. Clients send it as `Bearer` token. It expires with the access token, or after three months.',
      access: signedInCaller,
      scopes: READ_PACKAGES,
      success: { ...plain, description: 'Token for further requests.' },
      handler: async ({ deps, caller, reply }) => {
        reply.header('Cache-Control', 'no-store').type(plain.contentType);
        return createLoginToken(deps, caller);
      },
    }),
    route({
      ...shared,
      params,
      path: `${path}/${version}/users/check_credentials`,
      operationId: `check${noun}ConanCredentials${version.toUpperCase()}`,
      summary: 'Check the credentials of a Conan client',
      access: signedInCaller,
      scopes: READ_PACKAGES,
      success: { ...plain, description: '`ok`.' },
      handler: ({ reply }) => {
        reply.type(plain.contentType);
        return 'ok';
      },
    }),
  ]),
]);
