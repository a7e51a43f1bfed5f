import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../../access/caller.ts';
import { callerOfBasic } from '../../access/git-credentials.ts';
import { callerOfToken } from '../../access/token-caller.ts';
import { ApiError } from '../../core/errors.ts';
import type { Deps } from '../../deps.ts';

const DENIED = 'HTTP Basic: Access denied. Give a token as the password (any user name), or a user name and password.';

/** What git is asked for credentials with, in the place of any other 401. */
const challenge = () => new ApiError(401, DENIED, {}, { 'WWW-Authenticate': 'Basic realm="Stithy"' });

/** Runs what may find that the caller has to say who he is. @throws ApiError; for 401 one that makes git ask its user */
export async function orChallenge<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw challenge();
    throw error;
  }
}

/** Who sent a git request: by Basic or Bearer; anonymous without either. @throws ApiError 401 */
export async function gitCaller(deps: Deps, request: FastifyRequest): Promise<Caller> {
  const header = request.headers.authorization ?? '';
  const bearer = /^Bearer +(\S+)$/i.exec(header);
  if (bearer !== null) return orChallenge(() => callerOfToken(deps, bearer[1]!, request.ip));
  const basic = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(header);
  if (basic === null) return ANONYMOUS;
  const text = Buffer.from(basic[1]!, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) throw challenge();
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)];
  if (username === '' && password === '') return ANONYMOUS;
  return orChallenge(() => callerOfBasic(deps, username, password, request.ip));
}
