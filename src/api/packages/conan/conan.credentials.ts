import type { Caller } from '../../../access/caller.ts';
import { callerOfDownloadToken, signDownloadToken } from '../../../access/signed-download-tokens.ts';
import { unauthorized } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import type { Access } from '../../../http/http.route.ts';
import { CHALLENGED } from '../registries.credentials.ts';

const PURPOSE = 'conan';
/** Seconds: three months, though it ends with what it was made with. */
const LIFE = 90 * 86_400;

const login: CredentialLookup = (deps, { secret }) => callerOfDownloadToken(deps, secret, PURPOSE);

/** How Conan says who it is: by name and password once, and from then on by what it was given for them. */
export const CONAN: Credentials = {
  ...CHALLENGED,
  methods: CHALLENGED.methods.map((way) =>
    way.name === 'packageBearer'
      ? {
          ...way,
          name: 'conanBearer',
          description: `${way.description} Or what a login gave.`,
          kinds: [login, ...way.kinds],
        }
      : way,
  ),
};

/** Everybody who says who they are. */
export const signedInCaller: Access = {
  description: 'Everybody who says who they are, by any token',
  anonymous: false,
  params: {},
  check: async ({ caller }) => {
    if (caller.credential.kind === 'none') throw unauthorized();
    return {};
  },
};

/** What Conan sends after a login, in the place of name and password. @throws ApiError 401 */
export async function createLoginToken(deps: Deps, caller: Caller): Promise<string> {
  const pass = await signDownloadToken(deps, caller, { purpose: PURPOSE, object: 0 }, LIFE);
  if (pass === null) throw unauthorized();
  return pass;
}
