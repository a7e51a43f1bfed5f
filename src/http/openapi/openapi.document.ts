import { planWords } from '../../access/access.plan.ts';
import type { Dialect } from '../../config/config.ts';
import { VERSION } from '../../core/core.version.ts';
import { API_TOKENS } from '../api-tokens.ts';
import type { Method, Route } from '../http.route.ts';
import { introduction } from './introduction.ts';
import {
  ERROR_SCHEMA,
  HEADERS,
  pathSchemas,
  responsesOf,
  sharedResponses,
  successSchemas,
} from './openapi.responses.ts';
import { ruleSentences } from './openapi.rules.ts';
import { pascalCase, SchemaBook, singular } from './openapi.schemas.ts';
import { credentialWords, securityOf, securitySchemes } from './openapi.security.ts';
import { NO_VOCABULARY, type Vocabulary } from './openapi.words.ts';
import { operationIdOf } from './operation-ids.ts';
import { bytesBody, pathParameters, queryParameters, requestBody } from './parameters.ts';
import type { SchemaObject } from './schema-object.ts';

/** The part of an OpenAPI 3.1 document that the generator uses. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: object;
  servers: object[];
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, SchemaObject>; [kind: string]: object };
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  parameters: object[];
  responses: Record<string, object>;
  [keyword: string]: unknown;
}

/** `/projects/:id/jobs/*path` -> `/projects/{id}/jobs/{path}`. */
const templated = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}');

/** The path for clients. */
const shownPath = ({ options: { address, path } }: Route): string => address ?? path;

/** Segments that name the owner of a resource rather than the resource. */
const OWNED = /^\/(projects|groups|users|user)\/(?:\[\]\/)?(repository\/)?([a-z_]+)(\/\[\])?/;

/** Paths with anonymous parameters, to compare routes. */
const patternOf = (path: string): string => path.replace(/[:*]\w+/g, '[]');

/**
 * Derives tags of routes from their paths: the collection inside a project, group or user (if its members have paths of
 * their own), else the owner itself.
 */
export class Tags {
  readonly #collections = new Set<string>();

  constructor(routes: readonly Route[]) {
    for (const { options } of routes) {
      const [, , , word, member] = OWNED.exec(patternOf(options.path)) ?? [];
      if (word !== undefined && member !== undefined && singular(word) !== word) this.#collections.add(word);
    }
  }

  of(route: Route): string {
    const { tag } = route.options;
    return tag ?? this.#made(shownPath(route));
  }

  #made(path: string): string {
    const [, owner, repository, word] = OWNED.exec(patternOf(path)) ?? [];
    const first = /^\/(\w+)/.exec(path)?.[1] ?? 'web addresses';
    const own = word !== undefined && this.#collections.has(word) ? word : repository && 'repository';
    const text = (own || owner || first).replace(/^user$/, 'users').replace(/[_-]/g, ' ');
    return text[0]!.toUpperCase() + text.slice(1).replace(/^pg /, 'PG ');
  }
}

/** Last fixed segment of a path: it names the content of an answer. */
const resourceOf = (path: string): string =>
  singular(path.split('/').findLast((part) => /^[a-z]/.test(part)) ?? 'object');

/** First word of a path in the singular: the owner of what is below. */
const ownerOf = (path: string): string => pascalCase(singular(/^\/([a-z]\w*)/.exec(path)?.[1] ?? ''));

/** Description of an operation in Markdown. */
function describe({ options }: Route, scopes: readonly string[]): string {
  const { description, access, plan, credentials, rules = {} } = options;
  return [
    ...(description === undefined ? [] : [description]),
    ...ruleSentences(rules),
    ...(plan === undefined ? [] : [`**Plan:** ${planWords(plan)}.`]),
    `**Who:** ${access.description}.`,
    ...(credentials === undefined ? [] : [`**Credentials:** ${credentialWords(credentials)}.`]),
    `**Scopes of tokens:** ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`,
  ].join('\n\n');
}

