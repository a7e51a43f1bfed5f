import { canUpdateSnippet, findSnippet } from '../access/access.snippets.ts';
import type { Caller } from '../access/caller.ts';
import { deployKeyUse } from '../access/key-caller.ts';
import type { FoundProject } from '../access/lookup.ts';
import { isDescendantOf, type ProjectPermissions, projectPermissions } from '../access/permissions.ts';
import { refused } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import { asciiLower } from '../db/like.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { collaborationBranches } from '../repositories/collaboration.ts';
import { ofProject, ofSnippet } from '../repositories/holder.ts';
import { refuseInMaintenance } from '../settings/settings.maintenance.ts';
import { requireProtocolInGroup, requireProtocolOnServer } from './allowed-protocols.ts';
import { createByPush } from './create-by-push.ts';
import {
  type AuthorizedGitAccess,
  checkScopes,
  findGitProject,
  type GitOperation,
  hidden,
  isStranger,
  WRITE_SCOPES,
} from './git-authorization.ts';
import { authorizeWiki, type WikiAccess } from './wiki-access.ts';

export type { GitOperation };

export interface ProjectAccess extends AuthorizedGitAccess {
  kind: 'project';
  project: Project;
  namespace: Namespace;
  permissions: ProjectPermissions;
  /** Path in the request, if the project has a different path now. */
  oldPath?: string;
  /** The deploy key used for access. */
  deployKey?: { id: number; pushes: boolean };
  /** Branches of a fork that the caller may push to through merge requests. */
  collaborates?: ReadonlySet<string>;
}

export interface SnippetAccess extends AuthorizedGitAccess {
  kind: 'snippet';
}

/** The result of authorization, by type of repository. */
export type GitAccess = ProjectAccess | SnippetAccess | WikiAccess;

/** Refusal for a read-only deploy key. */
const NO_KEY_PUSH = 'This deploy key does not have write access to this project.';

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
): Promise<GitAccess> {
  if (wants === 'write') refuseInMaintenance(deps, 'push');
  requireProtocolOnServer(deps, caller);
  const found = await findGitProject(deps, path);
  if (found !== undefined) {
    const access = await admitToProject(deps, caller, found, wants);
    const moved = path.includes('/') && asciiLower(found.project.full_path) !== asciiLower(path);
    return moved ? { ...access, oldPath: path } : access;
  }
  if (path.toLowerCase().endsWith(WIKI)) return authorizeWiki(deps, caller, path.slice(0, -WIKI.length), wants);
  const [, projectPath, id] = SNIPPET_PATH.exec(path) ?? [];
  if (id === undefined) {
    const made =
      options.creates === true && caller.credential.kind !== 'job_token'
        ? await createByPush(deps, caller, path, WRITE_SCOPES)
        : undefined;
    if (made === undefined) throw hidden(caller, 'project');
    return admitToProject(deps, caller, made, wants);
  }
  return admitToSnippet(deps, caller, { projectPath, id: Number(id) }, wants);
}

async function admitToProject(
  deps: Deps,
  caller: Caller,
  { project, namespace }: FoundProject,
  wants: GitOperation,
): Promise<ProjectAccess> {
  const permissions = await projectPermissions(deps, caller, project, namespace);
  if (!isDescendantOf(caller, namespace.lineage)) throw hidden(caller, 'project');
  if (!permissions.can('read_code')) {
    const known = !isStranger(caller) && permissions.can('read_project');
    throw known ? refused('You are not allowed to download code from this project.', 403) : hidden(caller, 'project');
  }
  await requireProtocolInGroup(deps, caller, namespace, permissions.level);
  checkScopes(caller, wants);
  const readOnly = project.repository_read_only === 1;
  const admitted = {
    kind: 'project',
    caller,
    holder: ofProject(project),
    readOnly,
    project,
    namespace,
    permissions,
    ...(await deployKeyOf(deps, caller, project.id)),
  } as const;
  if (wants === 'write') {
    refuseJobs(caller, project);
    if (project.archived === 1) throw refused("You can't push code to an archived project.", 403);
    if (project.in_deletion === 1) throw refused("You can't push code to a project that is marked for deletion.", 403);
    if (caller.credential.kind === 'deploy_key') {
      if (admitted.deployKey?.pushes === true) return admitted;
      throw refused(NO_KEY_PUSH, 403);
    }
    const collaborates = permissions.can('push_code')
      ? undefined
      : await collaborationBranches(deps, { caller, project, namespace, permissions });
    if (collaborates?.size === 0) throw refused('You are not allowed to push code to this project.', 403);
    if (collaborates !== undefined) {
      return { ...admitted, collaborates };
    }
  }
  return admitted;
}

async function deployKeyOf(
  deps: Deps,
  { credential }: Caller,
  projectId: number,
): Promise<Pick<ProjectAccess, 'deployKey'>> {
  if (credential.kind !== 'deploy_key') return {};
  const { id } = credential.key;
  const use = await deployKeyUse(deps, id, projectId);
  return use === undefined ? {} : { deployKey: { id, ...use } };
}

/** @throws ApiError 403 if the project no longer lets the key push */
export async function requireDeployKeyPush(deps: Deps, keyId: number, projectId: number): Promise<void> {
  if ((await deployKeyUse(deps, keyId, projectId))?.pushes !== true) throw refused(NO_KEY_PUSH, 403);
}

/** Jobs may push only to their own project, and only if it allows that. @throws ApiError 403 */
function refuseJobs({ credential }: Caller, { id, settings }: FoundProject['project']): void {
  if (credential.kind !== 'job_token') return;
  const jobSettings = parseJson<{ ci_push_repository_for_job_token_allowed?: boolean }>(settings);
  if (credential.projectId === id && jobSettings.ci_push_repository_for_job_token_allowed === true) return;
  throw refused('You are not allowed to push code to this project with a job token.', 403);
}

async function admitToSnippet(
  deps: Deps,
  caller: Caller,
  { projectPath, id }: { projectPath: string | undefined; id: number },
  wants: GitOperation,
): Promise<SnippetAccess> {
  // Deploy tokens and job tokens give access to project code only.
  const { kind } = caller.credential;
  const codeOnly = kind === 'deploy_token' || kind === 'job_token' || kind === 'deploy_key';
  const foundSnippet = codeOnly ? undefined : await findSnippet(deps, caller, id);
  const place = projectPath === undefined ? undefined : await findGitProject(deps, projectPath);
  if (foundSnippet === undefined || (projectPath !== undefined) !== (place !== undefined))
    throw hidden(caller, 'snippet');
  if (foundSnippet.snippet.project_id !== (place?.project.id ?? null)) throw hidden(caller, 'snippet');
  if (!isDescendantOf(caller, place?.namespace.lineage ?? '')) throw hidden(caller, 'snippet');
  checkScopes(caller, wants);
  if (wants === 'write' && !canUpdateSnippet(caller, foundSnippet.snippet, foundSnippet.permissions)) {
    throw refused('You are not allowed to update this snippet.', 403);
  }
  const readOnly = foundSnippet.snippet.repository_read_only === 1;
  return { kind: 'snippet', caller, holder: ofSnippet(foundSnippet.snippet), readOnly };
}
