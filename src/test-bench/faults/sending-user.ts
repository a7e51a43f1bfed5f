import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { verifyPassword } from '../../core/core.secrets.ts';
import { equalsIgnoringCase } from '../../db/like.ts';
import type { Deps } from '../../deps.ts';
import { API_TOKENS } from '../../http/api-tokens.ts';
import { basic, header } from '../../http/credential-locations.ts';
import { type CredentialLookup, type CredentialMethod, callerOf } from '../../http/http.credentials.ts';
import { JOB_TOKEN_METHODS } from '../../http/job-tokens.ts';
import { parseQuery } from '../../http/params/query.ts';
import { accessToken, jobToken } from '../../http/secret-kinds.ts';

/** The password of a user. Failures are not counted here: the server counts them when it looks at the request. */
const password: CredentialLookup = async ({ db }, { username, secret }) => {
  if (username === null || username === '' || username.includes('\0')) return undefined;
  const column = username.includes('@') ? 'email' : 'username';
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where((eb) => equalsIgnoringCase(eb.ref(column), username))
    .executeTakeFirst();
  if (user === undefined || user.password_hash === null || !(await verifyPassword(secret, user.password_hash)))
    return undefined;
  return { user, admin: user.admin === 1, scopes: null, credential: { kind: 'password' }, sudoBy: null };
};

const description = '';

/** Every place where a request can have the credentials of a user. */
const METHODS: readonly CredentialMethod[] = [
  ...API_TOKENS.methods.map((method) => ({ ...method, kinds: [...method.kinds, jobToken] })),
  ...JOB_TOKEN_METHODS,
  { name: 'basic', location: basic, description, kinds: [accessToken, jobToken, password] },
  { name: 'nuget', location: header('X-NuGet-ApiKey'), description, kinds: [accessToken, jobToken] },
];

/** Username of the caller of a request that the server has not looked at yet; null for nobody, or nobody valid. */
export async function sendingUser(deps: Deps, { url = '', headers, socket }: IncomingMessage): Promise<string | null> {
  const question = url.indexOf('?');
  const query = parseQuery(question === -1 ? '' : url.slice(question + 1));
  const request = { headers, query, ip: socket.remoteAddress ?? '' } as unknown as FastifyRequest;
  try {
    const { user } = await callerOf(deps, { methods: METHODS }, request);
    return user?.username ?? null;
  } catch {
    return null;
  }
}
