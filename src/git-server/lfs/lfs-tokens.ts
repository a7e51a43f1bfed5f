import type { Caller } from '../../access/caller.ts';
import {
  callerOfDownloadToken,
  objectOfDownloadToken,
  signDownloadToken,
} from '../../access/signed-download-tokens.ts';
import type { Deps } from '../../deps.ts';
import { findGitProject } from '../git-authorization.ts';
import type { ProjectAccess } from '../project-access.ts';

const PURPOSE = 'lfs';
/** Lifetime of a token in seconds. */
const LIFE = 7_200;

/** Response to `git-lfs-authenticate` over SSH: how to transfer large files over HTTP. */
export interface LfsAuthentication {
  header: { Authorization: string };
  href: string;
  expires_in: number;
}

/** Issues an LFS token for an SSH caller: for one project, and valid no longer than the caller's own credential. */
export async function lfsAuthentication(deps: Deps, { caller, project }: ProjectAccess): Promise<LfsAuthentication> {
  const token = (await signDownloadToken(deps, caller, { purpose: PURPOSE, object: project.id }, LIFE))!;
  const { credential, user } = caller;
  const name = credential.kind === 'deploy_key' ? `lfs+deploy-key-${credential.key.id}` : user!.username;
  return {
    header: { Authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}` },
    href: `${deps.externalUrl()}/${project.full_path}.git/info/lfs`,
    expires_in: LIFE,
  };
}

/**
 * Resolves an LFS token to its caller.
 * @param path of the project, as in the request
 * @returns undefined for an invalid token or a token of another project
 * @throws ApiError 401, 403 if the underlying credential is no longer valid
 */
export async function callerOfLfsToken(deps: Deps, token: string, path: string): Promise<Caller | undefined> {
  const id = await objectOfDownloadToken(deps, token, PURPOSE);
  if (id === undefined || (await findGitProject(deps, path))?.project.id !== id) return undefined;
  return callerOfDownloadToken(deps, token, PURPOSE);
}
