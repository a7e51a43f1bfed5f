import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { projectUrl } from '../../code/index.ts';
import { SOURCE_FORMATS } from './releases.responses.ts';

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Web URL of a release. */
export const releaseUrl = (deps: Deps, project: Project, tag: string): string =>
  `${projectUrl(deps, project)}/-/releases/${encodeURIComponent(tag)}`;

/** API URL of a release. */
export const releaseApiUrl = (deps: Deps, project: Project, tag: string): string =>
  `${deps.externalUrl()}/api/v4/projects/${project.id}/releases/${encodeURIComponent(tag)}`;

/** Source archives of a tag, which unpack into a folder of their own. */
export function sourcesOf(deps: Deps, project: Project, tag: string) {
  const name = `${project.path}-${tag.replaceAll('/', '-')}`;
  const url = `${projectUrl(deps, project)}/-/archive/${encoded(tag)}/${encodeURIComponent(name)}`;
  return SOURCE_FORMATS.map((format) => ({ format, url: `${url}.${format}` }));
}

/** Paths of the pages of a release's tag and commit. */
export const tagPath = (project: Project, tag: string): string => `/${project.full_path}/-/tags/${encoded(tag)}`;
export const commitPath = (project: Project, sha: string): string => `/${project.full_path}/-/commit/${sha}`;

/** URLs of a release and its resources. @param mayEdit whether the caller may update it */
export function linksOf(deps: Deps, project: Project, tag: string, mayEdit: boolean) {
  const self = releaseUrl(deps, project, tag);
  const list = (kind: 'issues' | 'merge_requests', state: string) =>
    `${projectUrl(deps, project)}/-/${kind}?release_tag=${encodeURIComponent(tag)}&scope=all&state=${state}`;
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(mayEdit ? { edit_url: `${self}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self,
  };
}
