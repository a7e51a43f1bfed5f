import type { Readable } from 'node:stream';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { findFile, type PackageSource } from '../../../packages/package-registry.find.ts';
import { sendPackageFile } from '../registries.send-file.ts';
import { checksumOf } from './checksums.ts';
import type { Checksum, MavenFile } from './maven.paths.ts';

const find = ({ deps }: BaseContext, source: PackageSource, { name, version }: MavenFile, fileName: string) =>
  findFile(deps.db, source, { type: 'maven', nameKey: name, versionKey: version ?? '', fileName });

/**
 * Sends the latest file with that name, or its checksum.
 * @param missing error if there is none
 */
export async function sendMavenFile(
  c: BaseContext,
  source: PackageSource,
  at: MavenFile | undefined,
  missing: () => Error,
): Promise<Readable | string | undefined> {
  if (at === undefined) throw missing();
  const file = await find(c, source, at, at.fileName);
  if (at.checksum !== null) return sendChecksum(c, source, { ...at, checksum: at.checksum }, file, missing);
  if (file === undefined) throw missing();
  const { sha1, md5 } = file;
  if (sha1 !== null) c.reply.header('X-Checksum-Sha1', sha1);
  if (md5 !== null) c.reply.header('X-Checksum-Md5', md5);
  return sendPackageFile(c, file);
}

/**
 * Sends the checksum of the stored file; an uploaded checksum is sent only without such a file, since it may be
 * outdated.
 */
async function sendChecksum(
  c: BaseContext,
  source: PackageSource,
  at: MavenFile & { checksum: Checksum },
  file: PackageFile | undefined,
  missing: () => Error,
): Promise<Readable | string | undefined> {
  const checksum = file === undefined ? null : checksumOf(file, at.checksum);
  if (checksum !== null) {
    c.reply.type('text/plain; charset=utf-8');
    return checksum;
  }
  const stored = await find(c, source, at, `${at.fileName}.${at.checksum}`);
  if (stored === undefined) throw missing();
  return sendPackageFile(c, stored);
}
