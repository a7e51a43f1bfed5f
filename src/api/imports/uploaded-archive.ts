import { createReadStream } from 'node:fs';
import type { UserCaller } from '../../access/caller.ts';
import { forbidden, invalidParameter, refused } from '../../core/core.errors.ts';
import type { Deps } from '../../deps.ts';
import { UploadedFile } from '../../http/params/uploaded-file.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import { perMinute } from '../../settings/throttles.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';

const MIB = 1024 * 1024;

/** Checks that imports of archives are enabled, and the caller's rate limit. @throws ApiError 403, 429 */
export async function authorizeArchiveImport(
  deps: Deps,
  { user }: UserCaller,
  kind: 'group_import' | 'project_import',
): Promise<void> {
  const settings = await applicationSettings(deps);
  if (!settings.import_sources.includes('gitlab_project')) throw forbidden();
  deps.limiter.check(kind, `user:${user.id}`, perMinute(settings[`${kind}_limit`]));
}

/**
 * Stores an uploaded archive and creates its import. If that fails, the archive is removed.
 * @param file value of the `file` parameter
 * @throws ApiError 400 for an invalid file, 413 above the size limit of the instance; errors of `make`
 */
export async function withArchive<T>(deps: Deps, file: unknown, make: (archive: StoredBlob) => Promise<T>): Promise<T> {
  if (!(file instanceof UploadedFile)) throw invalidParameter('file is invalid');
  const { max_import_size: maxMiB } = await applicationSettings(deps);
  if (maxMiB > 0 && file.size > maxMiB * MIB)
    throw refused(`The archive is too large (maximum is ${maxMiB} MiB).`, 413);
  const archive = await deps.blobs.put(createReadStream(file.path), { maxBytes: file.size });
  try {
    return await make(archive);
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [archive.sha256]);
    throw error;
  }
}
