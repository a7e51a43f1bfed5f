import type { Caller } from '../../../access/caller.ts';
import { callerOfDownloadToken, signDownloadToken } from '../../../access/signed-download-tokens.ts';
import { unauthorized } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import type { Access } from '../../../http/http.route.ts';
import { CHALLENGED } from '../registries.credentials.ts';

const PURPOSE = 'conan';
/** Lifetime in seconds: three months, limited by the token used for the login. */
const LIFE = 90 * 86_400;

const login: CredentialLookup = (deps, { secret }) => callerOfDownloadToken(deps, secret, PURPOSE);

/** Credentials of Conan: name and password for the login, then the token that it returns. */
export const CONAN: Credentials = {
  ...CHALLENGED,
  methods: CHALLENGED.methods.map((way) =>
    way.name === 'packageBearer'
      ? {
          ...way,
          name: 'conanBearer',
          description: `${way.description} Or the token from a login.`,
          kinds: [login, ...way.kinds],
        }
      : way,
  ),
};

/** Authenticated callers. */
export const signedInCaller: Access = {
  description: 'Authenticated callers, with any kind of token',
  anonymous: false,
  params: {},
  check: async ({ caller }) => {
    if (caller.credential.kind === 'none') throw unauthorized();
    return {};
  },
};

/** Creates the token that Conan sends after a login. @throws ApiError 401 */
export async function createLoginToken(deps: Deps, caller: Caller): Promise<string> {
  const pass = await signDownloadToken(deps, caller, { purpose: PURPOSE, object: 0 }, LIFE);
  if (pass === null) throw unauthorized();
  return pass;
}
