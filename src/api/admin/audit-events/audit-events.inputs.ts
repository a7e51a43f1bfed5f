import { type Static, Type } from 'typebox';
import { AUDIT_ENTITY_TYPES } from '../../../db/tables/audit-events.table.ts';
import { Enum, Instant, pagination } from '../../../http/http.schema.ts';

const filters = {
  created_after: Type.Optional(Instant({ description: 'Only events at or after this time.' })),
  created_before: Type.Optional(Instant({ description: 'Only events at or before this time.' })),
  author_id: Type.Optional(Type.Integer({ description: 'Only events of this author.' })),
};

const paging = {
  pagination: Type.Optional(
    Enum(['keyset', 'legacy'], { description: 'Pagination method: `keyset` or `legacy` (offset).' }),
  ),
  order_by: Type.Optional(Enum(['id'], { description: 'Sort column; `id` is the only one.' })),
  sort: Type.Optional(Enum(['desc'], { description: 'Sort direction; `desc` (newest first) is the only one.' })),
  cursor: Type.Optional(Type.String({ description: 'Start of a keyset page, taken from the `Link` header.' })),
  ...pagination,
};

/** Parameters of the lists of groups and projects. */
export const ListAuditEvents = Type.Object({ ...filters, ...paging });

/** Parameters of the list of the whole server. */
export const ListInstanceAuditEvents = Type.Object({
  ...filters,
  entity_type: Type.Optional(Enum(AUDIT_ENTITY_TYPES, { description: 'Only events about entities of this type.' })),
  entity_id: Type.Optional(
    Type.Integer({ description: 'Only events about the entity with this id; requires `entity_type`.' }),
  ),
  ...paging,
});
export type AuditEventFilters = Static<typeof ListInstanceAuditEvents>;
