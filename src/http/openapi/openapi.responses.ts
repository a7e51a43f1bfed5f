import type { Route, Success } from '../http.route.ts';
import { propertiesOf } from '../http.schema.ts';
import type { SchemaBook } from './openapi.schemas.ts';
import type { SchemaObject } from './schema-object.ts';

/** What refusals mean, by status. */
const REFUSALS: Record<number, [name: string, description: string]> = {
  400: ['BadRequest', 'A parameter is missing or does not fit, or the request cannot be carried out as it stands.'],
  401: ['Unauthorized', 'No token where one is needed, or one that is unknown, expired or revoked.'],
  403: ['Forbidden', 'The caller, or the scope of the token, does not allow it.'],
  404: ['NotFound', 'There is no such resource, or the caller may not see it.'],
  405: ['MethodNotAllowed', 'Not possible for this resource.'],
  406: ['NotAcceptable', 'The resource is not in a state that allows it.'],
  409: ['Conflict', 'It exists already, or has changed meanwhile.'],
  410: ['Gone', 'No longer there.'],
  412: ['PreconditionFailed', 'The resource has changed since the time of If-Unmodified-Since.'],
  413: ['ContentTooLarge', 'The body is larger than allowed.'],
  415: ['UnsupportedMediaType', 'The body is neither JSON nor a form.'],
  416: ['RangeNotSatisfiable', 'The range lies outside of the content.'],
  422: ['UnprocessableContent', 'The parameters fit, but not together or not for this resource.'],
  429: ['TooManyRequests', 'Too many requests; Retry-After says when to go on.'],
  503: ['ServiceUnavailable', 'The server is busy, or in maintenance mode and changes nothing; try again.'],
};

const json = (schema: SchemaObject, mediaType = 'application/json') => ({ [mediaType]: { schema } });
const header = (description: string, type = 'string') => ({ description, schema: { type } });

/** Schema of every refusal's body. */
export const ERROR_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['message'],
  properties: {
    message: {
      type: 'string',
      minLength: 1,
      description: 'What is wrong, in words.',
      examples: ['title is missing'],
    },
    error: {
      type: 'string',
      description: 'The same words where a parameter is wrong; a code where a token is.',
      examples: ['title is missing'],
    },
    errors: {
      type: 'object',
      description: 'What is wrong, by field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    error_description: { type: 'string', description: 'What is wrong with a token.', examples: ['Token was revoked.'] },
    scope: { type: 'string', description: 'Scopes of which one would do.', examples: ['api read_api'] },
  },
};

/** Headers that operations refer to. */
export const HEADERS = {
  RequestId: header('Id of the request, also in the log.'),
  ETag: header('Weak tag of the body, for If-None-Match.'),
  Link: header('Addresses of the pages prev, next, first and last.'),
  Page: header('Number of this page.', 'integer'),
  PerPage: header('Items on a page.', 'integer'),
  NextPage: header('Number of the next page; empty on the last one.'),
  PrevPage: header('Number of the page before; empty on the first one.'),
  Total: header('Items in all; absent when there are very many.', 'integer'),
  TotalPages: header('Pages in all; absent when there are very many.', 'integer'),
  RetryAfter: header('Seconds to wait.', 'integer'),
};

const refer = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** Answers that operations refer to. */
export function sharedResponses(): Record<string, object> {
  const responses: Record<string, object> = {};
  for (const [status, [name, description]] of Object.entries(REFUSALS)) {
    responses[name] = {
      description,
      headers: {
        'X-Request-Id': refer('RequestId'),
        ...(status === '429' ? { 'Retry-After': refer('RetryAfter') } : {}),
      },
      content: {
        ...json({ $ref: '#/components/schemas/Error' }),
        ...(status === '429' ? { 'text/plain': { schema: { type: 'string' } } } : {}),
      },
    };
  }
  return responses;
}

/** Statuses of refusals that follow from what the route declares. */
export function refusalsOf({ options }: Route): number[] {
  const { method, path, access, input, body, errors = [] } = options;
  const reads = method === 'GET' || method === 'HEAD';
  const hasInput = Object.keys(input?.properties ?? {}).length > 0;
  const hasBody = hasInput && ['POST', 'PUT', 'PATCH'].includes(method);
  const statuses = [
    400,
    401,
    403,
    ...(/[:*]/.test(path) ? [404] : []),
    ...(access.moves && !reads ? [405] : []),
    ...(body === undefined ? [] : [413]),
    ...(hasBody ? [413, 415] : []),
    429,
    ...errors,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

const DESCRIPTIONS: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done.',
  302: 'Leads elsewhere.',
};

/** Bytes as they are (OpenAPI 3.1: no type, no encoding). */
const BYTES: SchemaObject = {};
const bytesOf = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, { schema: BYTES }]));

