import type { Readable } from 'node:stream';
import type { PackageFile } from '../../db/tables/package-files.table.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { sendBlob } from '../../http/send-blob.ts';
import { recordDownload } from '../../packages/downloads.ts';

/**
 * Answers with a file of a package, to be saved, and remembers that it was downloaded; asking by HEAD is none.
 * @throws ApiError 404, 416
 */
export async function sendPackageFile(
  c: BaseContext,
  file: PackageFile,
  name = file.file_name,
): Promise<Readable | undefined> {
  const content = await sendBlob(c, file, name, 'application/octet-stream');
  if (c.request.method !== 'HEAD' && content !== undefined) recordDownload(c.deps, file.package_id);
  return content;
}
