import { addressKey } from '../core/fair-slots.ts';
import type { Author, Origin } from '../core/request-scope.ts';
import type { AccessToken } from '../db/tables/access-tokens.table.ts';
import type { CiRunner } from '../db/tables/ci-runners.table.ts';
import type { DeployKey } from '../db/tables/deploy-keys.table.ts';
import type { DeployToken } from '../db/tables/deploy-tokens.table.ts';
import type { User } from '../db/tables/users.table.ts';

/** What proved who the caller is. */
export type Credential =
  | { kind: 'access_token'; token: AccessToken }
  | { kind: 'oauth'; tokenId: number; applicationId: number | null }
  | { kind: 'password' }
  | { kind: 'deploy_token'; token: DeployToken }
  /** Of a job that runs; its user is the caller. */
  | { kind: 'job_token'; jobId: number; projectId: number }
  | { kind: 'runner'; runner: CiRunner }
  /** Of a program that asks for the feature flags of a project. */
  | { kind: 'flags_client'; client: FlagsClient }
  /** Of a user, over SSH. */
  | { kind: 'ssh_key'; keyId: number }
  /** Of the projects that use it; no user's. */
  | { kind: 'deploy_key'; key: DeployKey }
  /** Of a user, who is let to the projects of a group with it and to nothing else. */
  | { kind: 'ssh_certificate'; authorityId: number; groupId: number; validBefore: number }
  | { kind: 'none' };

/** What is known of the programs that ask for the feature flags of a project. */
export interface FlagsClient {
  projectId: number;
  token: string;
  /** Of the flags: one higher with each change. */
  version: number;
  /** Whether the project has feature flags switched on. */
  open: boolean;
}

/** Who sent a request. */
export interface Caller {
  /** Null for anonymous callers, deploy tokens and deploy keys. */
  user: User | null;
  /** Whether administrator rights are in force. */
  admin: boolean;
  /** Scopes of the token; null when the caller is not limited by any (a password over git). */
  scopes: readonly string[] | null;
  credential: Credential;
  /** The administrator who acts as `user` by sudo. */
  sudoBy: User | null;
}

export const ANONYMOUS: Caller = {
  user: null,
  admin: false,
  scopes: null,
  credential: { kind: 'none' },
  sudoBy: null,
};

/** A caller that is known to be a user: what handlers of authenticated routes get. */
export interface UserCaller extends Caller {
  user: User;
}

/** Whether the caller came over SSH, or shows over HTTP what they were given there. */
export const isSshCaller = ({ credential: { kind } }: Caller): boolean =>
  kind === 'ssh_key' || kind === 'deploy_key' || kind === 'ssh_certificate';

/** Whose share of what is scarce a caller's work counts against: the user's, that of a token that is no user's, else the address's. */
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

/** A user as the author of something. */
export const authorOf = ({ id, name, email }: Pick<User, 'id' | 'name' | 'email'>): Author => ({
  id,
  name,
  email,
  type: 'User',
});

const NOBODY: Author = {
  id: -1,
  name: 'An unauthenticated user',
  email: null,
  type: 'Gitlab::Audit::UnauthenticatedAuthor',
};

/** What acts in the place of a user. */
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

/** Who asks, and from where, as it is told of what they change. @param address IP address of the request */
export function originOf({ user, credential, sudoBy }: Caller, address: string): Origin {
  const author = user === null ? machineOf(credential) : authorOf(user);
  return { author, sudoBy: sudoBy?.name ?? null, address };
}
