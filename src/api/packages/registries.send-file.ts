import type { Readable } from 'node:stream';
import type { PackageFile } from '../../db/tables/package-files.table.ts';
import type { BaseContext } from '../../http/http.route.ts';
import { sendBlob } from '../../http/send-blob.ts';
import { recordDownload } from '../../packages/downloads.ts';

/** Sends a file of a package as a download and records the download, except for HEAD. @throws ApiError 404, 416 */
export async function sendPackageFile(
  c: BaseContext,
  file: PackageFile,
  name = file.file_name,
): Promise<Readable | undefined> {
  const content = await sendBlob(c, file, name, 'application/octet-stream');
  if (c.request.method !== 'HEAD' && content !== undefined) recordDownload(c.deps, file.package_id);
  return content;
}
