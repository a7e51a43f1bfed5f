import { type Static, Type } from 'typebox';
import { VISIBILITIES } from '../../../core/access-levels.ts';
import { Day, Enum, Instant, IntegerEnum, List, optional, pagination } from '../../../http/http.schema.ts';
import { customAttributesFilter } from '../custom-attributes/custom-attributes.inputs.ts';

export const PROJECT_ORDERS = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
  'star_count',
  'similarity',
  'repository_size',
  'storage_size',
] as const;
export type ProjectOrder = (typeof PROJECT_ORDERS)[number];

const filters = optional({
  active: Type.Boolean({ description: 'Only projects that are neither archived nor marked for deletion.' }),
  archived: Type.Boolean(),
  visibility: Enum(VISIBILITIES),
  search: Type.String({
    maxLength: 1_000,
    description: 'Words that must all occur in path, name or description; case-insensitive.',
  }),
  search_namespaces: Type.Boolean({ description: 'Search the paths of namespaces as well.' }),
  owned: Type.Boolean({ description: 'Only projects owned by the caller.' }),
  starred: Type.Boolean({ description: 'Only projects starred by the caller.' }),
  membership: Type.Boolean({ description: 'Only projects of which the caller is a member.' }),
  imported: Type.Boolean({ description: 'Only projects with an imported repository.' }),
  min_access_level: IntegerEnum([10, 15, 20, 30, 40, 50]),
  with_issues_enabled: Type.Boolean(),
  with_merge_requests_enabled: Type.Boolean(),
  with_programming_language: Type.String({ maxLength: 255 }),
  id_after: Type.Integer(),
  id_before: Type.Integer(),
  last_activity_after: Instant(),
  last_activity_before: Instant(),
  updated_after: Instant({ description: 'Requires `order_by=updated_at`.' }),
  updated_before: Instant({ description: 'Requires `order_by=updated_at`.' }),
  repository_storage: Type.String({ description: 'Name of a storage; for administrators.' }),
  topic: List(Type.String(), { maxItems: 50, description: 'Names of topics; projects must have all of them.' }),
  topic_id: Type.Integer(),
  marked_for_deletion_on: Day({ description: 'Only projects that were marked for deletion on this date.' }),
  include_pending_delete: Type.Boolean({ description: 'Include projects marked for deletion.' }),
  include_hidden: Type.Boolean(),
  wiki_checksum_failed: Type.Boolean(),
  repository_checksum_failed: Type.Boolean(),
  custom_attributes: customAttributesFilter,
}).properties;

const shape = {
  order_by: Type.Optional(Enum(PROJECT_ORDERS, { default: 'created_at' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
  simple: Type.Optional(Type.Boolean({ default: false, description: 'Return only a few fields of each project.' })),
  statistics: Type.Optional(Type.Boolean({ default: false })),
  with_custom_attributes: Type.Optional(
    Type.Boolean({ default: false, description: 'Include custom attributes; for administrators.' }),
  ),
};

/** Parameters of all lists of projects. */
export const ProjectListInput = Type.Object({ ...filters, ...shape, ...pagination });

/** Parameters of lists with keyset pagination. */
export const KeysetProjectListInput = Type.Object({
  ...filters,
  ...shape,
  pagination: Type.Optional(Enum(['legacy', 'keyset'])),
  ...pagination,
});

/** Filters and order of lists of projects. */
export type ProjectFilters = Static<ReturnType<typeof Type.Object<typeof filters>>> & {
  order_by?: ProjectOrder;
  sort?: 'asc' | 'desc';
};
