import { addressKey } from '../core/fair-slots.ts';
import { type Author, authorOf, type Origin } from '../core/request-scope.ts';
import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { CiRunner } from '../db/tables/ci-runners.table.ts';
import type { DeployKey } from '../db/tables/deploy-keys.table.ts';
import type { DeployToken } from '../db/tables/deploy-tokens.table.ts';
import type { User } from '../db/tables/users.table.ts';

/** The credential that a caller was authenticated with. */
export type Credential =
  | { kind: 'access_token'; token: AccessToken }
  | { kind: 'oauth'; tokenId: number; applicationId: number | null }
  | { kind: 'password' }
  | { kind: 'deploy_token'; token: DeployToken }
  /** Token of a running job; the caller is the job's user. */
  | { kind: 'job_token'; jobId: number; projectId: number }
  | { kind: 'runner'; runner: CiRunner }
  /** Credential of a feature flags client of a project. */
  | { kind: 'flags_client'; client: FlagsClient }
  /** SSH key of a user. */
  | { kind: 'ssh_key'; keyId: number }
  /** Belongs to the projects that use it, not to a user. */
  | { kind: 'deploy_key'; key: DeployKey }
  /** Certificate of a user that only opens the projects of one group. */
  | { kind: 'ssh_certificate'; authorityId: number; groupId: number; validBefore: number }
  | { kind: 'none' };

/** A feature flags client, with what it reads. */
export interface FlagsClient {
  projectId: number;
  token: string;
  /** Version of the flags, incremented with each change. */
  version: number;
  /** Whether feature flags are enabled in the project. */
  open: boolean;
}

/** The sender of a request. */
export interface Caller {
  /** Null for anonymous callers, deploy tokens and deploy keys. */
  user: User | null;
  /** Whether administrator rights are in force. */
  admin: boolean;
  /** Scopes of the token; null if the credential has no scopes (a password over git). */
  scopes: readonly string[] | null;
  credential: Credential;
  /** The administrator who acts as `user` through sudo. */
  sudoBy: User | null;
}

export const ANONYMOUS: Caller = {
  user: null,
  admin: false,
  scopes: null,
  credential: { kind: 'none' },
  sudoBy: null,
};

/** An authenticated user: the caller that handlers of authenticated routes get. */
export interface UserCaller extends Caller {
  user: User;
}

/** Whether the caller came over SSH, or uses a token over HTTP that was issued over SSH. */
export const isSshCaller = ({ credential: { kind } }: Caller): boolean =>
  kind === 'ssh_key' || kind === 'deploy_key' || kind === 'ssh_certificate';

/** The key of the caller's share in limited resources: the user, else the token, else the IP address. */
export function rateLimitKeyOf({ user, credential, sudoBy }: Caller, address: string): string {
  const actor = sudoBy ?? user;
  if (actor !== null) return `user:${actor.id}`;
  switch (credential.kind) {
    case 'deploy_token':
      return `deploy_token:${credential.token.id}`;
    case 'deploy_key':
      return `deploy_key:${credential.key.id}`;
    case 'job_token':
      return `job:${credential.jobId}`;
    case 'runner':
      return `runner:${credential.runner.id}`;
    default:
      return addressKey(address);
  }
}

/** Whether the user is the bot of a project or group token. */
export const isTokenBot = ({ kind }: Pick<User, 'kind'>): boolean => kind === 'project_bot' || kind === 'group_bot';

const NOBODY: Author = {
  id: -1,
  name: 'An unauthenticated user',
  email: null,
  type: 'Gitlab::Audit::UnauthenticatedAuthor',
};

/** The author that represents a credential without a user. */
function machineOf(credential: Credential): Author {
  switch (credential.kind) {
    case 'deploy_token':
      return { id: -2, name: credential.token.name, email: null, type: 'Gitlab::Audit::DeployTokenAuthor' };
    case 'deploy_key':
      return { id: -3, name: credential.key.title, email: null, type: 'Gitlab::Audit::DeployKeyAuthor' };
    default:
      return NOBODY;
  }
}

/** Author and source of a request, for audit events. @param address IP address of the request */
export function originOf({ user, credential, sudoBy }: Caller, address: string): Origin {
  const author = user === null ? machineOf(credential) : authorOf(user);
  return { author, sudoBy: sudoBy?.name ?? null, address };
}
