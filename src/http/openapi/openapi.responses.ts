import type { Route, Success } from '../http.route.ts';
import { propertiesOf } from '../http.schema.ts';
import type { SchemaBook } from './openapi.schemas.ts';
import type { SchemaObject } from './schema-object.ts';

/** Meaning of refusals by status. */
const REFUSALS: Record<number, [name: string, description: string]> = {
  400: ['BadRequest', 'A parameter is missing or invalid, or the request cannot be executed in this form.'],
  401: ['Unauthorized', 'A token is required, or the token is unknown, expired or revoked.'],
  403: ['Forbidden', 'The permissions of the caller or the scopes of the token do not allow the request.'],
  404: ['NotFound', 'The resource does not exist, or the caller may not see it.'],
  405: ['MethodNotAllowed', 'The method is not allowed for this resource.'],
  406: ['NotAcceptable', 'The state of the resource does not allow the request.'],
  409: ['Conflict', 'The resource already exists, or has changed meanwhile.'],
  410: ['Gone', 'The resource no longer exists.'],
  412: ['PreconditionFailed', 'The resource has changed since the time of If-Unmodified-Since.'],
  413: ['ContentTooLarge', 'The body is larger than allowed.'],
  415: ['UnsupportedMediaType', 'The body is neither JSON nor a form.'],
  416: ['RangeNotSatisfiable', 'The range is outside the content.'],
  422: ['UnprocessableContent', 'The parameters are valid, but not in this combination or for this resource.'],
  429: ['TooManyRequests', 'Too many requests; Retry-After says when to try again.'],
  503: ['ServiceUnavailable', 'The server is busy or in maintenance mode; try again later.'],
};

const json = (schema: SchemaObject, mediaType = 'application/json') => ({ [mediaType]: { schema } });
const header = (description: string, type = 'string') => ({ description, schema: { type } });

/** Schema of the body of refusals. */
export const ERROR_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['message'],
  properties: {
    message: {
      type: 'string',
      minLength: 1,
      description: 'Error message.',
      examples: ['title is missing'],
    },
    error: {
      type: 'string',
      description: 'The same message for an invalid parameter; an error code for an invalid token.',
      examples: ['title is missing'],
    },
    errors: {
      type: 'object',
      description: 'Error messages by field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    error_description: {
      type: 'string',
      description: 'Description of a token error.',
      examples: ['Token was revoked.'],
    },
    scope: { type: 'string', description: 'Scopes of which one is required.', examples: ['api read_api'] },
  },
};

/** Headers that operations refer to. */
export const HEADERS = {
  RequestId: header('Id of the request, as in the server log.'),
  ETag: header('Weak ETag of the body, for If-None-Match.'),
  Link: header('Links to the pages prev, next, first and last.'),
  Page: header('Number of this page.', 'integer'),
  PerPage: header('Items per page.', 'integer'),
  NextPage: header('Number of the next page; empty on the last one.'),
  PrevPage: header('Number of the previous page; empty on the first one.'),
  Total: header('Total number of items; absent for very long lists.', 'integer'),
  TotalPages: header('Total number of pages; absent for very long lists.', 'integer'),
  RetryAfter: header('Seconds to wait.', 'integer'),
};

const refer = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** Responses that operations refer to. */
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

/** Statuses of refusals that follow from the declaration of a route. */
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
  302: 'Redirect.',
};

/** Raw content (OpenAPI 3.1: no type, no encoding). */
const BYTES: SchemaObject = {};
const bytesOf = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, { schema: BYTES }]));

/** Name of an answer's content and of its owner. */
interface Hint {
  name: string;
  context: string;
}

/** A success response. @param shared headers in addition to declared ones */
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

/** Responses of a route by status. @param bodiless for HEAD, whose answers have no bodies */
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

const NOT_MODIFIED = { description: 'Not modified: If-None-Match contains the current ETag. No body.' };
const UNCHANGED = { description: 'Not modified: the resource already has the requested state. No body.' };
const MOVED = {
  description: 'The project or group has a different path now.',
  headers: { Location: { description: 'URL of the same request with the new path.', schema: { type: 'string' } } },
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

/** All schemas in the answers of a route. */
export function successSchemas({ options: { success, otherSuccess } }: Route) {
  return [success, ...(otherSuccess === undefined ? [] : [otherSuccess])].flatMap((each) => [
    ...('schema' in each ? [each.schema] : []),
    ...Object.values(each.headers ?? {}),
  ]);
}

/** All schemas of a route's own parameters. */
export const pathSchemas = ({ options }: Route) => ({
  ...options.access.params,
  ...(options.params === undefined ? {} : propertiesOf(options.params)),
});
