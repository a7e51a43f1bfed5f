import { conflict, notFound } from '../../../core/core.errors.ts';
import type { PackageStatus } from '../../../db/tables/packages.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { findFile } from '../../../packages/package-registry.find.ts';
import { addFile, publish } from '../../../packages/package-registry.publish.ts';
import { receiveUpload } from '../receive-upload.ts';
import { fileMetadata, readChecksum } from './checksums.ts';
import type { MavenFile } from './maven.paths.ts';

/**
 * Compares an uploaded checksum with the stored file; tools upload it to verify the transfer.
 * @returns whether it was compared
 * @throws ApiError 400; 404 if the file does not exist; 409 if the checksum differs
 */
export async function compareChecksum(
  { deps, bytes }: BaseContext,
  project: Project,
  { name, version, fileName, checksum }: MavenFile,
): Promise<boolean> {
  const input = await readChecksum(bytes);
  if (checksum !== 'sha1') return false;
  const key = { type: 'maven', nameKey: name, versionKey: version ?? '', fileName };
  const file = await findFile(deps.db, { projectId: project.id }, key);
  if (file === undefined) throw notFound('Package');
  if (file.sha1 !== input) throw conflict();
  return true;
}

/** Publishes a file. @throws ApiError 400, 401, 403, 404 */
export async function storeMavenFile(
  c: BaseContext,
  project: Project,
  { name, version, fileName, checksum }: MavenFile,
  status: Extract<PackageStatus, 'default' | 'hidden'> | undefined,
): Promise<void> {
  const { deps, caller } = c;
  const upload = await receiveUpload(c, 'maven', 'file');
  const { file } = upload;
  const publication = { caller, projectId: project.id, type: 'maven', name, version, status, files: [file] };
  const stored = checksum === null ? fileName : `${fileName}.${checksum}`;
  await publish(deps, publication, (publishing) => addFile(deps, publishing, file, stored, fileMetadata(file)));
}
