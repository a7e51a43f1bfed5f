import type { Route } from '../http.route.ts';
import { pascalCase, singular } from './openapi.schemas.ts';

/** What the last segment of a path does, where it is no thing that is read or made. */
const ACTION =
  /^(activate|add|approve|archive|ban|block|bulk_publish|cancel|cherry_pick|clone|deactivate|disable|enable|follow|fork|mark|merge(?!_request)|move|promote|protect|publish|rebase|reject|render|renew|reorder|reset|restore|retry|revert|revoke|rotate|share|star|subscribe|transfer|unapprove|unarchive|unban|unblock|unfollow|unlock|unprotect|unstar|unsubscribe|verify)(?:_(.+))?$/;
/** Segments that say nothing of what a path is about. */
const SILENT: ReadonlySet<string> = new Set(['-', 'repository', 'info']);
const ON_ONE: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'head',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

const isParameter = (segment: string | undefined): boolean => segment !== undefined && /^[:*]/.test(segment);
const capital = (words: string): string => pascalCase(words.replace(/^[A-Z]/, (letter) => letter.toLowerCase()));

/** `projects/:id/issues` -> `Project Issues`: what a parameter, or `self`, follows is one of its kind. */
function nounsOf(segments: readonly string[]): string {
  const nouns = segments.map((segment, index) => {
    if (isParameter(segment) || SILENT.has(segment)) return '';
    if (segment === 'user' && index === 0) return 'CurrentUser';
    const next = segments[index + 1];
    return capital(isParameter(next) || next === 'self' ? singular(segment) : segment);
  });
  return nouns.join('');
}

/** Parameters at the end of a path, where one alone does not tell what it names. */
function byParameters(segments: readonly string[]): string {
  const names = segments.slice(segments.findLastIndex((segment) => !isParameter(segment)) + 1);
  return names.length < 2 ? '' : `By${names.map((name) => pascalCase(name.slice(1))).join('And')}`;
}

/** Whether a route answers with a list: a GET whose answer is declared as an array. */
export const isListRoute = ({ options: { method, success } }: Route): boolean =>
  method === 'GET' && 'schema' in success && (success.schema as { type?: unknown }).type === 'array';

/**
 * What an operation is called in generated clients: `listProjectIssues`, `approveProjectMergeRequest`. It is made of
 * what never changes, the method and the path (and whether it gives a list), unless the route names it.
 * @param address as clients call it
 */
export function operationIdOf(route: Route, address: string): string {
  const { operationId, method } = route.options;
  if (operationId !== undefined) return operationId;
  const [, path = address, suffix = ''] = /^(.*[^/.])\.(:?\w+)$/.exec(address) ?? [];
  const segments = path
    .replaceAll(/(?<=\w)[.-](?=\w)/g, '_')
    .split('/')
    .filter(Boolean);
  const last = segments.at(-1)!;
  const form = pascalCase(suffix.replace(/^:/, 'in_'));
  if (isParameter(last)) return ON_ONE[method]! + nounsOf(segments) + byParameters(segments) + form;
  const owner = nounsOf(segments.slice(0, -1));
  const [, verb, object = ''] = ACTION.exec(last) ?? [];
  if (verb !== undefined && (WRITES.has(method) || last === 'render')) {
    return verb.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase()) + owner + pascalCase(object);
  }
  if (method === 'POST') return `create${owner}${capital(singular(last))}`;
  return (isListRoute(route) ? 'list' : ON_ONE[method]!) + nounsOf(segments) + form;
}
