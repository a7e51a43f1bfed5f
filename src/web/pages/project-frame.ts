import { encodePath } from '../../core/core.paths.ts';
import type { Page, PageContext } from '../core/page.ts';

/** What pages need of a project as the API answers it: visitors who are not signed in get less of it. */
export interface ProjectFacts {
  id: number;
  name: string;
  path_with_namespace: string;
  description: string | null;
  visibility: string;
  /** Missing if the reader may not see the code. */
  default_branch?: string | null;
  empty_repo?: boolean;
  archived?: boolean;
  issues_enabled?: boolean;
  merge_requests_enabled?: boolean;
  jobs_enabled?: boolean;
  namespace: { full_path: string; kind: string };
  star_count: number;
  forks_count: number;
  topics: string[];
  http_url_to_repo: string;
  ssh_url_to_repo: string;
}

/** Sections of a project. */
export type ProjectSection = 'files' | 'commits' | 'issues' | 'merge_requests' | 'pipelines';

/** Path of a project below `/api/v4`. */
export const apiPathOf = (project: string): string => `/projects/${encodeURIComponent(project)}`;

/** The project of a page. @throws ApiRefusal if there is none, or the user may not see it */
export const projectOf = (c: PageContext): Promise<ProjectFacts> =>
  c.api.get<ProjectFacts>(apiPathOf(c.params.project!));

/** Path of a page of a project. @param page relative to `/-/`, with its parts encoded */
export const projectPath = ({ path_with_namespace: path }: ProjectFacts, page: string): string => `/${path}/-/${page}`;

/** From the outermost group to the project. */
export function projectTrail({ namespace, name, path_with_namespace: path }: ProjectFacts): NonNullable<Page['trail']> {
  const parts = namespace.full_path.split('/');
  const outer = parts.map((text, at) => ({ text, path: `/${parts.slice(0, at + 1).join('/')}` }));
  return [...outer, { text: name, path: `/${path}` }];
}

/**
 * The sections of a project that its reader may open. Where the answer does not tell, which is so for visitors who are
 * not signed in, they are shown.
 * @param current the section of the page
 */
export function projectTabs(project: ProjectFacts, current: ProjectSection | null): NonNullable<Page['tabs']> {
  const { default_branch: branch } = project;
  const readsCode = branch !== undefined;
  const sections: readonly [ProjectSection, string, string, boolean][] = [
    ['files', 'Files', `/${project.path_with_namespace}`, readsCode],
    [
      'commits',
      'Commits',
      projectPath(project, `commits/${encodePath(branch ?? '')}`),
      readsCode && branch !== null && project.empty_repo !== true,
    ],
    ['issues', 'Issues', projectPath(project, 'issues'), project.issues_enabled !== false],
    [
      'merge_requests',
      'Merge requests',
      projectPath(project, 'merge_requests'),
      readsCode && project.merge_requests_enabled !== false,
    ],
    ['pipelines', 'Pipelines', projectPath(project, 'pipelines'), project.jobs_enabled !== false],
  ];
  return sections
    .filter(([, , , isShown]) => isShown)
    .map(([section, text, path]) => ({ text, path, isCurrent: section === current }));
}

/** Trail and tabs of a page of a project. */
export const projectFrame = (project: ProjectFacts, current: ProjectSection | null): Pick<Page, 'trail' | 'tabs'> => ({
  trail: projectTrail(project),
  tabs: projectTabs(project, current),
});
