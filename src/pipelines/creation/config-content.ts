import type { ConfigSources } from '../../ci/sources.ts';
import type { Project } from '../../db/tables/projects.ts';
import { ciSettings } from './ci-settings.ts';

/** The text that the compiling of a pipeline begins with. */
export interface ConfigContent {
  content: string;
  /** Path of the file in the repository, or what stands for it. */
  path: string;
}

const DEFAULT_PATH = '.gitlab-ci.yml';

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
  const path = ciSettings(project).ci_config_path?.trim() || DEFAULT_PATH;
  if (/^https?:\/\//i.test(path)) return including(path, { remote: path });
  const [, file, other, ref] = /^([^@]+)@([^:]+)(?::(.+))?$/.exec(path) ?? [];
  if (file !== undefined && other !== undefined) {
    return including(path, { project: other, file, ...(ref === undefined ? {} : { ref }) });
  }
  const own = path.replace(/^\/+/, '');
  const found = await sources.file({ project: project.full_path, sha }, own);
  if ('missing' in found) return null;
  if ('content' in found) return found.content.trim() === '' ? null : { content: found.content, path: own };
  // The text of what cannot be read comes with the include of it.
  return including(own, { local: `/${own}` });
}

/** A configuration that is another file: JSON is YAML, whatever stands in its texts. */
export const including = (path: string, ...includes: readonly object[]): ConfigContent => ({
  content: JSON.stringify({ include: includes }),
  path,
});
