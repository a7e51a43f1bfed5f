import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { signingKey } from '../../../pipelines/variables/signing-key.ts';
import { anyone } from '../../api.access.ts';

const KEYS = '/oauth/discovery/keys';

const JsonWebKey = Type.Object({
  kty: Type.String({ description: 'Key type.', examples: ['RSA'] }),
  kid: Type.String({ description: 'Key id, as in the header of tokens.', examples: ['xDtVn0d1'] }),
  use: Type.String({ description: 'Purpose of the key.', examples: ['sig'] }),
  alg: Type.String({ description: 'Signature algorithm.', examples: ['RS256'] }),
  e: Type.String({ description: 'RSA exponent, base64url.', examples: ['AQAB'] }),
  n: Type.String({ description: 'RSA modulus, base64url.', examples: ['0vx7agoebGcQ'] }),
});
const JsonWebKeySet = Type.Object({ keys: Type.Array(JsonWebKey, { description: 'Public keys.' }) });

const texts = (description: string, example: string[]) =>
  Type.Array(Type.String(), { description, examples: [example] });
const address = (description: string) => Type.String({ description, examples: ['https://forge.example'] });

const Discovery = Type.Object({
  issuer: address('Issuer of the tokens.'),
  jwks_uri: address('URL of the public keys.'),
  token_endpoint: address('URL of the OAuth token endpoint.'),
  response_types_supported: texts('Supported response types.', ['token']),
  subject_types_supported: texts('Supported subject types.', ['public']),
  id_token_signing_alg_values_supported: texts('Supported signature algorithms.', ['RS256']),
  claims_supported: texts('Supported claims.', ['iss', 'sub', 'aud']),
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
    summary: 'List the public keys that verify ID tokens of jobs',
    access: anyone,
    success: { status: 200, schema: JsonWebKeySet },
    handler: ({ deps }) => keySet(deps),
  });

/** OpenID Connect Discovery 1.0 for the ID tokens of jobs (`id_tokens`). */
export const idTokenRoutes: readonly Route[] = [
  keysAt(KEYS, 'listOauthDiscoveryKeys'),
  keysAt('/-/jwks', 'listJwks'),
  route({
    method: 'GET',
    root: true,
    tag: 'ID tokens',
    path: '/.well-known/openid-configuration',
    operationId: 'getOpenidConfiguration',
    summary: 'Get the OpenID configuration of the issuer of ID tokens',
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
