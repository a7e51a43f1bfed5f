import { callerOfDeployToken, callerOfPassword } from '../access/git-credentials.ts';
import { callerOfJobToken } from '../access/job-token-caller.ts';
import { callerOfToken } from '../access/token-caller.ts';
import type { CredentialLookup } from './http.credentials.ts';

/** A personal, project, group or OAuth token, with any username. */
export const accessToken: CredentialLookup = (deps, { secret }, { ip }) => callerOfToken(deps, secret, ip);

/** A deploy token; a given username must be the token's. */
export const deployToken: CredentialLookup = (deps, { username, secret }) =>
  callerOfDeployToken(deps, username, secret);

/** The token of a running job. */
export const jobToken: CredentialLookup = (deps, { secret }) => callerOfJobToken(deps, secret);

/** The password of a user. */
export const password: CredentialLookup = async (deps, { username, secret }, { ip }) =>
  username === null ? undefined : callerOfPassword(deps, username, secret, ip);
