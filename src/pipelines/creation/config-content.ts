import type { ConfigSources } from '../../ci/sources.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import { ciSettings } from './ci-settings.ts';

/** The text that the compiling of a pipeline begins with. */
export interface ConfigContent {
  content: string;
  /** Path of the file in the repository, or what stands for it. */
  path: string;
}

const DEFAULT_PATH = '.gitlab-ci.yml';
const AT_ADDRESS = /^https?:\/\//i;
/** A file of another project, at a ref of it or none. */
const ELSEWHERE = /^([^@]+)@([^:]+)(?::(.+))?$/;

/**
 * The configuration of a project at a commit, where its settings say that it stands: in the repository, in another one
 * (`path@group/project`, `path@group/project:ref`) or at an address.
 * @returns null where there is none
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
  const found = await sources.file({ project: project.full_path, sha }, own);
  if ('missing' in found) return null;
  if ('content' in found) return found.content.trim() === '' ? null : { content: found.content, path: own };
  // The text of what cannot be read comes with the include of it.
  return including(own, { local: `/${own}` });
}

const configPath = (project: Pick<Project, 'settings'>): string =>
  ciSettings(project).ci_config_path?.trim() || DEFAULT_PATH;
const withoutSlash = (path: string) => path.replace(/^\/+/, '');

/** Path of a project's configuration in its own repository; null where it stands elsewhere. */
export function ownConfigPath(project: Pick<Project, 'settings'>): string | null {
  const path = configPath(project);
  return AT_ADDRESS.test(path) || ELSEWHERE.test(path) ? null : withoutSlash(path);
}

/** A configuration that is another file: JSON is YAML, whatever stands in its texts. */
export const including = (path: string, ...includes: readonly object[]): ConfigContent => ({
  content: JSON.stringify({ include: includes }),
  path,
});
