import { createReadStream } from 'node:fs';
import type { Deps } from '../../deps.ts';
import type { UploadedFile } from '../../http/params/uploaded-file.ts';
import type { StoredBlob } from '../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';

/**
 * Stores an uploaded archive, and makes what it is imported into. Where that is refused nothing of it stays.
 * @throws what `make` throws
 */
export async function withArchive<T>(
  deps: Deps,
  file: UploadedFile,
  make: (archive: StoredBlob) => Promise<T>,
): Promise<T> {
  const archive = await deps.blobs.put(createReadStream(file.path), { maxBytes: file.size });
  try {
    return await make(archive);
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [archive.sha256]);
    throw error;
  }
}
