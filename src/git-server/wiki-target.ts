import { effectivePlan, includesPlan } from '../access/access.plan.ts';
import type { Caller } from '../access/caller.ts';
import { groupPermissions, isDescendantOf, projectPermissions } from '../access/permissions.ts';
import { refused } from '../core/core.errors.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Deps } from '../deps.ts';
import { ofWiki } from '../repositories/holder.ts';
import { checkWikiPush } from '../repositories/pushes/check-wiki-push.ts';
import { ensureWiki, type WikiOwner } from '../repositories/repository.wikis.ts';
import { requireProtocolInGroup } from './allowed-protocols.ts';
import {
  checkScopes,
  findGitGroup,
  findGitProject,
  type GitOperation,
  isAnonymous,
  notVisible,
} from './git-authorization.ts';
import type { GitTarget } from './git-target.ts';

/** A caller's rights to a wiki. */
interface Rights {
  owner: WikiOwner;
  namespace: Namespace;
  level: number;
  /** Whether the caller may know that it exists. */
  known: boolean;
  download: boolean;
  write: boolean;
}

/**
 * Authorizes a caller for the wiki of a project or group and creates a missing wiki.
 * @param path of the project or group
 * @throws ApiError 401, 403, 404 as in `authorizeGit`
 */
export async function wikiTarget(deps: Deps, caller: Caller, path: string, wants: GitOperation): Promise<GitTarget> {
  const rights = (await inProject(deps, caller, path)) ?? (await inGroup(deps, caller, path));
  if (rights === undefined) throw notVisible(caller, 'wiki');
  const { owner, namespace, level, known, download, write } = rights;
  if (!download) {
    throw known && !isAnonymous(caller)
      ? refused('You are not allowed to download this wiki.', 403)
      : notVisible(caller, 'wiki');
  }
  await requireProtocolInGroup(deps, caller, namespace, level);
  checkScopes(caller, wants);
  if (wants === 'write' && (!write || caller.user === null || caller.credential.kind === 'job_token')) {
    throw refused(`You are not allowed to write to this ${owner.type}'s wiki.`, 403);
  }
  const wiki = await ensureWiki(deps, owner);
  return {
    caller,
    holder: ofWiki(wiki),
    readOnly: wiki.repository_read_only === 1,
    inProject: null,
    maxPushBytes: Number.POSITIVE_INFINITY,
    check: (deps, push) => checkWikiPush(deps, caller, owner, push),
    after: async () => '',
  };
}

async function inProject(deps: Deps, caller: Caller, path: string): Promise<Rights | undefined> {
  const projectWithNamespace = await findGitProject(deps, path);
  if (projectWithNamespace === undefined) return undefined;
  const permissions = await projectPermissions(
    deps,
    caller,
    projectWithNamespace.project,
    projectWithNamespace.namespace,
  );
  const within = isDescendantOf(caller, projectWithNamespace.namespace.lineage);
  return {
    owner: { type: 'project', id: projectWithNamespace.project.id },
    namespace: projectWithNamespace.namespace,
    level: permissions.level,
    known: within && permissions.can('read_project'),
    download: within && permissions.can('download_wiki'),
    write: permissions.can('create_wiki'),
  };
}

/** Group wikis require a paid plan. */
async function inGroup(deps: Deps, caller: Caller, path: string): Promise<Rights | undefined> {
  const group = await findGitGroup(deps, path);
  if (group === undefined || !includesPlan(await effectivePlan(deps), 'premium')) return undefined;
  const permissions = await groupPermissions(deps, caller, group);
  const within = isDescendantOf(caller, group.lineage);
  return {
    owner: { type: 'group', id: group.id },
    namespace: group,
    level: permissions.level,
    known: within && permissions.can('read_group'),
    download: within && permissions.can('download_group_wiki'),
    write: permissions.can('create_group_wiki'),
  };
}
