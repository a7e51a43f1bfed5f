import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../core/package-root.ts';
import { template, templateNames } from '../../../pipelines/templates/templates.ts';

/** Kinds of files that come with this server, and how their names end. */
export const FILE_KINDS = {
  dockerfiles: '.Dockerfile',
  gitignores: '.gitignore',
  gitlab_ci_ymls: '.gitlab-ci.yml',
} as const;

/** A kind of file that comes with this server. */
export type FileKind = keyof typeof FILE_KINDS;

const folderOf = (kind: FileKind): string => join(packageRoot(), 'src/api/code/file-templates/files', kind);

/** Keys of all files of a kind, in order. */
export async function shippedKeys(kind: FileKind): Promise<string[]> {
  // Configurations are those that `include:template` takes.
  const names = kind === 'gitlab_ci_ymls' ? await templateNames() : await readdir(folderOf(kind));
  return names.map((name) => name.slice(0, -FILE_KINDS[kind].length)).sort();
}

/** The content of a file; undefined for an unknown key. */
export async function shippedText(kind: FileKind, key: string): Promise<string | undefined> {
  const name = key + FILE_KINDS[kind];
  if (kind === 'gitlab_ci_ymls') return template(name);
  // Only what is in the folder, so that no key leads out of it.
  if (!(await shippedKeys(kind)).includes(key)) return undefined;
  return readFile(join(folderOf(kind), name), 'utf8');
}
