import { Type } from 'typebox';
import { PACKAGE_STATUSES, PACKAGE_TYPES } from '../../../db/tables/packages.table.ts';
import { Enum, pagination } from '../../../http/http.schema.ts';

const filters = {
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'asc' })),
  package_type: Type.Optional(Enum(PACKAGE_TYPES, { description: 'Only packages of this registry.' })),
  package_name: Type.Optional(
    Type.String({ description: 'Only packages whose name contains this, whatever its case.' }),
  ),
  package_version: Type.Optional(
    Type.String({ description: 'Only this version. Packages without one are then left out.' }),
  ),
  include_versionless: Type.Optional(
    Type.Boolean({ description: 'Also what is of no version, such as the metadata of a Maven package.' }),
  ),
  status: Type.Optional(
    Enum(PACKAGE_STATUSES, {
      description: 'Only packages of this state; `default`, `deprecated` and `error` when absent.',
    }),
  ),
  ...pagination,
};

const ORDERS = ['created_at', 'name', 'version', 'type'] as const;
const ordered = (orders: readonly string[]) =>
  Type.Optional(Enum(orders, { default: 'created_at', description: 'What the list is ordered by.' }));

/** Parameters of the list of a project. */
export const listPackages = Type.Object({ order_by: ordered(ORDERS), ...filters });

/** Parameters of the list of a group. */
export const listGroupPackages = Type.Object({
  order_by: ordered([...ORDERS, 'project_path']),
  exclude_subgroups: Type.Optional(
    Type.Boolean({ default: false, description: 'Leaves out the projects of its subgroups.' }),
  ),
  ...filters,
});

/** The part of an address that names a package. */
export const PackageId = Type.Object({ package_id: Type.Integer() });

/** Parameters of the pipelines of a package. */
export const listPipelines = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: 'Where a page begins, as the Link header of the one before says; instead of `page`.' }),
  ),
  pagination: Type.Optional(Enum(['keyset'])),
  ...pagination,
});
