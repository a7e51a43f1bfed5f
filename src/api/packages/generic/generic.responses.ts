import { Type } from 'typebox';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import type { Deps } from '../../../deps.ts';
import { Instant, Nullable } from '../../../http/http.schema.ts';

/** A published file, for `select=package_file`. */
export const PublishedFile = Type.Object({
  id: Type.Integer(),
  package_id: Type.Integer(),
  created_at: Instant(),
  updated_at: Instant(),
  size: Type.Integer({ description: 'Bytes.' }),
  file_store: Type.Integer({ description: 'Always 1.', examples: [1] }),
  file_md5: Nullable(Type.String()),
  file_sha1: Nullable(Type.String()),
  file_sha256: Type.String(),
  file_name: Type.String(),
  file: Type.Object({ url: Type.String({ description: 'Download URL.' }) }),
});

/** @param path path of the route that downloads the file, below the API */
export const presentPublished = (deps: Deps, file: PackageFile, path: string) => ({
  id: file.id,
  package_id: file.package_id,
  created_at: file.created_at,
  updated_at: file.updated_at,
  size: file.size,
  file_store: 1,
  file_md5: file.md5,
  file_sha1: file.sha1,
  file_sha256: file.sha256,
  file_name: file.file_name,
  file: { url: `${deps.externalUrl()}/api/v4${path}` },
});
