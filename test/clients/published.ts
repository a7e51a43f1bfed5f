/** Compares an OpenAPI document that the platform publishes (2.0 or 3.0) with what is served here. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'yaml';
import type { Route } from '../../src/http/http.route.ts';
import { kindOf } from '../../src/integrations/catalogue/catalogue.kinds.ts';
import { routes } from '../../src/routes.ts';

type Json = Record<string, unknown>;

interface Published {
  basePath?: string;
  paths: Record<string, Record<string, Json>>;
  definitions?: Record<string, Json>;
  components?: { schemas?: Record<string, Json> };
}

interface Contents {
  /** Number of them. */
  parameters: number;
  fields: number;
  absentParameters: readonly string[];
  absentFields: readonly string[];
}

/** A published operation, and the route here that answers it. */
interface Compared extends Contents {
  /** As `GET /projects/{id}/hooks`. */
  name: string;
  route: Route | undefined;
}

const HEADING = '## Published OpenAPI document';
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];
/** Stands for any value in a path. */
const VALUE = 'x1';

/** Endings that paths have in requests and not in the document. */
const ENDINGS = ['', '.json', '.zip'];

/** Paths as clients send them: a value in place of each parameter, with and without what is optional. */
function concretePaths(path: string): string[] {
  const plain = path.replaceAll('\\', '').replace(/^\/api\/v4/, '');
  const optional = /\(([^()']*)\)/.exec(plain);
  if (optional !== null && optional[1] !== '') {
    const [part, inner] = optional as unknown as [string, string];
    return ['', inner].flatMap((each) => concretePaths(plain.replace(part, each)));
  }
  const concrete = plain.replaceAll(/\{\w+\}|\*\w+/g, VALUE).replaceAll(/\/{2,}/g, '/');
  return ENDINGS.map((ending) => `${concrete}${ending}`);
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a route's path matches. */
function patternOf({ options: { path } }: Route): RegExp {
  const parts = path.split(/([:*]\w+)/).map((part) => {
    if (part.startsWith(':')) return '([^/]+)';
    return part.startsWith('*') ? '(.+)' : literally(part);
  });
  return new RegExp(`^${parts.join('')}$`);
}

const patterns = Map.groupBy(
  routes.map((route) => ({ route, pattern: patternOf(route), values: route.options.path.split(/[:*]/).length })),
  ({ route }) => route.options.method as string,
);

/** The route that answers a request, the one with the fewest parameters. */
function routeAt(method: string, path: string): Route | undefined {
  const found = (patterns.get(method) ?? [])
    .filter(({ route, pattern }) => {
      const match = pattern.exec(path);
      const at = route.options.path
        .split('/')
        .filter((part) => /^[:*]/.test(part))
        .indexOf(':integration_slug');
      return match !== null && (at === -1 || match[at + 1] === VALUE || kindOf(match[at + 1]!) !== undefined);
    })
    .toSorted((one, other) => one.values - other.values);
  return found[0]?.route;
}

/** A schema with what it refers to. */
function resolved(document: Published, schema: unknown): Json {
  const { $ref, ...rest } = (schema ?? {}) as { $ref?: string } & Json;
  if ($ref === undefined) return rest;
  const name = decodeURIComponent($ref.split('/').pop()!);
  return resolved(document, document.definitions?.[name] ?? document.components?.schemas?.[name]);
}

/** Names of the properties of an object, or of the objects in a list. */
function propertiesOf(document: Published, schema: unknown): string[] {
  const { items, properties, anyOf, allOf, oneOf } = resolved(document, schema) as Record<string, unknown>;
  const parts = [items, ...((anyOf ?? allOf ?? oneOf ?? []) as unknown[])].filter((part) => part !== undefined);
  return [...Object.keys((properties ?? {}) as Json), ...parts.flatMap((part) => propertiesOf(document, part))];
}

const contentOf = (part: unknown): unknown => {
  const { schema, content } = (part ?? {}) as { schema?: unknown; content?: Record<string, { schema?: unknown }> };
  return schema ?? content?.['application/json']?.schema ?? Object.values(content ?? {})[0]?.schema;
};

/** Parameters by which jobs and runners say who they are: here they belong to the credentials of a route. */
const CREDENTIALS = new Set(['token']);

interface Parameter {
  name: string;
  in: string;
  type?: string;
  schema?: unknown;
}

/** Names of parameters, but for those in the path, and files; nested ones count as what holds them. */
function parametersOf(document: Published, operation: Json): string[] {
  const listed = ((operation.parameters ?? []) as Parameter[]).flatMap((one) => {
    if (!['query', 'formData', 'body'].includes(one.in) || one.type === 'file') return [];
    if (one.name.includes('.')) return [];
    return one.in === 'body' ? propertiesOf(document, one.schema) : [one.name];
  });
  const sent = propertiesOf(document, contentOf(operation.requestBody));
  const names = new Set([...listed, ...sent].map((name) => name.replace(/\[.*/, '')));
  return [...names].filter((name) => !CREDENTIALS.has(name));
}

function fieldsOf(document: Published, operation: Json): string[] {
  const answers = (operation.responses ?? {}) as Record<string, unknown>;
  return [...new Set(propertiesOf(document, contentOf(answers['200'] ?? answers['201'])))];
}

const NOTHING: Published = { paths: {} };

/** Parameters and fields of an operation, and those that the route which answers it has not. */
function contentsOf(document: Published, path: string, operation: Json, route: Route): Contents {
  const { input, success, params } = route.options as unknown as Record<string, Json | undefined>;
  const taken = new Set([...propertiesOf(NOTHING, input), ...propertiesOf(NOTHING, params)]);
  const shown = new Set(propertiesOf(NOTHING, success?.schema));
  const parameters = parametersOf(document, operation).filter((name) => !new RegExp(`[{*]${name}\\b`).test(path));
  // What is no JSON here has no fields.
  const fields = shown.size === 0 ? [] : fieldsOf(document, operation);
  return {
    parameters: parameters.length,
    fields: fields.length,
    // A body that is bytes is told apart from its parameters by its route alone.
    absentParameters: route.options.body === undefined ? parameters.filter((name) => !taken.has(name)) : [],
    absentFields: fields.filter((name) => !shown.has(name)),
  };
}

const NONE: Contents = { parameters: 0, fields: 0, absentParameters: [], absentFields: [] };

/** Compares every operation of a document. */
function compare(document: Published): Compared[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const paths = concretePaths(`${document.basePath ?? ''}${path}`);
        const route = paths.map((each) => routeAt(method.toUpperCase(), each)).find((each) => each !== undefined);
        return {
          name: `${method.toUpperCase()} ${path.replace(/^\/api\/v4/, '')}`,
          route,
          ...(route === undefined ? NONE : contentsOf(document, path, operation, route)),
        };
      }),
  );
}

/** Why operations are not served, the first that fits. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/\/authorize$|\/geo\/|container_registry_event|api\/v3/, "asked by the platform's own parts of each other"],
  [
    /usage_data|batched_background|\/admin\/(?:databases|migrations)|gitlab_subscription|limit_exclusion|credit_card|support_pin|organizations|web_commits|PUT \/namespaces/,
    "for the upkeep and the service of the platform's makers",
  ],
  [/cluster|allowed_agents/, 'Kubernetes is not integrated'],
  [/registry|dependency_proxy/, 'there is no container registry'],
  [/\/pages/, 'there are no Pages'],
  [/debian|\/rpm|rubygems|ml_models|symbolfiles/, 'packages of Debian, RPM, RubyGems and models are not served'],
  [/slack|jira_connect|slash_commands/, "apps of the platform's own service"],
  [/\/import\/|relation/, 'imports from other services and of single relations'],
  [/error_tracking|alert_management/, 'there are no alerts and error tracking'],
  [/ldap|provisioned_users|saml/, 'there is no LDAP and SAML'],
];
const NOT_BUILT = 'not built yet';

/** Why parameters and fields are absent, the first that fits. */
const OF_OTHERS: readonly (readonly [RegExp, string])[] = [
  [/ldap|saml|scim/, 'there is no LDAP and SAML'],
  [/shared_runners_minutes/, 'minutes of runners are not counted'],
  [/^color$/, 'deprecated: broadcast messages have themes'],
];
const OF_PAGES = 'not built yet, or not on the page about the endpoint';
/** From so many absent fields on, an answer is another object than the document has. */
const OTHER_OBJECT = 5;

const lastWordOf = (name: string): string => name.split('/').findLast((part) => /^[a-z]/.test(part)) ?? name;

const number = (value: number): string => value.toLocaleString('en');
const named = (names: Iterable<string>): string => [...new Set(names)].map((name) => `\`${name}\``).join(', ');

const reasonIn = (reasons: typeof REASONS, text: string, otherwise: string): string =>
  reasons.find(([pattern]) => pattern.test(text))?.[1] ?? otherwise;

/** Operations by the word of their path that tells what they are about. */
const wordOf = (name: string): string => {
  const words = name
    .split(/[ /]/)
    .filter((part) => /^[a-z]/.test(part) && !/^(?:projects|groups|admin|group|users|user)$/.test(part));
  return words[0] ?? lastWordOf(name);
};

/**
 * The part of the page on compatibility about a published document.
 * @param file YAML or JSON
 * @param version of the platform that it describes
 */
export function publishedSection(file: string, version: string): string[] {
  const all = compare(parse(readFileSync(file, 'utf8')) as Published);
  const served = all.filter(({ route }) => route !== undefined);
  const others = routes.length - new Set(served.map(({ route }) => route)).size;
  const sum = (of: (one: Compared) => number) => number(served.reduce((total, one) => total + of(one), 0));
  const missing = Map.groupBy(
    all.filter(({ route }) => route === undefined),
    ({ name }) => reasonIn(REASONS, name, NOT_BUILT),
  );
  const rows = [...missing]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([reason, operations]) => {
      const about = reason === NOT_BUILT ? `: ${named(operations.map(({ name }) => wordOf(name)))}` : '';
      return `| ${operations.length} | ${reason}${about} |`;
    });
  const absent = (what: string, of: (one: Compared) => readonly string[]) => {
    const [others, same] = [true, false].map((is) => served.filter((one) => of(one).length >= OTHER_OBJECT === is));
    const groups = Map.groupBy((same ?? []).flatMap(of), (name) => reasonIn(OF_OTHERS, name, OF_PAGES));
    const most = named((others ?? []).map(({ name }) => lastWordOf(name)));
    return [
      ...[...groups].map(([reason, names]) => [reason, `${what} ${named(names)}`] as const),
      [OF_PAGES, `most ${what} of ${most}`] as const,
    ];
  };
  const lacks = Map.groupBy(
    [
      ...absent('parameters', ({ absentParameters }) => absentParameters),
      ...absent('fields', ({ absentFields }) => absentFields),
    ],
    ([reason]) => reason,
  );
  return [
    HEADING,
    '',
    `The document of version ${version} (\`${basename(file)}\`) describes ${number(all.length)} operations; ${number(served.length)} are served here, and ${number(others)} routes that it does not describe.`,
    `Of ${sum(({ parameters }) => parameters)} parameters of these operations ${sum(({ absentParameters }) => absentParameters.length)} are unknown here, of ${sum(({ fields }) => fields)} fields of their answers ${sum(({ absentFields }) => absentFields.length)} are absent.`,
    '',
    '| Operations not served | Why |',
    '| ---: | --- |',
    ...rows,
    '',
    '| Absent in operations that are served | Why |',
    '| --- | --- |',
    ...[...lacks].map(([reason, parts]) => `| ${parts.map(([, text]) => text).join('; ')} | ${reason} |`),
    '',
  ];
}

/** Writes that part of the page anew, and leaves the rest as it is. */
export function writePublished(page: string, file: string, version: string): void {
  const text = readFileSync(page, 'utf8');
  const at = text.indexOf(HEADING);
  const rest = at === -1 ? text : text.slice(0, at);
  writeFileSync(page, `${[rest.trimEnd(), '', ...publishedSection(file, version)].join('\n').trimEnd()}\n`);
}
