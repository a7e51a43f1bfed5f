import { canUpdateSnippet, findSnippet } from '../access/access.snippets.ts';
import type { Caller } from '../access/caller.ts';
import { isDescendantOf } from '../access/permissions.ts';
import { refused } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import { ofSnippet } from '../repositories/holder.ts';
import { checkSnippetPush } from '../repositories/pushes/check-snippet-push.ts';
import { checkScopes, findGitProject, type GitOperation, notVisible } from './git-authorization.ts';
import type { GitTarget } from './git-target.ts';

/**
 * Authorizes a caller for the repository of a snippet.
 * @param projectPath path of its project in the request
 * @throws ApiError 401, 403, 404 as in `authorizeGit`
 */
export async function snippetTarget(
  deps: Deps,
  caller: Caller,
  { projectPath, id }: { projectPath: string | undefined; id: number },
  wants: GitOperation,
): Promise<GitTarget> {
  // Deploy tokens and job tokens give access to project code only.
  const { kind } = caller.credential;
  const codeOnly = kind === 'deploy_token' || kind === 'job_token' || kind === 'deploy_key';
  const snippetScope = codeOnly ? undefined : await findSnippet(deps, caller, id);
  const place = projectPath === undefined ? undefined : await findGitProject(deps, projectPath);
  if (snippetScope === undefined || (projectPath !== undefined) !== (place !== undefined))
    throw notVisible(caller, 'snippet');
  const { snippet, permissions } = snippetScope;
  if (snippet.project_id !== (place?.project.id ?? null)) throw notVisible(caller, 'snippet');
  if (!isDescendantOf(caller, place?.namespace.lineage ?? '')) throw notVisible(caller, 'snippet');
  checkScopes(caller, wants);
  if (wants === 'write' && !canUpdateSnippet(caller, snippet, permissions)) {
    throw refused('You are not allowed to update this snippet.', 403);
  }
  return {
    caller,
    holder: ofSnippet(snippet),
    readOnly: snippet.repository_read_only === 1,
    inProject: null,
    maxPushBytes: deps.settings.now.snippet_size_limit,
    check: (deps, push) => checkSnippetPush(deps, caller, push),
    after: async () => '',
  };
}
