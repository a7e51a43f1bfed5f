import { Type } from 'typebox';
import { PACKAGE_STATUSES } from '../../../db/tables/packages.table.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';
import { PACKAGE_TYPES } from '../package-kinds.ts';

const filters = {
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
  package_type: Type.Optional(Enum(PACKAGE_TYPES, { description: 'Only packages of this type.' })),
  package_name: Type.Optional(
    Type.String({ description: 'Only packages whose name contains this text, case-insensitive.' }),
  ),
  package_version: Type.Optional(
    Type.String({ description: 'Only packages of this version; packages without a version are left out.' }),
  ),
  include_versionless: Type.Optional(
    Type.Boolean({ description: 'Include packages without a version, such as Maven metadata.' }),
  ),
  status: Type.Optional(
    Enum(PACKAGE_STATUSES, {
      description: 'Only packages with this status; `default`, `deprecated` and `error` when absent.',
    }),
  ),
  ...pagination,
};

const ORDERS = ['created_at', 'name', 'version', 'type'] as const;
const ordered = (orders: readonly string[]) =>
  Type.Optional(Enum(orders, { default: 'created_at', description: 'Attribute to sort by.' }));

/** Parameters of the list of packages of a project. */
export const listPackages = Type.Object({ order_by: ordered(ORDERS), ...filters });

/** Parameters of the list of packages of a group. */
export const listGroupPackages = Type.Object({
  order_by: ordered([...ORDERS, 'project_path']),
  exclude_subgroups: Type.Optional(Type.Boolean({ default: false, description: 'Leave out projects of subgroups.' })),
  ...filters,
});

/** Path parameter of a package. */
export const PackageId = Type.Object({ package_id: Type.Integer() });

/** Parameters of the list of pipelines of a package. */
export const listPipelines = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: 'Start of the page, from the `Link` header of the previous page; instead of `page`.' }),
  ),
  pagination: Type.Optional(Enum(['keyset'])),
  ...pagination,
});
