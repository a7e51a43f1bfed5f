import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { signingKey } from '../../../pipelines/variables/signing-key.ts';
import { anyone } from '../../api.access.ts';

const KEYS = '/oauth/discovery/keys';

const JsonWebKey = Type.Object({
  kty: Type.String({ description: 'Kind of key.', examples: ['RSA'] }),
  kid: Type.String({ description: 'Id that tokens name it by.', examples: ['xDtVn0d1'] }),
  use: Type.String({ description: 'What it is for.', examples: ['sig'] }),
  alg: Type.String({ description: 'How it signs.', examples: ['RS256'] }),
  e: Type.String({ description: 'Exponent, base64url.', examples: ['AQAB'] }),
  n: Type.String({ description: 'Modulus, base64url.', examples: ['0vx7agoebGcQ'] }),
});
const JsonWebKeySet = Type.Object({ keys: Type.Array(JsonWebKey, { description: 'The keys.' }) });

const texts = (description: string, example: string[]) =>
  Type.Array(Type.String(), { description, examples: [example] });
const address = (description: string) => Type.String({ description, examples: ['https://forge.example'] });

const Discovery = Type.Object({
  issuer: address('Who issues the tokens.'),
  jwks_uri: address('Where the keys are.'),
  token_endpoint: address('Where OAuth tokens are got.'),
  response_types_supported: texts('How a client may be answered.', ['token']),
  subject_types_supported: texts('How subjects are told.', ['public']),
  id_token_signing_alg_values_supported: texts('How tokens are signed.', ['RS256']),
  claims_supported: texts('What tokens say.', ['iss', 'sub', 'aud']),
});

async function keySet(deps: Deps) {
  const { id, publicJwk } = await signingKey(deps);
  return { keys: [{ ...publicJwk, kid: id, use: 'sig', alg: 'RS256' }] };
}

const keysAt = (path: string, operationId: string): Route =>
  route({
    method: 'GET',
    root: true,
    tag: 'ID tokens',
    path,
    operationId,
    summary: 'List the keys that check ID tokens of jobs',
    access: anyone,
    success: { status: 200, schema: JsonWebKeySet },
    handler: ({ deps }) => keySet(deps),
  });

/** How others check the ID tokens of jobs (`id_tokens`): OpenID Connect Discovery 1.0. */
export const idTokenRoutes: readonly Route[] = [
  keysAt(KEYS, 'listOauthDiscoveryKeys'),
  keysAt('/-/jwks', 'listJwks'),
  route({
    method: 'GET',
    root: true,
    tag: 'ID tokens',
    path: '/.well-known/openid-configuration',
    operationId: 'getOpenidConfiguration',
    summary: 'Describe who issues ID tokens',
    access: anyone,
    success: { status: 200, schema: Discovery },
    handler: async ({ deps }) => ({
      issuer: deps.externalUrl(),
      jwks_uri: `${deps.externalUrl()}${KEYS}`,
      token_endpoint: `${deps.externalUrl()}/oauth/token`,
      response_types_supported: ['token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: [
        'iss',
        'sub',
        'aud',
        'exp',
        'nbf',
        'iat',
        'jti',
        'project_path',
        'ref',
        'ref_type',
        'environment',
      ],
    }),
  }),
];