/** What an answer holds, in a word, and what that belongs to. */
interface Hint {
  name: string;
  context: string;
}

/** One kind of success. @param shared headers beside those it declares */
function successOf(
  book: SchemaBook,
  success: Success,
  hint: Hint,
  { bodiless, mediaType }: { bodiless: boolean; mediaType: string | undefined },
  shared: object,
): object {
  const own = Object.entries(success.headers ?? {}).map(([name, schema]) => [
    name,
    { schema: book.write(schema, name) },
  ]);
  const content =
    'schema' in success
      ? {
          content: {
            ...json(book.write(success.schema, hint.name, hint.context), mediaType),
            ...bytesOf(success.alternatives ?? []),
          },
        }
      : 'contentType' in success
        ? { content: bytesOf([success.contentType].flat()) }
        : {};
  return {
    description: success.description ?? DESCRIPTIONS[success.status]!,
    headers: { ...shared, ...Object.fromEntries(own) },
    ...(bodiless ? {} : content),
  };
}

/** Answers of a route by status. @param bodiless for HEAD, which is answered without bodies */
export function responsesOf(book: SchemaBook, route: Route, hint: Hint, bodiless: boolean): object {
  const { success, otherSuccess, input, method, mediaType } = route.options;
  const isList = ['page', 'per_page'].every((name) => name in (input?.properties ?? {}));
  const reads = method === 'GET' || method === 'HEAD';
  const headers = {
    'X-Request-Id': refer('RequestId'),
    ...(reads && 'schema' in success ? { ETag: refer('ETag') } : {}),
    ...(isList ? PAGE_HEADERS : {}),
  };
  const refusals = refusalsOf(route).map((status) => {
    if (status === 304) return [status, UNCHANGED];
    const [name, description] = REFUSALS[status] ?? ['', 'The request is refused.'];
    if (bodiless) return [status, { description }];
    return [
      status,
      name === '' || mediaType !== undefined
        ? { description, content: json({ $ref: '#/components/schemas/Error' }, mediaType) }
        : { $ref: `#/components/responses/${name}` },
    ];
  });
  return {
    [success.status]: successOf(book, success, hint, { bodiless, mediaType }, headers),
    ...(otherSuccess === undefined
      ? {}
      : {
          [otherSuccess.status]: successOf(
            book,
            otherSuccess,
            { ...hint, name: `${hint.name} other` },
            { bodiless, mediaType },
            headers,
          ),
        }),
    ...(reads && !('empty' in success) ? { 304: NOT_MODIFIED } : {}),
    ...(reads && route.options.access.moves ? { 301: bodiless ? { ...MOVED, content: undefined } : MOVED } : {}),
    ...Object.fromEntries(refusals),
  };
}

const NOT_MODIFIED = { description: 'The client has it already: If-None-Match names its tag. No body.' };
const UNCHANGED = { description: 'It is so already: nothing was changed. No body.' };
const MOVED = {
  description: 'The project or group has another path now.',
  headers: { Location: { description: 'The same request at its new address.', schema: { type: 'string' } } },
  content: { 'text/plain': { schema: { type: 'string' } } },
};

const PAGE_HEADERS = {
  Link: refer('Link'),
  'X-Page': refer('Page'),
  'X-Per-Page': refer('PerPage'),
  'X-Next-Page': refer('NextPage'),
  'X-Prev-Page': refer('PrevPage'),
  'X-Total': refer('Total'),
  'X-Total-Pages': refer('TotalPages'),
};

/** Every schema that the answers of a route hold. */
export function successSchemas({ options: { success, otherSuccess } }: Route) {
  return [success, ...(otherSuccess === undefined ? [] : [otherSuccess])].flatMap((each) => [
    ...('schema' in each ? [each.schema] : []),
    ...Object.values(each.headers ?? {}),
  ]);
}

/** Every schema of a route's own parameters. */
export const pathSchemas = ({ options }: Route) => ({
  ...options.access.params,
  ...(options.params === undefined ? {} : propertiesOf(options.params)),
});
