import { lineageIds } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { TAGS } from '../../../git/refs/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { selectRefs } from '../../../repositories/ref-list.ts';

const PLACEHOLDER = /%\{(\w+)\}/g;

/** Replaces placeholders by letters, to check the form of a URL. */
export const withoutPlaceholders = (url: string): string => url.replace(PLACEHOLDER, 'x');

/** Replaces the placeholders in a URL of a badge. */
export type Render = (url: string) => string;

/** Keeps placeholders, if there is no project to take values from. */
export const withoutRendering: Render = (url) => url;

/**
 * Returns a function that replaces placeholders by values of a project. Values hidden from the caller are not replaced.
 * @param urls all URLs to render: only the values that they need are loaded
 */
export async function rendererFor(
  deps: Deps,
  caller: Caller,
  project: Project,
  namespace: Namespace,
  urls: readonly string[],
): Promise<Render> {
  const placeholders = new Set(urls.flatMap((url) => [...url.matchAll(PLACEHOLDER)].map(([, name]) => name!)));
  const values: Record<string, string | null> = {
    project_path: project.full_path,
    project_title: project.name,
    project_name: project.path,
    project_id: String(project.id),
    project_namespace: namespace.full_path,
    gitlab_server: new URL(deps.externalUrl()).hostname,
    ...(placeholders.has('group_name') ? { group_name: await rootGroupName(deps, namespace) } : {}),
    ...(await repositoryValues(deps, caller, project, namespace, placeholders)),
  };
  return (url) =>
    url.replace(PLACEHOLDER, (text, name: string) => (Object.hasOwn(values, name) ? values[name] : null) ?? text);
}

async function rootGroupName({ db }: Deps, namespace: Namespace): Promise<string | null> {
  if (namespace.kind !== 'group') return null;
  const [root] = lineageIds(namespace.lineage);
  if (root === namespace.id) return namespace.name;
  const row = await db.selectFrom('namespaces').select('name').where('id', '=', root!).executeTakeFirst();
  return row?.name ?? null;
}

async function repositoryValues(
  deps: Deps,
  caller: Caller,
  project: Project,
  namespace: Namespace,
  placeholders: ReadonlySet<string>,
): Promise<Record<string, string | null>> {
  if (!['default_branch', 'commit_sha', 'latest_tag'].some((name) => placeholders.has(name))) return {};
  if (!(await projectPermissions(deps, caller, project, namespace)).can('read_code')) return {};
  try {
    const repo = repositoryOf(deps, project);
    const branch = await repo.refs.head();
    const sha = branch === null ? null : await repo.refs.resolve(`refs/heads/${branch}`);
    if (!placeholders.has('latest_tag')) return { default_branch: branch, commit_sha: sha };
    const newest = { folder: TAGS, order: 'updated', descending: true } as const;
    const [tag] = await selectRefs(repo, await repo.refs.list(TAGS), newest);
    return { default_branch: branch, commit_sha: sha, latest_tag: tag?.name.slice(TAGS.length) ?? null };
  } catch (error) {
    // Badges are shown even if the repository is damaged.
    if (error instanceof GitError) return {};
    throw error;
  }
}
