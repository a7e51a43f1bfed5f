import { ApiError } from '../../../core/core.errors.ts';
import type { TreeEntry } from '../../../git/objects/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { entryAt, treeOf } from '../../../git/trees/index.ts';
import { MAX_ARCHIVE } from '../../../packages/package-registry.limits.ts';
import type { ResolvedModule } from './module.ts';

/** A file of a module. */
export interface ModuleFile {
  /** Path below the folder of the module. */
  path: string;
  oid: string;
  /** Size in bytes. */
  size: number;
}

const MAX_FILES = 50_000;
const MAX_FOLDERS = 50_000;
const MAX_DEPTH = 100;
const SIZES_AT_ONCE = 250;

const isFile = ({ mode }: TreeEntry): boolean => mode.startsWith('100');
const isModule = (entry: TreeEntry): boolean => isFile(entry) && entry.name.toLowerCase() === 'go.mod';
const wouldHold = (what: string) => new ApiError(422, `The module would contain ${what}`);

/**
 * Returns the files that Go includes in the archive of a module: no links, no nested modules, no vendored packages, and
 * the licence of the repository if the module has none.
 * @throws ApiError 422 for too many or too large files, and for names that an archive cannot contain
 */
export async function filesOfModule(
  repo: Repository,
  { commit, folder, goMod }: ResolvedModule,
): Promise<ModuleFile[]> {
  const exact = sinceGo124(goMod);
  const files: Omit<ModuleFile, 'size'>[] = [];
  const top = await entryAt(repo, commit.oid, folder);
  const folders = [{ oid: top?.oid ?? '', path: '', depth: 0 }];
  for (let at = 0; at < folders.length; at += 1) {
    const { oid, path, depth } = folders[at]!;
    const entries = (await repo.objects.tree(oid)) ?? [];
    if (path !== '' && entries.some(isModule)) continue;
    for (const entry of entries) {
      const name = `${path}${entry.name}`;
      if (isFile(entry) && !isVendored(name, exact)) {
        // Zip archives, and Go, treat it as a path separator.
        if (name.includes('\\')) throw wouldHold(`a file with a backslash in its name: ${name.slice(0, 500)}`);
        files.push({ path: name, oid: entry.oid });
      }
      if (entry.type === 'tree') folders.push({ oid: entry.oid, path: `${name}/`, depth: depth + 1 });
    }
    if (files.length > MAX_FILES) throw wouldHold(`more than ${MAX_FILES} files`);
    if (folders.length > MAX_FOLDERS) throw wouldHold(`more than ${MAX_FOLDERS} folders`);
    if (depth > MAX_DEPTH) throw wouldHold('folders that are nested too deeply');
  }
  if (folder !== '' && !files.some(({ path }) => path === 'LICENSE')) {
    const root = await repo.objects.tree((await treeOf(repo, commit.oid)) ?? '');
    const licence = root?.find((entry) => entry.name === 'LICENSE' && isFile(entry));
    if (licence !== undefined) files.push({ path: 'LICENSE', oid: licence.oid });
  }
  return withSizes(repo, files);
}

async function withSizes(repo: Repository, files: readonly Omit<ModuleFile, 'size'>[]): Promise<ModuleFile[]> {
  const sized: ModuleFile[] = [];
  let bytes = 0;
  for (let at = 0; at < files.length; at += SIZES_AT_ONCE) {
    const batch = files.slice(at, at + SIZES_AT_ONCE);
    const infos = await Promise.all(batch.map(({ oid }) => repo.objects.info(oid)));
    for (const [index, file] of batch.entries()) {
      const size = infos[index]?.size ?? 0;
      bytes += size;
      sized.push({ ...file, size });
    }
    if (bytes > MAX_ARCHIVE) throw wouldHold(`more than ${MAX_ARCHIVE} bytes`);
  }
  return sized;
}

/** Whether `go.mod` requires Go 1.24 or newer, which applies the same rule to nested `vendor` folders. */
function sinceGo124(goMod: string): boolean {
  const [, major, minor] = /^go\s+(\d+)\.(\d+)/m.exec(goMod) ?? [];
  return Number(major ?? 0) > 1 || Number(minor ?? 0) >= 24;
}

/**
 * Whether a file belongs to a vendored package. Checksums depend on it: for older modules it reproduces a defect of Go,
 * which searched for the package too far to the left below a folder.
 */
function isVendored(path: string, exact: boolean): boolean {
  if (exact && path === 'vendor/modules.txt') return true;
  const below = path.indexOf('/vendor/');
  if (path.startsWith('vendor/')) return path.includes('/', 'vendor/'.length);
  if (below < 0) return false;
  return path.includes('/', '/vendor/'.length + (exact ? below : 0));
}
