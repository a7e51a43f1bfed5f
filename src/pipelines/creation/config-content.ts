import type { ConfigSources } from '../../ci/sources.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { ciSettings } from './ci-settings.ts';

/** Root configuration of a pipeline. */
export interface ConfigContent {
  content: string;
  /** Path of the file in the repository, or a placeholder. */
  path: string;
}

const DEFAULT_PATH = '.gitlab-ci.yml';
const AT_ADDRESS = /^https?:\/\//i;
/** A file of another project, at an optional ref. */
const ELSEWHERE = /^([^@]+)@([^:]+)(?::(.+))?$/;

/**
 * Reads the configuration of a project at a commit from its configured location: in the repository, in another one
 * (`path@group/project`, `path@group/project:ref`) or at a URL.
 * @returns null if there is none
 */
export async function configContent(
  project: Project,
  sha: string,
  sources: ConfigSources,
): Promise<ConfigContent | null> {
  const path = configPath(project);
  if (AT_ADDRESS.test(path)) return including(path, { remote: path });
  const [, file, other, ref] = ELSEWHERE.exec(path) ?? [];
  if (file !== undefined && other !== undefined) {
    return including(path, { project: other, file, ...(ref === undefined ? {} : { ref }) });
  }
  const own = withoutSlash(path);
  const configFile = await sources.file({ project: project.full_path, sha }, own);
  if ('missing' in configFile) return null;
  if ('content' in configFile)
    return configFile.content.trim() === '' ? null : { content: configFile.content, path: own };
  // The include reports the error of an unreadable file.
  return including(own, { local: `/${own}` });
}

const configPath = (project: Pick<Project, 'settings'>): string =>
  ciSettings(project).ci_config_path?.trim() || DEFAULT_PATH;
const withoutSlash = (path: string) => path.replace(/^\/+/, '');

/** Path of the configuration in the project's own repository; null if it is elsewhere. */
export function ownConfigPath(project: Pick<Project, 'settings'>): string | null {
  const path = configPath(project);
  return AT_ADDRESS.test(path) || ELSEWHERE.test(path) ? null : withoutSlash(path);
}

/** A configuration that only includes other files, as JSON, which is valid YAML whatever the strings contain. */
export const including = (path: string, ...includes: readonly object[]): ConfigContent => ({
  content: JSON.stringify({ include: includes }),
  path,
});
