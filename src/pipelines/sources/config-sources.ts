import type { Caller } from '../../access/caller.ts';
import { findProject } from '../../access/lookup.ts';
import { projectPermissions } from '../../access/permissions.ts';
import type { ConfigSources, SourceComponent, SourceContext, SourceFile, SourceProject } from '../../ci/sources.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { type Repository, resolveRevision } from '../../git/repository/index.ts';
import { repositoryOf } from '../../repositories/change-refs.ts';
import { template } from '../templates/templates.ts';
import { parseComponent, readComponent } from './components.ts';
import { type PipelineChanges, pathsChanged } from './pipeline-sources.changes.ts';
import { GlobBudget, matchingPaths, readFile } from './pipeline-sources.repository-files.ts';
import { fetchRemoteFile } from './remote-files.ts';

export interface ConfigSourcesRequest {
  /** Caller whose rights apply to other projects. */
  caller: Caller;
  /** Project of the configuration, which is read without a check. */
  project: Project;
  /** Changes for `rules:changes`; null without a commit. */
  changes: PipelineChanges | null;
  /** Reads artifacts of the parent pipeline; absent if there is none. */
  artifact?: ConfigSources['artifact'];
}

/** Sources of a configuration: repositories, templates and remote servers. */
export function configSources(deps: Deps, request: ConfigSourcesRequest): ConfigSources {
  const { caller, project, changes } = request;
  /** Readable repositories by the full path of their project. */
  const open = new Map<string, Repository>([[project.full_path, repositoryOf(deps, project)]]);

  const budget = new GlobBudget();

  async function repository(fullPath: string): Promise<{ path: string; repo: Repository } | null> {
    // A number is not a path here, though it would find a project by id.
    const projectWithNamespace = fullPath.includes('/') ? await findProject(deps, fullPath) : undefined;
    if (projectWithNamespace === undefined) return null;
    const permissions = await projectPermissions(
      deps,
      caller,
      projectWithNamespace.project,
      projectWithNamespace.namespace,
    );
    if (!permissions.can('read_project') || !permissions.can('read_code')) return null;
    const repo = repositoryOf(deps, projectWithNamespace.project);
    open.set(projectWithNamespace.project.full_path, repo);
    return { path: projectWithNamespace.project.full_path, repo };
  }

  const at = ({ project: path, sha }: SourceContext) => {
    const repo = path === null ? undefined : open.get(path);
    return repo === undefined || sha === null ? null : { repo, sha };
  };

  return {
    async file(context, path): Promise<SourceFile> {
      const place = at(context);
      return place === null ? { missing: true } : await readFile(place.repo, place.sha, path);
    },
    async paths(context, globs, limit) {
      const place = at(context);
      return place === null ? [] : await matchingPaths(place.repo, place.sha, globs, limit, budget);
    },
    async project(fullPath, ref): Promise<SourceProject> {
      const repo = await repository(fullPath);
      if (repo === null) return { denied: true };
      const revision = await resolveRevision(repo.repo, ref ?? 'HEAD');
      return revision === null ? { noRef: true } : { context: { project: repo.path, sha: revision.oid } };
    },
    remote: (url, cacheSeconds) => fetchRemoteFile(deps, url, cacheSeconds),
    async template(name): Promise<SourceFile> {
      const content = await template(name);
      return content === undefined ? { missing: true } : { content };
    },
    async component(address): Promise<SourceComponent> {
      const problem = (text: string) => ({ error: `Component '${address}' - ${text}` });
      const parsed = parseComponent(address, new URL(deps.externalUrl()).host);
      if (parsed === null) return problem('the component path is not supported');
      const repo = await repository(parsed.project);
      if (repo === null) return problem("project does not exist or you don't have sufficient permissions");
      const component = await readComponent(repo.repo, { ...parsed, project: repo.path });
      return 'error' in component ? problem(component.error) : component;
    },
    artifact:
      request.artifact ??
      (async (job) => ({ error: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` })),
    changedPaths: async (compareTo) =>
      changes === null ? null : await pathsChanged(repositoryOf(deps, project), changes, compareTo),
    addresses({ project: owner, sha }, path) {
      if (owner === null || sha === null) return null;
      const page = (kind: string) =>
        `${deps.externalUrl()}/${owner}/-/${kind}/${sha}/${path.split('/').map(encodeURIComponent).join('/')}`;
      return { blob: page('blob'), raw: page('raw') };
    },
  };
}