function operation(book: SchemaBook, tags: Tags, route: Route, method: Method): OperationObject {
  const { summary, access, credentials = API_TOKENS, input, rules = {}, deprecated, body, mediaType } = route.options;
  const path = shownPath(route);
  const hint = resourceOf(path);
  const hasInput = Object.keys(input?.properties ?? {}).length > 0;
  const inQuery = method === 'GET' || method === 'HEAD' || method === 'DELETE' || body !== undefined;
  const reads = method === 'GET' || method === 'HEAD';
  const scopes = ['api', ...(reads ? ['read_api'] : []), ...(route.options.scopes ?? [])];
  const parameters = [
    ...pathParameters(book, path, pathSchemas(route)),
    ...(input !== undefined && inQuery ? queryParameters(book, input) : []),
  ];
  const operationId = operationIdOf(route, path);
  const bodyHint = { hint: pascalCase(operationId), context: ownerOf(path) };
  return {
    operationId,
    tags: [tags.of(route)],
    summary,
    description: describe(route, scopes),
    ...(deprecated ? { deprecated } : {}),
    parameters,
    ...(input !== undefined && hasInput && !inQuery
      ? { requestBody: requestBody(book, input, rules, bodyHint, mediaType) }
      : {}),
    ...(body === undefined ? {} : { requestBody: bytesBody(body) }),
    responses: responsesOf(book, route, { name: hint, context: ownerOf(path) }, method === 'HEAD') as Record<
      string,
      object
    >,
    security: securityOf(credentials, access.anonymous),
    ...(route.options.plan === undefined ? {} : { 'x-plan': route.options.plan }),
    'x-access': {
      who: access.description,
      ...(access.ability === undefined ? {} : { ability: access.ability }),
      anonymous: access.anonymous,
      scopes,
    },
  };
}

/** Paths that differ in the names of parameters only are merged; the names of the first route are used. */
class Paths {
  readonly items: OpenApiDocument['paths'] = {};
  readonly #byPattern = new Map<string, string>();

  add(route: Route, method: Method, made: OperationObject): void {
    const { root } = route.options;
    const own = shownPath(route);
    const path = templated(root ? own : `/api/v4${own}`);
    const pattern = path.replace(/\{\w+\}/g, '{}');
    const known = this.#byPattern.get(pattern) ?? path;
    this.#byPattern.set(pattern, known);
    if (known !== path) rename(made, path, known);
    this.items[known] ??= {};
    this.items[known][method.toLowerCase()] = made;
  }
}

/** Renames path parameters of an operation to those of another route with the same path. */
function rename(made: OperationObject, from: string, to: string): void {
  const names = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const newNames = names(to);
  const renamed = new Map(names(from).map((name, index) => [name, newNames[index]!]));
  made.parameters = (made.parameters as { name: string; in: string }[]).map((parameter) =>
    parameter.in === 'path' ? { ...parameter, name: renamed.get(parameter.name)! } : parameter,
  );
}

/**
 * Describes the routes as an OpenAPI 3.1 document.
 * @param base URL of the server, without a trailing slash
 * @param vocabulary descriptions for declarations without one
 * @param dialect dialect of the answers
 * @param version of the platform that clients are told
 */
export function openApiDocument(
  routes: readonly Route[],
  base: string,
  vocabulary: Vocabulary = NO_VOCABULARY,
  dialect: Dialect = 'specification',
  version: string = VERSION.api,
): OpenApiDocument {
  const book = new SchemaBook(vocabulary, dialect);
  book.components.Error = ERROR_SCHEMA;
  for (const route of routes) for (const schema of successSchemas(route)) book.count(schema);
  const paths = new Paths();
  const tags = new Tags(routes);
  for (const route of routes) {
    const { method } = route.options;
    paths.add(route, method, operation(book, tags, route, method));
  }
  const names = [...new Set(routes.map((route) => tags.of(route)))].sort();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stithy REST API',
      version,
      description: introduction(base),
      license: { name: 'MIT', identifier: 'MIT' },
      'x-dialect': dialect,
    },
    servers: [{ url: base }],
    tags: names.map((name) => ({ name })),
    paths: paths.items,
    components: {
      schemas: book.components,
      headers: HEADERS,
      responses: sharedResponses(),
      securitySchemes: securitySchemes(routes),
    },
  };
}
