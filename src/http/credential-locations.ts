import type { FastifyRequest } from 'fastify';

/** A secret as a request holds it. */
export interface SentCredential {
  /** Empty where only a name was sent. */
  secret: string;
  /** What was sent with it, where the place has room for a name. */
  username: string | null;
}

/** Where requests hold a secret. */
export interface CredentialLocation {
  /** As OpenAPI describes it; null where it stands among the parameters of the body alone. */
  readonly scheme: Readonly<Record<string, string>> | null;
  /** In words, in Markdown. */
  readonly words: string;
  /** Whether the body has to be read to find it. */
  readonly inBody: boolean;
  /** Headers on which it depends beside the address; null where what is found here must be looked up each time. */
  readonly headers: readonly string[] | null;
  /** What the request holds; null for nothing. */
  read(request: FastifyRequest): SentCredential | null;
}

const filled = (value: unknown): SentCredential | null =>
  typeof value === 'string' && value !== '' ? { secret: value, username: null } : null;

/** A header that holds nothing else, such as `PRIVATE-TOKEN`. */
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

/** A parameter of the body, which the route declares as an input, too: its callers are known once the body is read. */
export const bodyParameter = (name: string): CredentialLocation => ({
  scheme: null,
  words: `\`${name}\` in the body`,
  inBody: true,
  headers: null,
  read: ({ body }) => filled((body as Record<string, unknown> | null | undefined)?.[name]),
});

/** `Authorization: Bearer ...` (RFC 6750), which is how `_authToken` of npm is sent, too. */
export const bearer: CredentialLocation = {
  scheme: { type: 'http', scheme: 'bearer' },
  words: 'header `Authorization: Bearer`',
  inBody: false,
  headers: ['authorization'],
  read: ({ headers }) => filled(/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]),
};

/** `Authorization: Basic ...` (RFC 7617); an empty name with an empty password is nothing. */
export const basic: CredentialLocation = {
  scheme: { type: 'http', scheme: 'basic' },
  words: 'header `Authorization: Basic`',
  inBody: false,
  headers: null,
  read: ({ headers }) => {
    const found = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '');
    if (found === null) return null;
    const text = Buffer.from(found[1]!, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon === -1) return { username: text, secret: '' };
    const [username, secret] = [text.slice(0, colon), text.slice(colon + 1)];
    return username === '' && secret === '' ? null : { username, secret };
  },
};
