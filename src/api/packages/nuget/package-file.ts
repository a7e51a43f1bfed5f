import { buffer } from 'node:stream/consumers';
import { badRequest } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import type { ReceivedFile } from '../../../packages/receive.ts';
import { ArchiveError } from '../../../storage/zip/archive-error.ts';
import { type Nuspec, NuspecError, parseNuspec } from './nuspec.ts';

const MAX_NUSPEC = 512 * 1024;
/** Maximum number of entries at the root of a package searched for its `.nuspec`. */
const MAX_ROOT = 1_000;
const NUSPEC = /^[^/]+\.nuspec$/i;

const noPackage = (why: string) => badRequest(`The file is not a NuGet package: ${why}`);

/** Reads the `.nuspec` of an uploaded package. @throws ApiError 400 for an invalid package */
export async function readPackage(deps: Deps, file: ReceivedFile): Promise<Nuspec> {
  try {
    const directory = await deps.archives.directory(file);
    const root = await directory.list('', false, { offset: 0, size: MAX_ROOT });
    const specs = root?.entries.filter(({ type, path }) => type === 'file' && NUSPEC.test(path)) ?? [];
    if (specs.length !== 1) throw noPackage(specs.length === 0 ? 'it has no .nuspec' : 'it has several .nuspec files');
    const [spec] = specs;
    if (spec!.size > MAX_NUSPEC) throw noPackage('its .nuspec is too large');
    const bytes = await buffer(await deps.archives.open(file, directory, spec!));
    return await parseNuspec(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof ArchiveError && error.code !== 'gone') throw noPackage(error.message);
    if (error instanceof NuspecError) throw noPackage(`its .nuspec cannot be parsed: ${error.message.slice(0, 200)}`);
    throw error;
  }
}
