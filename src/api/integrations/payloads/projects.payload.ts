import { visibilityLevel } from '../../../core/access-levels.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { projectAvatarUrl, settingsOf } from '../../spaces/index.ts';

/** A project with its namespace and default branch, for payloads. */
export interface ProjectForPayload {
  row: Project;
  namespace: Pick<Namespace, 'id' | 'name' | 'kind' | 'lineage' | 'owner_id'>;
  /** Null without a repository. */
  defaultBranch: string | null;
}

/** Loads projects by id with one query; deleted ones are left out. */
export async function projectsOf(
  deps: Deps,
  db: Db,
  ids: Iterable<number | null>,
): Promise<Map<number, ProjectForPayload>> {
  const projectIds = [...new Set(ids)].filter((id) => id !== null);
  if (projectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .select(['namespaces.name as n_name', 'namespaces.kind as n_kind'])
    .select(['namespaces.lineage as n_lineage', 'namespaces.owner_id as n_owner_id'])
    .where('projects.id', 'in', projectIds)
    .execute();
  const entries = rows.map(async ({ n_name: name, n_kind: kind, n_lineage: lineage, n_owner_id: owner_id, ...row }) => {
    const namespace = { id: row.namespace_id, name, kind, lineage, owner_id };
    // Without a repository there is no HEAD.
    const defaultBranch = await repositoryOf(deps, row)
      .refs.head()
      .catch(() => null);
    return [row.id, { row, namespace, defaultBranch }] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Returns a project by id; undefined if deleted. */
export const projectOf = async (deps: Deps, id: number | null): Promise<ProjectForPayload | undefined> =>
  id === null ? undefined : (await projectsOf(deps, deps.db, [id])).get(id);

const addresses = (deps: Deps, fullPath: string) => {
  const web = `${deps.externalUrl()}/${fullPath}`;
  return { web, http: `${web}.git`, ssh: deps.sshUrl(`${fullPath}.git`) };
};

/** Renders a project for payloads, without the older names of its URLs. */
export function shortProject(deps: Deps, { row, namespace, defaultBranch }: ProjectForPayload) {
  const { web, http, ssh } = addresses(deps, row.full_path);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    web_url: web,
    avatar_url: projectAvatarUrl(deps, row),
    git_ssh_url: ssh,
    git_http_url: http,
    namespace: namespace.name,
    visibility_level: visibilityLevel(row.visibility),
    path_with_namespace: row.full_path,
    default_branch: defaultBranch,
    ci_config_path: settingsOf(row).ci_config_path,
  };
}

/** Renders a project for most payloads. */
export function fullProjectPayload(deps: Deps, project: ProjectForPayload) {
  const { web, http, ssh } = addresses(deps, project.row.full_path);
  return { ...shortProject(deps, project), homepage: web, url: ssh, ssh_url: ssh, http_url: http };
}

/** Renders the `repository` of payloads: the older form of a project. */
export function repositoryShort(deps: Deps, { row }: ProjectForPayload) {
  const { web, ssh } = addresses(deps, row.full_path);
  return { name: row.name, url: ssh, description: row.description, homepage: web };
}

/** Renders the `repository` of push payloads. */
export function fullRepositoryPayload(deps: Deps, project: ProjectForPayload) {
  const { http, ssh } = addresses(deps, project.row.full_path);
  return {
    ...repositoryShort(deps, project),
    git_http_url: http,
    git_ssh_url: ssh,
    visibility_level: visibilityLevel(project.row.visibility),
  };
}
