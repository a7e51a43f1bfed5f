import type { Caller } from '../access/caller.ts';
import { asciiLower } from '../db/like.ts';
import type { Deps } from '../deps.ts';
import { refuseInMaintenance } from '../settings/settings.maintenance.ts';
import { requireProtocolOnServer } from './allowed-protocols.ts';
import { createByPush } from './create-by-push.ts';
import { findGitProject, type GitOperation, notVisible, WRITE_SCOPES } from './git-authorization.ts';
import type { GitTarget } from './git-target.ts';
import { authorizeProject } from './project-access.ts';
import { projectTarget } from './project-target.ts';
import { snippetTarget } from './snippet-target.ts';
import { wikiTarget } from './wiki-target.ts';

/** Address of a snippet repository: `snippets/1` or `group/project/snippets/1`. */
const SNIPPET_PATH = /^(?:(.+)\/)?snippets\/(\d{1,15})$/;
/** Suffix of a wiki address: the path of its project or group, followed by this. */
const WIKI = '.wiki';

/**
 * Authorizes a caller for the repository of a project, snippet or wiki, for every transport.
 * @param path of the repository, without `.git`
 * @param options `creates`: creates a missing project if the caller may do so
 * @throws ApiError with a message for the git client: 401 if an anonymous caller has to authenticate, 403, 404, 503
 */
export async function authorizeGit(
  deps: Deps,
  caller: Caller,
  path: string,
  wants: GitOperation,
  options: { creates?: boolean } = {},
): Promise<GitTarget> {
  if (wants === 'write') refuseInMaintenance(deps, 'push');
  requireProtocolOnServer(deps, caller);
  const projectWithNamespace = await findGitProject(deps, path);
  if (projectWithNamespace !== undefined) {
    const moved = path.includes('/') && asciiLower(projectWithNamespace.project.full_path) !== asciiLower(path);
    return projectTarget(await authorizeProject(deps, caller, projectWithNamespace, wants, moved ? path : undefined));
  }
  if (path.toLowerCase().endsWith(WIKI)) return wikiTarget(deps, caller, path.slice(0, -WIKI.length), wants);
  const [, projectPath, id] = SNIPPET_PATH.exec(path) ?? [];
  if (id === undefined) {
    const made =
      options.creates === true && caller.credential.kind !== 'job_token'
        ? await createByPush(deps, caller, path, WRITE_SCOPES)
        : undefined;
    if (made === undefined) throw notVisible(caller, 'project');
    return projectTarget(await authorizeProject(deps, caller, made, wants));
  }
  return snippetTarget(deps, caller, { projectPath, id: Number(id) }, wants);
}
