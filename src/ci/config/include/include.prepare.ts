import { ConfigError } from '../config-error.ts';
import type { RawMap, RawTree } from '../yaml/reference.ts';
import { LocalFile, ProjectFile } from './include.repository-files.ts';
import type { IncludedFile } from './included-file.ts';
import type { Loading, Scope } from './loading.ts';
import { locationsOf } from './locations.ts';
import { ArtifactFile, ComponentFile, RemoteFile, TemplateFile } from './other-files.ts';

type Kind = new (params: RawMap, scope: Scope, loading: Loading) => IncludedFile;

/** Kinds of entries with their required keys. */
const BY_NAME: Readonly<Record<string, { kind: Kind; keys: string[] }>> = {
  local: { kind: LocalFile, keys: ['local'] },
  project: { kind: ProjectFile, keys: ['project', 'file'] },
  remote: { kind: RemoteFile, keys: ['remote'] },
  template: { kind: TemplateFile, keys: ['template'] },
  artifact: { kind: ArtifactFile, keys: ['artifact'] },
  component: { kind: ComponentFile, keys: ['component'] },
};

/** Names of all kinds, in the order of error messages. */
export const KINDS: readonly string[] = Object.keys(BY_NAME);

/**
 * Reads the files of include entries as texts. The problem of a file is stored in its `problem`.
 * @param allowed allowed kinds of entries; @param allowed.listed whether they are in the list of includes
 * @throws ConfigError for invalid entries, and for too many
 */
export async function prepareFiles(
  include: RawTree,
  scope: Scope,
  loading: Loading,
  allowed: { kinds: readonly string[]; listed: boolean },
): Promise<IncludedFile[]> {
  const locations = await locationsOf(include, scope, loading);
  const files = locations.map((location) => new (kindOf(location, allowed, loading))(location, scope, loading));
  for (const file of files) {
    loading.addFile(allowed.listed ? () => file.describe() : null);
    file.problem = file.checkLocation() ?? file.checkKeys();
  }
  await Promise.all(files.map(read));
  for (const file of files) if (file.problem === null) loading.addBytes(file.content);
  return files;
}

async function read(file: IncludedFile): Promise<void> {
  file.problem ??= await file.prepare();
  if (file.problem !== null) return;
  const result = await file.fetch();
  if ('problem' in result) file.problem = result.problem;
  else file.content = result.content;
}

function kindOf(
  location: RawMap,
  { kinds, listed }: { kinds: readonly string[]; listed: boolean },
  loading: Loading,
): Kind {
  const isThere = (key: string) => ![undefined, null, '', false].includes(location[key] as string);
  const fitting = kinds.filter((name) => BY_NAME[name]!.keys.every(isThere));
  if (fitting.length === 1) return BY_NAME[fitting[0]!]!.kind;
  const what = listed ? 'include' : 'header include';
  const names = kinds.map((name) => `\`${name}\``).join(', ');
  throw new ConfigError(
    fitting.length === 0
      ? `\`${loading.mask(JSON.stringify(location))}\` does not have a valid subkey for ${what}. Valid subkeys are: ${names}`
      : `Each ${what} must use only one of: ${names}`,
  );
}
