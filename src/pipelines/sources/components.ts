import type { SourceComponent, SourceContext } from '../../ci/sources.ts';
import { type Repository, resolveRevision } from '../../git/repository/index.ts';
import { readFile } from './pipeline-sources.repository-files.ts';

/** A parsed component address. */
export interface ComponentAddress {
  project: string;
  name: string;
  version: string;
}

const NAME = /^[\w-]+$/;
const PARTIAL = /^\d+(\.\d+)?$/;

/**
 * Parses `<host>/<project>/<name>@<version>`.
 * @param host name and port of this server
 * @returns null if it is not the address of a component on this server
 */
export function parseComponent(address: string, host: string): ComponentAddress | null {
  const at = address.lastIndexOf('@');
  if (at === -1 || !address.startsWith(`${host}/`)) return null;
  const version = address.slice(at + 1);
  const path = address.slice(host.length + 1, at);
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const project = path.slice(0, Math.max(0, slash));
  return version === '' || !project.includes('/') || !NAME.test(name) ? null : { project, name, version };
}

/**
 * Reads the file of a component at a version: a tag, a branch or a commit; or the error, as the continuation of its
 * address.
 */
export async function readComponent(
  repo: Repository,
  { project, name, version }: ComponentAddress,
): Promise<SourceComponent> {
  if (version === '~latest') return { error: unsupported('~latest version') };
  const revision = await resolveRevision(repo, version, { prefer: 'tag' });
  if (revision === null) return { error: PARTIAL.test(version) ? unsupported('partial semantic version') : MISSING };
  const sha = revision.oid;
  const context: SourceContext = { project, sha };
  for (const path of [`templates/${name}.yml`, `templates/${name}/template.yml`]) {
    const file = await readFile(repo, sha, path);
    if ('content' in file && file.content.trim() !== '') {
      return { context, path, content: file.content, name, version, sha, reference: version };
    }
  }
  return { error: MISSING };
}

const MISSING = 'content not found';

const unsupported = (what: string) =>
  `The ${what} reference is not supported for non-catalog resources. Use a tag, branch, or commit SHA instead.`;
