import { type Caller, isSshCaller } from '../access/caller.ts';
import { findNamespace, findProject, type ProjectWithNamespace } from '../access/lookup.ts';
import { isDescendantOf } from '../access/permissions.ts';
import { createProjectByInput, mayCreateProjects, settingsOf } from '../api/spaces/index.ts';
import { ApiError, refused } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import type { Deps } from '../deps.ts';

/**
 * Creates the private project that a push names, if it does not exist and the caller may create it.
 * @param path full path of the project
 * @param scopes token scopes that permit a push
 * @returns undefined if the caller may not create it, so the response does not reveal more than a missing project
 * @throws ApiError 403 with the reason if the project is invalid
 */
export async function createByPush(
  deps: Deps,
  caller: Caller,
  path: string,
  scopes: readonly string[],
): Promise<ProjectWithNamespace | undefined> {
  const { user } = caller;
  const slash = path.lastIndexOf('/');
  if (user === null || slash === -1) return undefined;
  if (caller.scopes !== null && !caller.scopes.some((scope) => scopes.includes(scope))) return undefined;
  const namespacePath = path.slice(0, slash);
  // A number would be interpreted as an id.
  const namespace = /^\d+$/.test(namespacePath) ? undefined : await findNamespace(deps, namespacePath);
  if (namespace === undefined || !isDescendantOf(caller, namespace.lineage)) return undefined;
  if (!(await mayCreateProjects(deps, caller, namespace))) return undefined;
  const name = path.slice(slash + 1);
  try {
    const input = { name, path: name, namespace_id: namespace.id, visibility: 'private' as const };
    const project = await createProjectByInput(deps, { ...caller, user }, user, input);
    const settings = JSON.stringify({ ...parseJson<object>(project.settings), created_by_push: true });
    await deps.db.updateTable('projects').set({ settings }).where('id', '=', project.id).execute();
    return await findProject(deps, String(project.id));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    // A concurrent request may have created it.
    const existing = await findProject(deps, path);
    if (existing !== undefined) return existing;
    throw refused(`Could not create the project: ${error.message}`, 403);
  }
}

/** Output for the pusher after the first push to a project created by push. */
export async function creationLines(
  deps: Deps,
  { caller, project }: Pick<ProjectWithNamespace, 'project'> & { caller: Caller },
  created: ReadonlySet<string>,
): Promise<string[]> {
  if (!settingsOf(project).created_by_push || created.size === 0) return [];
  const { refs } = deps.storages.open({ storage: project.repository_storage, diskPath: project.disk_path });
  if ((await refs.list('refs/heads/')).some(({ name }) => !created.has(name))) return [];
  const url = `${deps.externalUrl()}/${project.full_path}`;
  return [
    '',
    `The private project ${project.full_path} was successfully created.`,
    '',
    'To configure the remote, run:',
    `  git remote add origin ${isSshCaller(caller) ? deps.sshUrl(`${project.full_path}.git`) : `${url}.git`}`,
    '',
    'To view the project, visit:',
    `  ${url}`,
  ];
}
