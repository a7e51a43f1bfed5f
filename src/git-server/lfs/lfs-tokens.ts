import type { Caller } from '../../access/caller.ts';
import {
  callerOfDownloadToken,
  objectOfDownloadToken,
  signDownloadToken,
} from '../../access/signed-download-tokens.ts';
import type { Deps } from '../../deps.ts';
import { findGitProject } from '../git-authorization.ts';
import type { ProjectAccess } from '../git-server.access.ts';

const PURPOSE = 'lfs';
/** How long a client may use one, in seconds. */
const LIFE = 7_200;

/** What `git-lfs-authenticate` tells a client that came over SSH: how to transfer large files over HTTP. */
export interface LfsAuthentication {
  header: { Authorization: string };
  href: string;
  expires_in: number;
}

/** Makes what stands over HTTP for somebody who came over SSH: for one project, and no longer than what they showed is good. */
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
 * Whom such a pass stands for in a project.
 * @param path of the project, as the client calls it
 * @returns undefined for what is none, and for one of another project
 * @throws ApiError 401, 403 where what it was made with is no good any more
 */
export async function callerOfLfsToken(deps: Deps, token: string, path: string): Promise<Caller | undefined> {
  const id = await objectOfDownloadToken(deps, token, PURPOSE);
  if (id === undefined || (await findGitProject(deps, path))?.project.id !== id) return undefined;
  return callerOfDownloadToken(deps, token, PURPOSE);
}
