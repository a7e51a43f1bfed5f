import type { Route } from '../http.route.ts';
import { pascalCase, singular } from './openapi.schemas.ts';

/** Last segments that are actions. */
const ACTION =
  /^(activate|add|approve|archive|ban|block|bulk_publish|cancel|cherry_pick|clone|deactivate|disable|enable|follow|fork|mark|merge(?!_request)|move|promote|protect|publish|rebase|reject|render|renew|reorder|reset|restore|retry|revert|revoke|rotate|share|star|subscribe|transfer|unapprove|unarchive|unban|unblock|unfollow|unlock|unprotect|unstar|unsubscribe|verify)(?:_(.+))?$/;
/** Segments without a meaning for the name. */
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

/** `projects/:id/issues` -> `Project Issues`: a segment before a parameter, or `self`, is in the singular. */
function nounsOf(segments: readonly string[]): string {
  const nouns = segments.map((segment, index) => {
    if (isParameter(segment) || SILENT.has(segment)) return '';
    if (segment === 'user' && index === 0) return 'CurrentUser';
    const next = segments[index + 1];
    return capital(isParameter(next) || next === 'self' ? singular(segment) : segment);
  });
  return nouns.join('');
}

/** Names the final parameters of a path if one alone is ambiguous. */
function byParameters(segments: readonly string[]): string {
  const names = segments.slice(segments.findLastIndex((segment) => !isParameter(segment)) + 1);
  return names.length < 2 ? '' : `By${names.map((name) => pascalCase(name.slice(1))).join('And')}`;
}

/** Whether a route answers with a list: a GET whose answer is declared as an array. */
export const isListRoute = ({ options: { method, success } }: Route): boolean =>
  method === 'GET' && 'schema' in success && (success.schema as { type?: unknown }).type === 'array';

/**
 * Operation id for generated clients: `listProjectIssues`, `approveProjectMergeRequest`. Derived from method, path and
 * whether the answer is a list, unless the route declares it.
 * @param address path for clients
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
