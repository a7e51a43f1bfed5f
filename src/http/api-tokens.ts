import type { Caller } from '../access/caller.ts';
import { callerOfToken, checkUserState } from '../access/token-caller.ts';
import { ApiError, forbidden } from '../core/core.errors.ts';
import { equalsIgnoringCase } from '../db/like.ts';
import type { Deps } from '../deps.ts';
import { bearer, header, parameter } from './credential-locations.ts';
import type { CredentialLookup, Credentials } from './http.credentials.ts';
import { insufficientScope } from './scopes.ts';

/** Looks up an access or OAuth token; the request may act as another user (`sudo`). */
const apiToken: CredentialLookup = async (deps, { secret }, request) => {
  const caller = await callerOfToken(deps, secret, request.ip);
  const sudo = request.headers.sudo ?? (request.query as Record<string, unknown>).sudo;
  if (caller === undefined || sudo === undefined || sudo === '') return caller;
  if (typeof sudo !== 'string') throw forbidden();
  return actAs(deps, caller, sudo);
};

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

const kinds = [apiToken];

/** Credentials of the API, which apply to every route that declares no others (part 1, section 5). */
export const API_TOKENS: Credentials = {
  methods: [
    { name: 'privateToken', location: header('PRIVATE-TOKEN'), description: 'An access token.', kinds },
    { name: 'privateTokenQuery', location: parameter('private_token'), description: 'An access token.', kinds },
    { name: 'bearer', location: bearer, description: 'An access token or an OAuth token.', kinds },
    { name: 'accessTokenQuery', location: parameter('access_token'), description: 'An OAuth token.', kinds },
  ],
};
