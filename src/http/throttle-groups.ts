import type { FastifyRequest } from 'fastify';
import type { ThrottleGroup } from '../settings/throttles.ts';
import type { Route } from './http.route.ts';

const PACKAGES = /(?:^|\/)packages(?:\/|$)/;
const FILES = /^\/projects\/:id\/repository\/files\//;
const FALSE = /^(?:0|f|false|n|no|off)$/i;

/**
 * Throttle groups of a route's requests: the first one with an enabled throttle counts (public documentation, "Package
 * registry rate limits" and others: they supersede the general ones).
 * @returns a function of the request
 */
export function throttleGroups({
  method,
  path,
  root,
  unthrottled,
  throttle,
}: Route['options']): (request: FastifyRequest) => readonly ThrottleGroup[] {
  const general: readonly ThrottleGroup[] = unthrottled === true ? [] : root === true ? ['web'] : ['api'];
  const groups = [...specialOf(path, root === true, throttle), ...general];
  // Only such requests of it are expensive.
  if (path !== '/groups/:id' || (method !== 'GET' && method !== 'HEAD')) return () => groups;
  const deprecated: readonly ThrottleGroup[] = ['deprecated_api', ...groups];
  return ({ query }) => {
    const { with_projects: withProjects } = query as Record<string, unknown>;
    return FALSE.test(String(withProjects)) ? groups : deprecated;
  };
}

function specialOf(path: string, root: boolean, own: ThrottleGroup | undefined): readonly ThrottleGroup[] {
  if (own !== undefined) return [own];
  if (root) return [];
  if (PACKAGES.test(path)) return ['packages_api'];
  return FILES.test(path) ? ['files_api'] : [];
}
