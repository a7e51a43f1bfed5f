import type { Caller } from '../access/caller.ts';
import { tokenError } from '../access/token-caller.ts';
import type { ApiError } from '../core/core.errors.ts';

export const insufficientScope = (scopes: readonly string[]): ApiError =>
  tokenError(
    403,
    'insufficient_scope',
    'The request requires higher privileges than provided by the access token.',
    scopes.join(' '),
  );

/**
 * Refuses tokens whose scopes do not cover the request: `api` covers everything, `read_api` GET and HEAD, and the route
 * may declare further ones.
 * @throws ApiError 403
 */
export function checkScopes(caller: Caller, method: string, extra: readonly string[]): void {
  const { scopes } = caller;
  if (scopes === null || caller.credential.kind === 'none') return;
  const reads = method === 'GET' || method === 'HEAD';
  const enough = [...(reads ? ['api', 'read_api'] : ['api']), ...extra];
  if (!scopes.some((scope) => enough.includes(scope))) throw insufficientScope(enough);
}
