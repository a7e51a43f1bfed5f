import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import { callerOfToken, checkUserState, tokenError } from '../access/token-caller.ts';
import { ApiError, forbidden } from '../core/errors.ts';
import { equalsIgnoringCase } from '../db/like.ts';
import type { Deps } from '../deps.ts';

export const insufficientScope = (scopes: readonly string[]): ApiError =>
  tokenError(
    403,
    'insufficient_scope',
    'The request requires higher privileges than provided by the access token.',
    scopes.join(' '),
  );

/** The token of a request, from whichever place the platform's clients put it; null when there is none. */
export function tokenOf(request: FastifyRequest): string | null {
  const { headers } = request;
  const query = request.query as Record<string, unknown>;
  const privateToken = headers['private-token'] ?? query.private_token;
  if (typeof privateToken === 'string' && privateToken !== '') return privateToken;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '');
  if (bearer !== null) return bearer[1]!;
  const accessToken = query.access_token;
  return typeof accessToken === 'string' && accessToken !== '' ? accessToken : null;
}

/**
 * Who sent the request, `sudo` included.
 * @throws ApiError 401, 403, or 404 for an unknown sudo user
 */
export async function authenticate(deps: Deps, request: FastifyRequest): Promise<Caller> {
  const token = tokenOf(request);
  if (token === null) return ANONYMOUS;
  const caller = await callerOfToken(deps, token, request.ip);
  const query = request.query as Record<string, unknown>;
  const sudo = request.headers.sudo ?? query.sudo;
  if (sudo === undefined || sudo === '') return caller;
  if (typeof sudo !== 'string') throw forbidden();
  return actAs(deps, caller, sudo);
}

async function actAs(deps: Deps, caller: Caller, name: string): Promise<Caller> {
  if (!caller.admin) throw forbidden('Must be admin to use sudo');
  if (!caller.scopes?.includes('sudo')) throw insufficientScope(['sudo']);
  const users = deps.db.selectFrom('users').selectAll();
  const user = await (/^\d{1,15}$/.test(name)
    ? users.where('id', '=', Number(name))
    : users.where((eb) => equalsIgnoringCase(eb.ref('username'), name))
  ).executeTakeFirst();
  if (user === undefined) {
    throw new ApiError(404, `404 User with ID or username '${name.slice(0, 255)}' Not Found`);
  }
  checkUserState(user);
  return { ...caller, user, admin: user.admin === 1, sudoBy: caller.user };
}

/**
 * Refuses tokens whose scopes do not cover the request: `api` covers all, `read_api` GET and HEAD, and the route may
 * name further ones.
 * @throws ApiError 403
 */
export function checkScopes(caller: Caller, method: string, extra: readonly string[]): void {
  const { scopes } = caller;
  if (scopes === null || caller.credential.kind === 'none') return;
  const reads = method === 'GET' || method === 'HEAD';
  const enough = [...(reads ? ['api', 'read_api'] : ['api']), ...extra];
  if (!scopes.some((scope) => enough.includes(scope))) throw insufficientScope(enough);
}
