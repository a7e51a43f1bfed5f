import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { anyone } from '../../api.access.ts';
import { READ_PACKAGES } from '../registries.credentials.ts';
import { CONAN, createLoginToken, signedInCaller } from './conan.credentials.ts';

/** Where clients begin: at the remote of a project, or at that of the server, which speaks version 1 alone. */
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

/** How a Conan client begins. */
export const sessionRoutes = REMOTES.flatMap(({ path, noun, versions, params }) => [
  route({
    ...shared,
    params,
    path: `${path}/v1/ping`,
    operationId: `ping${noun}Conan`,
    summary: 'See what the Conan server can do',
    description: 'Clients of either version ask here; the answer stands in a header.',
    access: anyone,
    success: {
      status: 200,
      empty: true,
      headers: {
        'X-Conan-Server-Capabilities': Type.String({ description: 'What it can do.', examples: ['revisions'] }),
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
        'For a name and a token as its password it gives a text that clients send as `Bearer` from then on. It ends with the token, or after three months.',
      access: signedInCaller,
      scopes: READ_PACKAGES,
      success: { ...plain, description: 'What clients send from then on.' },
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
      summary: 'See whether a Conan client is logged in',
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
