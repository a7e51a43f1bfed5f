import type { FastifyRequest } from 'fastify';

/** A secret as found in a request. */
export interface SentCredential {
  /** Empty if only a name was sent. */
  secret: string;
  /** The name sent with it, if the location has one. */
  username: string | null;
}

/** A place of credentials in requests. */
export interface CredentialLocation {
  /** OpenAPI security scheme; null if the credential is a parameter of the body. */
  readonly scheme: Readonly<Record<string, string>> | null;
  /** Description in Markdown. */
  readonly words: string;
  /** Whether the body has to be read first. */
  readonly inBody: boolean;
  /** Headers that contain the credential; null if an answer must not be cached by them. */
  readonly headers: readonly string[] | null;
  /** The credential in the request; null if there is none. */
  read(request: FastifyRequest): SentCredential | null;
}

const filled = (value: unknown): SentCredential | null =>
  typeof value === 'string' && value !== '' ? { secret: value, username: null } : null;

/** A header with nothing but the credential, such as `PRIVATE-TOKEN`. */
export function header(name: string): CredentialLocation {
  const key = name.toLowerCase();
  return {
    scheme: { type: 'apiKey', in: 'header', name },
    words: `header \`${name}\``,
    inBody: false,
    headers: [key],
    read: ({ headers }) => filled(headers[key]),
  };
}

/** A parameter of the query string. */
export const parameter = (name: string): CredentialLocation => ({
  scheme: { type: 'apiKey', in: 'query', name },
  words: `parameter \`${name}\``,
  inBody: false,
  headers: [],
  read: ({ query }) => filled((query as Record<string, unknown>)[name]),
});

/**
 * A parameter of the body, which the route also declares as input: its callers are only known once the body is read.
 */
export const bodyParameter = (name: string): CredentialLocation => ({
  scheme: null,
  words: `\`${name}\` in the body`,
  inBody: true,
  headers: null,
  read: ({ body }) => filled((body as Record<string, unknown> | null | undefined)?.[name]),
});

/** `Authorization: Bearer ...` (RFC 6750), which npm also uses for `_authToken`. */
export const bearer: CredentialLocation = {
  scheme: { type: 'http', scheme: 'bearer' },
  words: 'header `Authorization: Bearer`',
  inBody: false,
  headers: ['authorization'],
  read: ({ headers }) => filled(/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]),
};

/** `Authorization: Basic ...` (RFC 7617); an empty name with an empty password counts as absent. */
export const basic: CredentialLocation = {
  scheme: { type: 'http', scheme: 'basic' },
  words: 'header `Authorization: Basic`',
  inBody: false,
  headers: null,
  read: ({ headers }) => {
    const match = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '');
    if (match === null) return null;
    const text = Buffer.from(match[1]!, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon === -1) return { username: text, secret: '' };
    const [username, secret] = [text.slice(0, colon), text.slice(colon + 1)];
    return username === '' && secret === '' ? null : { username, secret };
  },
};
