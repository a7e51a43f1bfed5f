import { Type } from 'typebox';
import { Enum, pagination } from '../../../http/http.schema.ts';
import { PackageId } from '../packages/packages.inputs.ts';

/** Parameters of the list of files. */
export const listFiles = Type.Object({
  order_by: Type.Optional(Enum(['id', 'file_name', 'created_at'], { default: 'id' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
  ...pagination,
});

/** Path parameters of a file of a package. */
export const PackageFileId = Type.Object({
  ...PackageId.properties,
  package_file_id: Type.Integer({ description: 'Id of the file.', examples: [25] }),
});
