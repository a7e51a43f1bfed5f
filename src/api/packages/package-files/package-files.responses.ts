import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { PackagePipeline } from '../packages/packages.responses.ts';

/** A file of a package. */
export const PackageFile = Type.Object({
  id: Type.Integer(),
  package_id: Type.Integer(),
  created_at: Instant(),
  file_name: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  file_md5: Nullable(Type.String()),
  file_sha1: Nullable(Type.String()),
  file_sha256: Type.String(),
  pipelines: Type.Optional(
    Type.Array(PackagePipeline, {
      description: 'Last pipeline that published the file; absent if there is none or the caller may not see it.',
    }),
  ),
});
