import { callerOfDeployToken, callerOfPassword } from '../access/git-credentials.ts';
import { callerOfJobToken } from '../access/job-token-caller.ts';
import { callerOfToken } from '../access/token-caller.ts';
import type { CredentialLookup } from './http.credentials.ts';

/** A personal, project, group or OAuth token, under any name. */
export const accessToken: CredentialLookup = (deps, { secret }, { ip }) => callerOfToken(deps, secret, ip);

/** A deploy token; where a name is sent it must be the token's. */
export const deployToken: CredentialLookup = (deps, { username, secret }) =>
  callerOfDeployToken(deps, username, secret);

/** The token of a job that runs. */
export const jobToken: CredentialLookup = (deps, { secret }) => callerOfJobToken(deps, secret);

/** The password of a user. */
export const password: CredentialLookup = async (deps, { username, secret }, { ip }) =>
  username === null ? undefined : callerOfPassword(deps, username, secret, ip);
